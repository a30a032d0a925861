// MPI-5.0 sections 15.3.1 to 15.3.6: the tool interface itself, its control variables and enumerations.
#include <algorithm>
#include <cstring>

#include "api/body.gen.h"
#include "data/datatype.h"
#include "tool/tool.h"

namespace tutti::tool {

Result<Tool*> the_tool() {
  if (process.tool) return process.tool;
  return FAIL(kErrTNotInitialized, "MPI_T_init_thread has not been called");
}

Err in_table(int index, std::size_t size, const char* name) {
  if (index >= 0 && std::size_t(index) < size) return {};
  return FAIL(kErrTInvalidIndex, "%s is %d, but there are 0..%zu", name, index, size - 1);
}

void give(std::string_view string, char* text, int* length) {
  if (!length) return;
  if (text && *length > 0) {
    const std::size_t n = std::min(string.size(), std::size_t(*length) - 1);
    std::memcpy(text, string.data(), n);
    text[n] = '\0';
  }
  *length = int(string.size()) + 1;
}

}  // namespace tutti::tool

namespace tutti::mpi {
namespace {

using namespace tool;

constexpr int kMostText = 1024;  // of a knob's value, with its end

// The values that hold: before Init, those that Init will find.
Env env_now() {
  return process.phase.load(std::memory_order_relaxed) == Phase::kBefore ? env_read().env : process.env;
}

bool is_text(const Knob& knob) { return std::holds_alternative<std::string Env::*>(knob.field); }
BasicId type_of(const Knob& knob) { return is_text(knob) ? BasicId::kChar : BasicId::kCount; }

Result<CvarHandle*> handle_of(void* handle) {
  if (CvarHandle* found = find(TRY(the_tool())->cvar_handles, handle)) return found;
  return FAIL(kErrTInvalidHandle, "handle names no control variable's handle");
}

Result<const AlgoNames*> words_of(void* enumtype) {
  TRY(the_tool());
  for (const AlgoNames& row : kAlgoNames)
    if (enumtype == &row) return &row;
  return FAIL(kErrTInvalidHandle, "enumtype names no enumeration");
}

}  // namespace

Err t_init_thread(int required, int* provided) {
  if (process.tool)
    ++process.tool->users;
  else
    process.tool = new Tool;
  *provided = std::min(granted_level(required), process.threaded ? kThreadMultiple : kThreadSerialized);
  return {};
}

Err t_finalize() {
  Tool* tool = TRY(the_tool());
  if (--tool->users == 0) delete std::exchange(process.tool, nullptr);
  return {};
}

Err t_cvar_get_num(int* num_cvar) {
  TRY(the_tool());
  *num_cvar = int(std::size(kKnobs));
  return {};
}

Err t_cvar_get_index(std::string_view name, int* cvar_index) {
  TRY(the_tool());
  const auto* at = std::ranges::find(kKnobs, name, &Knob::name);
  if (at == std::end(kKnobs)) return FAIL(kErrTInvalidName, "name is \"%.*s\", which is no control variable", int(name.size()), name.data());
  *cvar_index = int(at - kKnobs);
  return {};
}

Err t_cvar_get_info(int cvar_index, char* name, int* name_len, int* verbosity, Ref<Datatype>& datatype, void** enumtype,
                    char* desc, int* desc_len, int* bind, int* scope) {
  TRY(the_tool());
  TRY(in_table(cvar_index, std::size(kKnobs), "cvar_index"));
  const Knob& knob = kKnobs[cvar_index];
  give(knob.name, name, name_len);
  give<int>(kUserBasic, verbosity);
  datatype = Ref<Datatype>(&predefined_type(type_of(knob)));
  give<void*>(nullptr, enumtype);
  give(knob.help, desc, desc_len);
  give<int>(kNoObject, bind);
  give<int>(kScopeAllEq, scope);
  return {};
}

Err t_cvar_handle_alloc(int cvar_index, void*, void** handle, int* count) {
  Tool* tool = TRY(the_tool());
  TRY(in_table(cvar_index, std::size(kKnobs), "cvar_index"));
  *handle = tool->cvar_handles.emplace_back(new CvarHandle{cvar_index}).get();
  *count = is_text(kKnobs[cvar_index]) ? kMostText : 1;
  return {};
}

Err t_cvar_handle_free(void** handle) {
  TRY(handle_of(*handle));
  take(process.tool->cvar_handles, *handle);
  *handle = nullptr;
  return {};
}

Err t_cvar_read(void* handle, void* buf) {
  const Knob& knob = kKnobs[TRY(handle_of(handle))->index];
  const Env env = env_now();
  if (auto* number = std::get_if<std::int64_t Env::*>(&knob.field)) {
    const Count value = env.**number;
    std::memcpy(buf, &value, sizeof value);
    return {};
  }
  int room = kMostText;
  give(env.*std::get<std::string Env::*>(knob.field), static_cast<char*>(buf), &room);
  return {};
}

Err t_cvar_write(void* handle, const void* buf) {
  const Knob& knob = kKnobs[TRY(handle_of(handle))->index];
  if (process.phase.load(std::memory_order_relaxed) != Phase::kBefore)
    return FAIL(kErrTCvarSetNotNow, "%s is read in MPI_Init; set it before", knob.name.data());
  std::string value;
  if (is_text(knob)) {
    const char* text = static_cast<const char*>(buf);
    value.assign(text, strnlen(text, kMostText));
  } else {
    Count number;
    std::memcpy(&number, buf, sizeof number);
    value = std::to_string(number);
  }
  if (Err e = env_set(knob, value)) return FAIL(kErrTInvalid, "%s: %s", knob.name.data(), e.text().c_str());
  return {};
}

Err t_enum_get_info(void* enumtype, int* num, char* name, int* name_len) {
  const AlgoNames& row = *TRY(words_of(enumtype));
  give(algo_count(int(&row - kAlgoNames)), num);
  give(std::string(row.coll) + " algorithms", name, name_len);
  return {};
}

Err t_enum_get_item(void* enumtype, int index, int* value, char* name, int* name_len) {
  const AlgoNames& row = *TRY(words_of(enumtype));
  const std::string_view word = index < 0 ? std::string_view() : algo_name(int(&row - kAlgoNames), index);
  if (word.empty()) return FAIL(kErrTInvalidIndex, "index is %d, which the enumeration does not have", index);
  give(index, value);
  give(word, name, name_len);
  return {};
}

}  // namespace tutti::mpi
