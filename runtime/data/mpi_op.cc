// Bodies of MPI_Op_* and MPI_Reduce_local (MPI-5.0 sections 6.9.5 and 6.9.7).
#include "api/body.gen.h"
#include "data/op.h"

namespace tutti::mpi {

Err op_create(const Callback& user_fn, int commute, Ref<Op>& op) {
  op = make_ref<Op>(user_fn.fn, user_fn.large, commute != 0, *user_fn.profile);
  return {};
}

Err op_free(Ref<Op>& op) {
  if (!op) return FAIL(kErrOp, "op is MPI_OP_NULL");
  if (op->predefined) return FAIL(kErrOp, "op is %s, which is predefined and cannot be freed", op->name().data());
  op = nullptr;
  return {};
}

Err op_commutative(Op& op, int* commute) {
  *commute = op.commutes;
  return {};
}

Err reduce_local(const void* inbuf, void* inoutbuf, Count count, Datatype& datatype, Op& op) {
  TRY(check(op, datatype));
  if (count > 0 && inbuf == inoutbuf) return FAIL(kErrBuffer, "inbuf and inoutbuf are the same buffer");
  reduce(op, datatype, inbuf, inoutbuf, count);
  return {};
}

}  // namespace tutti::mpi
