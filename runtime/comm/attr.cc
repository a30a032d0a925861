#include "comm/attr.h"

#include <utility>
#include <vector>

namespace tutti::comm {
namespace {

constexpr int kKeyMark = 1 << 28, kRowBits = 16, kGenerationShift = 16, kKindShift = 24;

struct Keyval : Object {
  Keyval(Kind on, Callback copy_fn, Callback delete_fn, void* extra_state)
      : Object(Kind::kKeyval), target(on), copy(copy_fn), del(delete_fn), extra(extra_state) {}
  void dispose();  // when neither the user nor an attribute needs the key

  const Kind target;
  const Callback copy, del;
  void* const extra;
  int id = 0;
  bool freed = false;  // the user gave it back; attributes keep it
};

struct Keys {
  struct Row {
    Keyval* key = nullptr;
    std::uint8_t generation = 0;
  };
  std::vector<Row> rows;
  std::vector<std::uint16_t> free_rows;
};

Keys& keys() {
  static Keys& all = *new Keys;  // never destroyed: keys outlive Finalize
  return all;
}

void Keyval::dispose() {
  const std::uint16_t row = static_cast<std::uint16_t>(id & ((1 << kRowBits) - 1));
  keys().rows[row].key = nullptr;
  ++keys().rows[row].generation;
  keys().free_rows.push_back(row);
  delete this;
}

int kind_number(Kind target) { return target == Kind::kComm ? 1 : target == Kind::kDatatype ? 2 : 3; }

const char* kind_name(Kind target) {
  return target == Kind::kComm ? "communicators" : target == Kind::kDatatype ? "datatypes" : "windows";
}

bool predefined(int keyval) {
  return (keyval >= kKeyTagUb && keyval <= kKeyUniverseSize) || (keyval >= kKeyWinBase && keyval <= kKeyWinModel);
}

Result<Ref<Keyval>> find(Kind target, int keyval) {
  if (keyval == kKeyvalInvalid) return FAIL(kErrKeyval, "keyval is MPI_KEYVAL_INVALID");
  if (predefined(keyval)) return FAIL(kErrKeyval, "keyval is %d, which is predefined; only keys you made can be changed", keyval);
  const auto row = static_cast<std::size_t>(keyval & ((1 << kRowBits) - 1));
  if ((keyval & ~((1 << kGenerationShift) - 1) & ~(0xff << kGenerationShift) & ~(3 << kKindShift)) != kKeyMark ||
      row >= keys().rows.size())
    return FAIL(kErrKeyval, "keyval is %d, which is no attribute key", keyval);
  Keyval* const key = keys().rows[row].key;
  if (!key || key->id != keyval) return FAIL(kErrKeyval, "keyval is %d, which was freed", keyval);
  if (key->target != target)
    return FAIL(kErrKeyval, "keyval is %d, which is for %s, not for %s", keyval, kind_name(key->target), kind_name(target));
  return Ref<Keyval>(key);
}

struct Attributes : Attachment {
  struct Item {
    Ref<Keyval> key;
    void* value;
  };
  std::vector<Item> items;  // in the order they were set

