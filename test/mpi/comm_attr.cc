// Attributes of communicators and datatypes, their callbacks, and what MPI_COMM_WORLD has from the start.
#include <cstdint>
#include <initializer_list>

#include "test/mpi/check.h"

namespace {

int deleted = 0, copied = 0, answer = MPI_SUCCESS;
MPI_Comm seen_comm;
void* last_deleted;

void* value(int i) { return reinterpret_cast<void*>(std::intptr_t{i}); }

int class_of(int code) {
  int c;
  CHECK(MPI_Error_class(code, &c) == MPI_SUCCESS);
  return c;
}

int copy(MPI_Comm comm, int, void* extra, void* in, void* out, int* flag) {
  CHECK(extra == &copied);
  seen_comm = comm;
  ++copied;
  *static_cast<void**>(out) = static_cast<char*>(in) + 1;
  *flag = 1;
  return answer;
}

int remove(MPI_Comm comm, int, void* attribute, void*) {
  seen_comm = comm;
  last_deleted = attribute;
  ++deleted;
  return answer;
}

void predefined() {
  int flag = 0;
  int* number = nullptr;
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &number, &flag) == MPI_SUCCESS && flag);
  CHECK(*number >= 32767);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, &number, &flag) == MPI_SUCCESS && flag);
  CHECK(*number == 0 || *number == 1);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_IO, &number, &flag) == MPI_SUCCESS && flag);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &number, &flag) == MPI_SUCCESS && flag);
  CHECK(*number >= MPI_ERR_LASTCODE);
  int added = 0;
  CHECK(MPI_Add_error_class(&added) == MPI_SUCCESS && added > MPI_ERR_LASTCODE);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &number, &flag) == MPI_SUCCESS && *number == added);
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &number, &flag) == MPI_SUCCESS);
  CHECK(!flag || *number >= check::size());
  CHECK(class_of(MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr)) != MPI_SUCCESS);
  CHECK(class_of(MPI_Comm_delete_attr(MPI_COMM_WORLD, MPI_TAG_UB)) != MPI_SUCCESS);
}

