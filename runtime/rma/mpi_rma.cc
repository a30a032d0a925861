// MPI-5.0 section 12.3: one-sided communication.
#include "api/body.gen.h"
#include "rma/access.h"

namespace tutti::mpi {
namespace {

using rma::Local;
using rma::Remote;

Local origin(const void* buffer, Count count, Datatype& type) { return {const_cast<void*>(buffer), count, type, "origin"}; }
Local result(void* buffer, Count count, Datatype& type) { return {buffer, count, type, "result"}; }

// Types that MPI_Compare_and_swap takes: integers, logicals and bytes.
bool comparable(const Datatype& type) {
  if (type.basic() == BasicId::kNone) return false;
  switch (basic_type(type.basic()).type_class) {
    case TypeClass::kSigned:
    case TypeClass::kUnsigned:
    case TypeClass::kFortranInteger:
    case TypeClass::kLogical:
    case TypeClass::kByte:
    case TypeClass::kMulti: return true;
    default: return false;
  }
}

Err need_pointer(const void* p, const char* name) {
  return p ? Err() : FAIL(kErrBuffer, "%s is a null pointer", name);
}

}  // namespace

Err put(const void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank, Count target_disp,
        Count target_count, Datatype& target_datatype, Win& win) {
  return rma::put(win, origin(origin_addr, origin_count, origin_datatype),
                  {target_rank, target_disp, target_count, target_datatype});
}

Err rput(const void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank, Count target_disp,
         Count target_count, Datatype& target_datatype, Win& win, Ref<Request>& request) {
  return rma::put(win, origin(origin_addr, origin_count, origin_datatype),
                  {target_rank, target_disp, target_count, target_datatype}, &request);
}

Err get(void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank, Count target_disp,
        Count target_count, Datatype& target_datatype, Win& win) {
  return rma::get(win, origin(origin_addr, origin_count, origin_datatype),
                  {target_rank, target_disp, target_count, target_datatype});
}

Err rget(void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank, Count target_disp,
         Count target_count, Datatype& target_datatype, Win& win, Ref<Request>& request) {
  return rma::get(win, origin(origin_addr, origin_count, origin_datatype),
                  {target_rank, target_disp, target_count, target_datatype}, &request);
}

Err accumulate(const void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank, Count target_disp,
               Count target_count, Datatype& target_datatype, Op& op, Win& win) {
  return rma::accumulate(win, origin(origin_addr, origin_count, origin_datatype), nullptr,
                         {target_rank, target_disp, target_count, target_datatype}, op);
}

Err raccumulate(const void* origin_addr, Count origin_count, Datatype& origin_datatype, int target_rank, Count target_disp,
                Count target_count, Datatype& target_datatype, Op& op, Win& win, Ref<Request>& request) {
  return rma::accumulate(win, origin(origin_addr, origin_count, origin_datatype), nullptr,
                         {target_rank, target_disp, target_count, target_datatype}, op, &request);
}

Err get_accumulate(const void* origin_addr, Count origin_count, Datatype& origin_datatype, void* result_addr,
                   Count result_count, Datatype& result_datatype, int target_rank, Count target_disp, Count target_count,
                   Datatype& target_datatype, Op& op, Win& win) {
  const Local old = result(result_addr, result_count, result_datatype);
  return rma::accumulate(win, origin(origin_addr, origin_count, origin_datatype), &old,
                         {target_rank, target_disp, target_count, target_datatype}, op);
}

Err rget_accumulate(const void* origin_addr, Count origin_count, Datatype& origin_datatype, void* result_addr,
                    Count result_count, Datatype& result_datatype, int target_rank, Count target_disp, Count target_count,
                    Datatype& target_datatype, Op& op, Win& win, Ref<Request>& request) {
  const Local old = result(result_addr, result_count, result_datatype);
  return rma::accumulate(win, origin(origin_addr, origin_count, origin_datatype), &old,
                         {target_rank, target_disp, target_count, target_datatype}, op, &request);
}

Err fetch_and_op(const void* origin_addr, void* result_addr, Datatype& datatype, int target_rank, Count target_disp, Op& op,
                 Win& win) {
  if (datatype.basic() == BasicId::kNone)
    return FAIL(kErrType, "datatype is %s; it must be a predefined one", datatype.describe().c_str());
  const Local old = result(result_addr, 1, datatype);
  return rma::accumulate(win, origin(origin_addr, 1, datatype), &old, {target_rank, target_disp, 1, datatype}, op);
}

Err compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, Datatype& datatype,
                     int target_rank, Count target_disp, Win& win) {
  if (!comparable(datatype))
    return FAIL(kErrType, "datatype is %s; it must be a predefined type of integers, logicals or bytes",
                datatype.describe().c_str());
  TRY(need_pointer(origin_addr, "origin_addr"));
  TRY(need_pointer(compare_addr, "compare_addr"));
  TRY(need_pointer(result_addr, "result_addr"));
  return rma::compare_and_swap(win, origin_addr, compare_addr, result_addr, {target_rank, target_disp, 1, datatype});
}

}  // namespace tutti::mpi
