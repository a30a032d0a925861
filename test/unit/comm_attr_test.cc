#include "test/unit/catch.h"

#include <vector>

#include "comm/attr.h"

using namespace tutti;

namespace {

struct Thing : Counted {
  explicit Thing(Kind k = Kind::kComm) : Counted(k) {}
  std::unique_ptr<Attachment> attributes;
};

struct Seen {
  std::vector<void*> deleted;
  int keyval = 0;
  void* extra = nullptr;
  int answer = 0;            // what the user's function returns
  Thing* reenter = nullptr;  // object whose attribute the delete function deletes again
} seen;

// Stand-ins for the invokers of a skin: the "user's functions" are only told apart by address.
void user_copy() {}
void user_refuse() {}
void user_delete() {}

int call_copy(AnyFn fn, Kind, Object&, int keyval, void* extra, void* value, void** out, int* flag) {
  seen.keyval = keyval;
  seen.extra = extra;
  *flag = fn == user_copy ? 1 : 0;
  *out = static_cast<char*>(value) + 1;
  return seen.answer;
}

int call_delete(AnyFn, Kind, Object&, int keyval, void* value, void*) {
  seen.deleted.push_back(value);
  if (seen.reenter) (void)comm::free_keyval(Kind::kComm, keyval);
  return seen.answer;
}

int same(int x) { return x; }

const Profile& profile() {
  static const Profile p = [] {
    Profile made{};
    made.class_in = same;
    made.class_out = same;
    made.call_copy = call_copy;
    made.call_delete = call_delete;
    return made;
  }();
  return p;
}

int key(AnyFn copy, AnyFn del, Kind kind = Kind::kComm) {
  seen = {};
  return comm::create_keyval(kind, {copy, &profile()}, {del, &profile()}, &seen).take();
}

void* value(int i) { return reinterpret_cast<void*>(std::intptr_t{i} * 16); }

void* got(Thing& t, int keyval) {
  void* v = nullptr;
  int flag = 0;
  REQUIRE_FALSE(comm::get_attr(t, t.attributes, keyval, &v, &flag));
  return flag ? v : nullptr;
}

}  // namespace

TEST_CASE("an attribute is set, read, replaced and deleted, with its delete function called") {
  const int k = key(comm::kNullCopyFn, user_delete);
  Thing t;
  CHECK(got(t, k) == nullptr);
  CHECK_FALSE(comm::set_attr(t, t.attributes, k, value(1)));
  CHECK(got(t, k) == value(1));
  CHECK_FALSE(comm::set_attr(t, t.attributes, k, value(2)));
  CHECK(seen.deleted == std::vector<void*>{value(1)});
  CHECK_FALSE(comm::delete_attr(t, t.attributes, k));
  CHECK(seen.deleted == std::vector<void*>{value(1), value(2)});
  CHECK(got(t, k) == nullptr);
  CHECK(comm::delete_attr(t, t.attributes, k).mpi_class() == kErrKeyval);
}

TEST_CASE("what is no key, is predefined, of another kind or freed gives MPI_ERR_KEYVAL") {
  const int k = key(comm::kNullCopyFn, comm::kNullDeleteFn),
            of_type = key(comm::kNullCopyFn, comm::kNullDeleteFn, Kind::kDatatype);
  Thing t;
  for (const int bad : {0, -1, 501, 507, 601, 605, 12345, 0x10ffffff, 0x24000000, 0x7fffffff, k + 0x4000000, of_type}) {
    INFO(bad);
    CHECK(comm::set_attr(t, t.attributes, bad, nullptr).mpi_class() == kErrKeyval);
    int copy = bad;
    CHECK(comm::free_keyval(Kind::kComm, copy).mpi_class() == kErrKeyval);
  }
  CHECK_FALSE(comm::free_keyval(Kind::kComm, k));
  CHECK(comm::free_keyval(Kind::kComm, k).mpi_class() == kErrKeyval);
  CHECK(comm::set_attr(t, t.attributes, k, nullptr).text() == text_of("keyval is %d, which was freed", k));
}

TEST_CASE("a freed key serves the attributes that are left and is never given again while they live") {
  const int k = key(comm::kDupFn, user_delete);
  Thing t;
  CHECK_FALSE(comm::set_attr(t, t.attributes, k, value(1)));
  CHECK_FALSE(comm::free_keyval(Kind::kComm, k));
  CHECK_FALSE(comm::free_keyval(Kind::kComm, k));  // allowed as long as an attribute lives
  CHECK(comm::set_attr(t, t.attributes, k, value(2)).mpi_class() == kErrKeyval);
  CHECK(got(t, k) == value(1));
  const int other = comm::create_keyval(Kind::kComm, {}, {}, nullptr).take();
  CHECK(other != k);
  seen.reenter = &t;  // the delete function frees the key once more
  CHECK_FALSE(comm::delete_all_attrs(t, t.attributes));
  CHECK(seen.deleted == std::vector<void*>{value(1)});
  CHECK(comm::free_keyval(Kind::kComm, k).mpi_class() == kErrKeyval);
}

TEST_CASE("a duplicate gets what the copy functions say") {
  const int none = key(comm::kNullCopyFn, comm::kNullDeleteFn), dup = key(comm::kDupFn, comm::kNullDeleteFn),
            refuse = key(user_refuse, comm::kNullDeleteFn), copy = key(user_copy, comm::kNullDeleteFn);
  Thing from, to;
  for (const int k : {none, dup, refuse, copy}) CHECK_FALSE(comm::set_attr(from, from.attributes, k, value(k & 15)));
  CHECK_FALSE(comm::copy_attrs(from, from.attributes, to.attributes));
  CHECK(got(to, none) == nullptr);
  CHECK(got(to, dup) == value(dup & 15));
  CHECK(got(to, refuse) == nullptr);
  CHECK(got(to, copy) == static_cast<char*>(value(copy & 15)) + 1);
  CHECK(seen.keyval == copy);
  CHECK(seen.extra == &seen);
}

TEST_CASE("a failing copy or delete function gives its own error class and stops") {
  const int copy = key(user_copy, user_delete);
  Thing from, to;
  CHECK_FALSE(comm::set_attr(from, from.attributes, copy, value(1)));
  seen.answer = kErrOther;
  const Err e = comm::copy_attrs(from, from.attributes, to.attributes);
  CHECK(e.mpi_class() == kErrOther);
  CHECK(e.text() == text_of("the copy function of keyval %d returned error code %d", copy, int{kErrOther}));
  CHECK(comm::delete_attr(from, from.attributes, copy).mpi_class() == kErrOther);
  CHECK(comm::set_attr(from, from.attributes, copy, value(2)).mpi_class() == kErrOther);
  CHECK(comm::delete_all_attrs(from, from.attributes).mpi_class() == kErrOther);
  CHECK(got(from, copy) == value(1));
}

TEST_CASE("attributes go in the reverse order of their setting") {
  const int a = key(comm::kNullCopyFn, user_delete), b = key(comm::kNullCopyFn, user_delete),
            c = key(comm::kNullCopyFn, user_delete);
  Thing t;
  for (const auto& [k, v] : {std::pair{b, 1}, {c, 2}, {a, 3}})
    CHECK_FALSE(comm::set_attr(t, t.attributes, k, value(v)));
  CHECK_FALSE(comm::delete_all_attrs(t, t.attributes));
  CHECK(seen.deleted == std::vector<void*>{value(3), value(2), value(1)});
}