void through_a_duplicate() {
  int key, flag = 0;
  void* got = nullptr;
  MPI_Comm dup;
  deleted = copied = 0;
  CHECK(MPI_Comm_create_keyval(copy, remove, &key, &copied) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(MPI_COMM_WORLD, key, value(40)) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  CHECK(copied == 1 && seen_comm == MPI_COMM_WORLD);
  CHECK(MPI_Comm_get_attr(dup, key, &got, &flag) == MPI_SUCCESS && flag && got == value(41));
  CHECK(MPI_Comm_set_attr(dup, key, value(50)) == MPI_SUCCESS);
  CHECK(deleted == 1 && last_deleted == value(41));
  const MPI_Comm handle = dup;
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
  CHECK(deleted == 2 && last_deleted == value(50) && seen_comm == handle);
  CHECK(MPI_Comm_delete_attr(MPI_COMM_WORLD, key) == MPI_SUCCESS);
  CHECK(deleted == 3 && last_deleted == value(40));
  CHECK(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &got, &flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS && key == MPI_KEYVAL_INVALID);
}

void failing_functions() {
  int key, flag = 0;
  void* got = nullptr;
  MPI_Comm dup, other = MPI_COMM_NULL;
  CHECK(MPI_Comm_create_keyval(copy, remove, &key, &copied) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(dup, key, value(1)) == MPI_SUCCESS);
  answer = MPI_ERR_OTHER;
  CHECK(MPI_Comm_dup(dup, &other) != MPI_SUCCESS);
  CHECK(MPI_Comm_delete_attr(dup, key) != MPI_SUCCESS);
  CHECK(MPI_Comm_free(&dup) != MPI_SUCCESS);
  CHECK(dup != MPI_COMM_NULL);
  answer = MPI_SUCCESS;
  CHECK(MPI_Comm_get_attr(dup, key, &got, &flag) == MPI_SUCCESS && flag && got == value(1));
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
}

void a_freed_key_keeps_its_attributes() {
  int key, flag = 0;
  void* got = nullptr;
  MPI_Comm dup, copy_of_dup;
  deleted = 0;
  CHECK(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, remove, &key, nullptr) == MPI_SUCCESS);
  const int kept = key;
  CHECK(MPI_Comm_dup(MPI_COMM_WORLD, &dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_attr(dup, key, value(9)) == MPI_SUCCESS);
  CHECK(MPI_Comm_free_keyval(&key) == MPI_SUCCESS);
  CHECK(MPI_Comm_dup(dup, &copy_of_dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_get_attr(copy_of_dup, kept, &got, &flag) == MPI_SUCCESS && flag && got == value(9));
  CHECK(MPI_Comm_free(&dup) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&copy_of_dup) == MPI_SUCCESS);
  CHECK(deleted == 2);
}

int type_deleted = 0;
int remove_from_type(MPI_Datatype, int, void*, void*) { return ++type_deleted, MPI_SUCCESS; }

void of_datatypes() {
  int key, flag = 0;
  void* got = nullptr;
  MPI_Datatype type, dup;
  CHECK(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, remove_from_type, &key, nullptr) == MPI_SUCCESS);
  CHECK(MPI_Type_contiguous(3, MPI_INT, &type) == MPI_SUCCESS);
  CHECK(MPI_Type_set_attr(type, key, value(5)) == MPI_SUCCESS);
  CHECK(MPI_Type_dup(type, &dup) == MPI_SUCCESS);
  CHECK(MPI_Type_get_attr(dup, key, &got, &flag) == MPI_SUCCESS && flag && got == value(5));
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS && type_deleted == 1);
  CHECK(MPI_Type_delete_attr(dup, key) == MPI_SUCCESS && type_deleted == 2);
  CHECK(MPI_Type_free(&dup) == MPI_SUCCESS && type_deleted == 2);
  CHECK(MPI_Type_set_attr(MPI_INT, key, value(6)) == MPI_SUCCESS);
  CHECK(MPI_Type_get_attr(MPI_INT, key, &got, &flag) == MPI_SUCCESS && flag && got == value(6));
  CHECK(MPI_Type_delete_attr(MPI_INT, key) == MPI_SUCCESS);
  CHECK(MPI_Type_free_keyval(&key) == MPI_SUCCESS);
}

void wrong_keys() {
  void* got = nullptr;
  int flag = 0, type_key, invalid = MPI_KEYVAL_INVALID;
  CHECK(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, nullptr) == MPI_SUCCESS);
  for (const int bad : {MPI_KEYVAL_INVALID, 12345, type_key})
    CHECK(class_of(MPI_Comm_get_attr(MPI_COMM_WORLD, bad, &got, &flag)) == MPI_ERR_KEYVAL);
  CHECK(class_of(MPI_Comm_free_keyval(&invalid)) == MPI_ERR_KEYVAL);
  CHECK(MPI_Type_free_keyval(&type_key) == MPI_SUCCESS);
}

// Set on MPI_COMM_SELF, these run first thing in MPI_Finalize, the last one set first, while MPI still works.
int order = 0;
int at_the_end(MPI_Comm, int, void* attribute, void*) {
  int flag = 1, me;
  CHECK(attribute == value(2 - order++));
  CHECK(MPI_Finalized(&flag) == MPI_SUCCESS && !flag);
  CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &me) == MPI_SUCCESS);
  return MPI_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  CHECK(MPI_Init(&argc, &argv) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  predefined();
  through_a_duplicate();
  failing_functions();
  a_freed_key_keeps_its_attributes();
  of_datatypes();
  wrong_keys();
  int keys[2];
  for (int i = 0; i < 2; ++i) {
    CHECK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_the_end, &keys[i], nullptr) == MPI_SUCCESS);
    CHECK(MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], value(i + 1)) == MPI_SUCCESS);
  }
  CHECK(MPI_Finalize() == MPI_SUCCESS);
  if (order != 2) return 1;
}