  Item* find(const Keyval& key) {
    for (Item& item : items)
      if (item.key.get() == &key) return &item;
    return nullptr;
  }
  void erase(const Keyval& key) {
    std::erase_if(items, [&](const Item& item) { return item.key.get() == &key; });
  }
};

Attributes* attributes_of(const std::unique_ptr<Attachment>& slot) { return static_cast<Attributes*>(slot.get()); }

Err user_error(const Profile* profile, int code, const char* what, int keyval) {
  return FAIL(profile->class_in(code), "the %s function of keyval %d returned error code %d", what, keyval, code);
}

// The item's key must be held by the caller: user code may delete the attribute meanwhile.
Err call_delete(Object& object, Keyval& key, void* value) {
  if (key.del.fn == kNullDeleteFn) return {};
  const int code = key.del.profile->call_delete(key.del.fn, key.target, object, key.id, value, key.extra);
  return code == kSuccess ? Err() : user_error(key.del.profile, code, "delete", key.id);
}

}  // namespace

Result<int> create_keyval(Kind target, Callback copy, Callback del, void* extra) {
  Keys& all = keys();
  if (all.free_rows.empty()) {
    if (all.rows.size() >= (std::size_t{1} << kRowBits))
      return FAIL(kErrNoMem, "there are %zu attribute keys already, the most this library keeps", all.rows.size());
    all.rows.emplace_back();
    all.free_rows.push_back(static_cast<std::uint16_t>(all.rows.size() - 1));
  }
  const std::uint16_t row = all.free_rows.back();
  all.free_rows.pop_back();
  Keyval* const key = Ref<Keyval>(new Keyval(target, copy, del, extra)).release();  // the user's count
  key->id = kKeyMark | kind_number(target) << kKindShift | all.rows[row].generation << kGenerationShift | row;
  all.rows[row].key = key;
  return int{key->id};
}

Err free_keyval(Kind target, int keyval) {
  const Ref<Keyval> key = TRY(find(target, keyval));
  if (!std::exchange(key->freed, true)) Ref<Keyval>::adopt(key.get());
  return {};
}

Err set_attr(Object& object, std::unique_ptr<Attachment>& attributes, int keyval, void* value) {
  const Ref<Keyval> key = TRY(find(object.kind, keyval));
  if (key->freed)
    return FAIL(kErrKeyval, "keyval is %d, which was freed; it serves only to read and delete what is left", keyval);
  if (!attributes) attributes = std::make_unique<Attributes>();
  Attributes* const all = attributes_of(attributes);
  if (Attributes::Item* const old = all->find(*key)) {
    TRY(call_delete(object, *key, old->value));
    if (Attributes::Item* const still = all->find(*key)) {
      still->value = value;
      return {};
    }
  }
  all->items.push_back({key, value});
  return {};
}

Err get_attr(const Object& object, const std::unique_ptr<Attachment>& attributes, int keyval, void** value, int* flag) {
  *flag = 0;
  const Ref<Keyval> key = TRY(find(object.kind, keyval));
  if (!attributes) return {};
  if (const Attributes::Item* const item = attributes_of(attributes)->find(*key)) {
    *value = item->value;
    *flag = 1;
  }
  return {};
}

Err delete_attr(Object& object, std::unique_ptr<Attachment>& attributes, int keyval) {
  const Ref<Keyval> key = TRY(find(object.kind, keyval));
  Attributes* const all = attributes_of(attributes);
  const Attributes::Item* const item = all ? all->find(*key) : nullptr;
  if (!item) return FAIL(kErrKeyval, "keyval is %d, under which there is no attribute to delete", keyval);
  TRY(call_delete(object, *key, item->value));
  all->erase(*key);
  return {};
}

Err copy_attrs(Object& from, const std::unique_ptr<Attachment>& from_attributes, std::unique_ptr<Attachment>& to) {
  if (!from_attributes) return {};
  // A copy of the list, because the user's functions may change it.
  const std::vector<Attributes::Item> items = attributes_of(from_attributes)->items;
  for (const auto& [key, value] : items) {
    if (key->copy.fn == kNullCopyFn) continue;
    void* copied = value;
    int flag = 1;
    if (key->copy.fn != kDupFn) {
      flag = 0;
      const int code =
          key->copy.profile->call_copy(key->copy.fn, key->target, from, key->id, key->extra, value, &copied, &flag);
      if (code != kSuccess) return user_error(key->copy.profile, code, "copy", key->id);
    }
    if (!flag) continue;
    if (!to) to = std::make_unique<Attributes>();
    attributes_of(to)->items.push_back({key, copied});
  }
  return {};
}

Err delete_all_attrs(Object& object, std::unique_ptr<Attachment>& attributes) {
  while (attributes && !attributes_of(attributes)->items.empty()) {
    const Attributes::Item last = attributes_of(attributes)->items.back();
    TRY(call_delete(object, *last.key, last.value));
    if (attributes) attributes_of(attributes)->erase(*last.key);
  }
  attributes.reset();
  return {};
}

}  // namespace tutti::comm
