// MPI-5.0 section 15.3.7: performance variables. A handle that runs counts; those of levels and states always do.
#include <algorithm>
#include <cstring>

#include "api/body.gen.h"
#include "data/datatype.h"
#include "tool/tool.h"

namespace tutti::mpi {
namespace {

using namespace tool;

BasicId type_of(const Pvar& v) { return v.kind == kState ? BasicId::kInt : BasicId::kUnsignedLongLong; }
void* const kAllHandles = reinterpret_cast<void*>(1);

Result<PvarSession*> session_of(void* pe_session) {
  if (PvarSession* found = find(TRY(the_tool())->sessions, pe_session)) return found;
  return FAIL(kErrTInvalidSession, "pe_session names no session of performance variables");
}

Result<PvarHandle*> handle_of(void* pe_session, void* handle) {
  if (PvarHandle* found = find(TRY(session_of(pe_session))->handles, handle)) return found;
  return FAIL(kErrTInvalidHandle, "handle names no performance variable's handle of this session");
}

std::vector<std::uint64_t> now(const Pvar& v) {
  std::vector<std::uint64_t> values(std::size_t(v.count));
  v.read(v, values.data());
  return values;
}

// What the handle has seen so far.
std::vector<std::uint64_t> value_of(const PvarHandle& h) {
  if (h.variable.continuous()) return now(h.variable);
  std::vector<std::uint64_t> values = h.sum;
  if (!h.running) return values;
  const auto current = now(h.variable);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] += current[i] - h.since[i];
  return values;
}

void run(PvarHandle& h) {
  if (h.running) return;
  if (h.variable.begin) h.variable.begin();
  h.since = now(h.variable);
  h.running = true;
}

void pause(PvarHandle& h) {
  h.sum = value_of(h);
  h.running = false;
}

void set(PvarHandle& h, std::vector<std::uint64_t> values) {
  h.sum = std::move(values);
  h.since = now(h.variable);
}

void clear(PvarHandle& h) { set(h, std::vector<std::uint64_t>(std::size_t(h.variable.count))); }

// Does it to one handle that may change, or to all of a session that may.
template <class Act>
Err change(void* pe_session, void* handle, int refusal, const char* why, Act act) {
  if (handle != kAllHandles) {
    PvarHandle* h = TRY(handle_of(pe_session, handle));
    if (h->variable.continuous()) return FAIL(refusal, "%s %s", h->variable.name.c_str(), why);
    act(*h);
    return {};
  }
  for (const auto& h : TRY(session_of(pe_session))->handles)
    if (!h->variable.continuous()) act(*h);
  return {};
}

}  // namespace

Err t_pvar_get_num(int* num_pvar) {
  *num_pvar = int(TRY(the_tool())->pvars.size());
  return {};
}

Err t_pvar_get_index(std::string_view name, int var_class, int* pvar_index) {
  const auto& all = TRY(the_tool())->pvars;
  const auto at = std::ranges::find_if(all, [&](const Pvar& v) { return v.name == name && v.kind == var_class; });
  if (at == all.end())
    return FAIL(kErrTInvalidName, "name is \"%.*s\", which is no performance variable of class %d", int(name.size()), name.data(), var_class);
  *pvar_index = int(at - all.begin());
  return {};
}

Err t_pvar_get_info(int pvar_index, char* name, int* name_len, int* verbosity, int* var_class, Ref<Datatype>& datatype,
                    void** enumtype, char* desc, int* desc_len, int* bind, int* readonly, int* continuous, int* atomic) {
  const auto& all = TRY(the_tool())->pvars;
  TRY(in_table(pvar_index, all.size(), "pvar_index"));
  const Pvar& v = all[std::size_t(pvar_index)];
  give(v.name, name, name_len);
  give(v.verbosity, verbosity);
  give<int>(v.kind, var_class);
  datatype = Ref<Datatype>(&predefined_type(type_of(v)));
  give<void*>(const_cast<AlgoNames*>(v.words), enumtype);
  give(v.description, desc, desc_len);
  give<int>(kNoObject, bind);
  give<int>(v.continuous(), readonly);
  give<int>(v.continuous(), continuous);
  give(0, atomic);
  return {};
}

Err t_pvar_session_create(void** pe_session) {
  *pe_session = TRY(the_tool())->sessions.emplace_back(new PvarSession).get();
  return {};
}

Err t_pvar_session_free(void** pe_session) {
  TRY(session_of(*pe_session));
  take(process.tool->sessions, *pe_session);
  *pe_session = nullptr;
  return {};
}

Err t_pvar_handle_alloc(void* pe_session, int pvar_index, void*, void** handle, int* count) {
  PvarSession* session = TRY(session_of(pe_session));
  TRY(in_table(pvar_index, process.tool->pvars.size(), "pvar_index"));
  const Pvar& v = process.tool->pvars[std::size_t(pvar_index)];
  *handle = session->handles.emplace_back(new PvarHandle{v, false, {}, std::vector<std::uint64_t>(std::size_t(v.count))})
                .get();
  *count = v.count;
  return {};
}

Err t_pvar_handle_free(void* pe_session, void** handle) {
  TRY(handle_of(pe_session, *handle));
  take(find(process.tool->sessions, pe_session)->handles, *handle);
  *handle = nullptr;
  return {};
}

Err t_pvar_start(void* pe_session, void* handle) {
  return change(pe_session, handle, kErrTPvarNoStartStop, "always runs", run);
}

Err t_pvar_stop(void* pe_session, void* handle) {
  return change(pe_session, handle, kErrTPvarNoStartStop, "always runs", pause);
}

Err t_pvar_reset(void* pe_session, void* handle) {
  return change(pe_session, handle, kErrTPvarNoWrite, "is read only", clear);
}

Err t_pvar_read(void* pe_session, void* handle, void* buf) {
  const PvarHandle& h = *TRY(handle_of(pe_session, handle));
  const auto values = value_of(h);
  if (h.variable.kind == kState) {
    const int state = int(values[0]);
    std::memcpy(buf, &state, sizeof state);
    return {};
  }
  std::memcpy(buf, values.data(), values.size() * sizeof values[0]);
  return {};
}

Err t_pvar_readreset(void* pe_session, void* handle, void* buf) {
  if (TRY(handle_of(pe_session, handle))->variable.continuous())
    return FAIL(kErrTPvarNoWrite, "the variable is read only");
  TRY(t_pvar_read(pe_session, handle, buf));
  return t_pvar_reset(pe_session, handle);
}

Err t_pvar_write(void* pe_session, void* handle, const void* buf) {
  TRY(handle_of(pe_session, handle));
  return change(pe_session, handle, kErrTPvarNoWrite, "is read only", [&](PvarHandle& h) {
    std::vector<std::uint64_t> values(std::size_t(h.variable.count));
    std::memcpy(values.data(), buf, values.size() * sizeof values[0]);
    set(h, std::move(values));
  });
}

}  // namespace tutti::mpi
