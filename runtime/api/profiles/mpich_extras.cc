// What libmpi.so.12 has beside the functions of the standard's header: conversions of handles and statuses for Fortran
// (handles are Fortran's integers already), functions that MPI-3.0 removed, and constants that are variables.
#include <cstring>

#include "api/profiles/mpich.h"

using namespace tutti;
using tutti::api::Mpich;

#pragma GCC visibility push(default)
extern "C" {

struct MPI_F08_status {
  std::uint32_t count_lo, count_hi_and_cancelled;
  int MPI_SOURCE, MPI_TAG, MPI_ERROR;
};

// Programs pass on what the variables hold. The values are the standard ABI's, so they need no translation.
extern int* const MPI_UNWEIGHTED = const_cast<int*>(kUnweighted);
extern int* const MPI_WEIGHTS_EMPTY = const_cast<int*>(kWeightsEmpty);
extern MPI_T_pvar_handle const MPI_T_PVAR_ALL_HANDLES = reinterpret_cast<MPI_T_pvar_handle>(1);
MPI_Fint* MPI_F_STATUS_IGNORE = nullptr;              // a Fortran binding says where its constants lie
MPI_Fint* MPI_F_STATUSES_IGNORE = nullptr;
MPI_F08_status MPIR_F08_MPI_STATUS_IGNORE_OBJ, MPIR_F08_MPI_STATUSES_IGNORE_OBJ[1];
MPI_F08_status* MPI_F08_STATUS_IGNORE = &MPIR_F08_MPI_STATUS_IGNORE_OBJ;
MPI_F08_status* MPI_F08_STATUSES_IGNORE = MPIR_F08_MPI_STATUSES_IGNORE_OBJ;

// MPI_COMM_DUP_FN, MPI_TYPE_DUP_FN, MPI_WIN_DUP_FN and MPI_DUP_FN.
int MPIR_Dup_fn(MPI_Comm, int, void*, void* value, void* value_out, int* flag) {
  std::memcpy(value_out, &value, sizeof value);
  *flag = 1;
  return kSuccess;
}

// Conversions of statuses: the same 20 bytes in C and in both Fortrans.
static int copy_status(const void* from, void* to) {
  std::memcpy(to, from, sizeof(MPI_Status));
  return kSuccess;
}

MPI_Fint PMPI_Comm_c2f(MPI_Comm handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Comm_c2f(MPI_Comm handle) __attribute__((weak, alias("PMPI_Comm_c2f")));
MPI_Comm PMPI_Comm_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Comm>(handle); }
MPI_Comm MPI_Comm_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Comm_f2c")));
MPI_Fint PMPI_Type_c2f(MPI_Datatype handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Type_c2f(MPI_Datatype handle) __attribute__((weak, alias("PMPI_Type_c2f")));
MPI_Datatype PMPI_Type_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Datatype>(handle); }
MPI_Datatype MPI_Type_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Type_f2c")));
MPI_Fint PMPI_Group_c2f(MPI_Group handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Group_c2f(MPI_Group handle) __attribute__((weak, alias("PMPI_Group_c2f")));
MPI_Group PMPI_Group_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Group>(handle); }
MPI_Group MPI_Group_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Group_f2c")));
MPI_Fint PMPI_Info_c2f(MPI_Info handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Info_c2f(MPI_Info handle) __attribute__((weak, alias("PMPI_Info_c2f")));
MPI_Info PMPI_Info_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Info>(handle); }
MPI_Info MPI_Info_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Info_f2c")));
MPI_Fint PMPI_Request_c2f(MPI_Request handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Request_c2f(MPI_Request handle) __attribute__((weak, alias("PMPI_Request_c2f")));
MPI_Request PMPI_Request_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Request>(handle); }
MPI_Request MPI_Request_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Request_f2c")));
MPI_Fint PMPI_Op_c2f(MPI_Op handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Op_c2f(MPI_Op handle) __attribute__((weak, alias("PMPI_Op_c2f")));
MPI_Op PMPI_Op_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Op>(handle); }
MPI_Op MPI_Op_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Op_f2c")));
MPI_Fint PMPI_Errhandler_c2f(MPI_Errhandler handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Errhandler_c2f(MPI_Errhandler handle) __attribute__((weak, alias("PMPI_Errhandler_c2f")));
MPI_Errhandler PMPI_Errhandler_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Errhandler>(handle); }
MPI_Errhandler MPI_Errhandler_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Errhandler_f2c")));
MPI_Fint PMPI_Win_c2f(MPI_Win handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Win_c2f(MPI_Win handle) __attribute__((weak, alias("PMPI_Win_c2f")));
MPI_Win PMPI_Win_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Win>(handle); }
MPI_Win MPI_Win_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Win_f2c")));
MPI_Fint PMPI_Message_c2f(MPI_Message handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Message_c2f(MPI_Message handle) __attribute__((weak, alias("PMPI_Message_c2f")));
MPI_Message PMPI_Message_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Message>(handle); }
MPI_Message MPI_Message_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Message_f2c")));
MPI_Fint PMPI_Session_c2f(MPI_Session handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_Session_c2f(MPI_Session handle) __attribute__((weak, alias("PMPI_Session_c2f")));
MPI_Session PMPI_Session_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_Session>(handle); }
MPI_Session MPI_Session_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_Session_f2c")));
MPI_Fint PMPI_File_c2f(MPI_File handle) { return Mpich::to_int(handle); }
MPI_Fint MPI_File_c2f(MPI_File handle) __attribute__((weak, alias("PMPI_File_c2f")));
MPI_File PMPI_File_f2c(MPI_Fint handle) { return Mpich::from_int<MPI_File>(handle); }
MPI_File MPI_File_f2c(MPI_Fint handle) __attribute__((weak, alias("PMPI_File_f2c")));
int PMPI_Status_c2f(const MPI_Status *from, MPI_Fint *to) { return copy_status(from, to); }
int MPI_Status_c2f(const MPI_Status *from, MPI_Fint *to) __attribute__((weak, alias("PMPI_Status_c2f")));
int PMPI_Status_f2c(const MPI_Fint *from, MPI_Status *to) { return copy_status(from, to); }
int MPI_Status_f2c(const MPI_Fint *from, MPI_Status *to) __attribute__((weak, alias("PMPI_Status_f2c")));
int PMPI_Status_c2f08(const MPI_Status *from, MPI_F08_status *to) { return copy_status(from, to); }
int MPI_Status_c2f08(const MPI_Status *from, MPI_F08_status *to) __attribute__((weak, alias("PMPI_Status_c2f08")));
int PMPI_Status_f082c(const MPI_F08_status *from, MPI_Status *to) { return copy_status(from, to); }
int MPI_Status_f082c(const MPI_F08_status *from, MPI_Status *to) __attribute__((weak, alias("PMPI_Status_f082c")));
int PMPI_Status_f082f(const MPI_F08_status *from, MPI_Fint *to) { return copy_status(from, to); }
int MPI_Status_f082f(const MPI_F08_status *from, MPI_Fint *to) __attribute__((weak, alias("PMPI_Status_f082f")));
int PMPI_Status_f2f08(const MPI_Fint *from, MPI_F08_status *to) { return copy_status(from, to); }
int MPI_Status_f2f08(const MPI_Fint *from, MPI_F08_status *to) __attribute__((weak, alias("PMPI_Status_f2f08")));

// Questions of MPICH's own about memory of GPUs, which we do not move yet.
int MPIX_Query_cuda_support() { return 0; }
int MPIX_Query_hip_support() { return 0; }
int MPIX_Query_ze_support() { return 0; }
int MPIX_GPU_query_support(int, int* is_supported) {
  *is_supported = 0;
  return kSuccess;
}

// Functions of entry.mpich.gen.cc that took the place of the removed ones.
int PMPI_Get_address(const void*, MPI_Aint*);
int PMPI_Comm_create_errhandler(MPI_Comm_errhandler_function*, MPI_Errhandler*);
int PMPI_Comm_get_errhandler(MPI_Comm, MPI_Errhandler*);
int PMPI_Comm_set_errhandler(MPI_Comm, MPI_Errhandler);
int PMPI_Type_get_extent(MPI_Datatype, MPI_Aint*, MPI_Aint*);
int PMPI_Type_create_hindexed(int, const int[], const MPI_Aint[], MPI_Datatype, MPI_Datatype*);
int PMPI_Type_create_hvector(int, int, MPI_Aint, MPI_Datatype, MPI_Datatype*);
int PMPI_Type_create_struct(int, const int[], const MPI_Aint[], const MPI_Datatype[], MPI_Datatype*);

int PMPI_Address(void *location, MPI_Aint *address) { return PMPI_Get_address(location, address); }
int MPI_Address(void *location, MPI_Aint *address) __attribute__((weak, alias("PMPI_Address")));
int PMPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler) {
  return PMPI_Comm_create_errhandler(function, errhandler);
}
int MPI_Errhandler_create(MPI_Comm_errhandler_function *function, MPI_Errhandler *errhandler) __attribute__((weak, alias("PMPI_Errhandler_create")));
int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler) {
  return PMPI_Comm_get_errhandler(comm, errhandler);
}
int MPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler) __attribute__((weak, alias("PMPI_Errhandler_get")));
int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) { return PMPI_Comm_set_errhandler(comm, errhandler); }
int MPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler) __attribute__((weak, alias("PMPI_Errhandler_set")));
int PMPI_Type_extent(MPI_Datatype type, MPI_Aint *extent) {
  MPI_Aint lb;
  return PMPI_Type_get_extent(type, &lb, extent);
}
int MPI_Type_extent(MPI_Datatype type, MPI_Aint *extent) __attribute__((weak, alias("PMPI_Type_extent")));
int PMPI_Type_lb(MPI_Datatype type, MPI_Aint *lb) {
  MPI_Aint extent;
  return PMPI_Type_get_extent(type, lb, &extent);
}
int MPI_Type_lb(MPI_Datatype type, MPI_Aint *lb) __attribute__((weak, alias("PMPI_Type_lb")));
int PMPI_Type_ub(MPI_Datatype type, MPI_Aint *ub) {
  MPI_Aint lb, extent;
  const int code = PMPI_Type_get_extent(type, &lb, &extent);
  if (code == kSuccess) *ub = lb + extent;
  return code;
}
int MPI_Type_ub(MPI_Datatype type, MPI_Aint *ub) __attribute__((weak, alias("PMPI_Type_ub")));
int PMPI_Type_hindexed(int n, int lengths[], MPI_Aint places[], MPI_Datatype type, MPI_Datatype *made) {
  return PMPI_Type_create_hindexed(n, lengths, places, type, made);
}
int MPI_Type_hindexed(int n, int lengths[], MPI_Aint places[], MPI_Datatype type, MPI_Datatype *made) __attribute__((weak, alias("PMPI_Type_hindexed")));
int PMPI_Type_hvector(int n, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made) {
  return PMPI_Type_create_hvector(n, length, stride, type, made);
}
int MPI_Type_hvector(int n, int length, MPI_Aint stride, MPI_Datatype type, MPI_Datatype *made) __attribute__((weak, alias("PMPI_Type_hvector")));
int PMPI_Type_struct(int n, int lengths[], MPI_Aint places[], MPI_Datatype types[], MPI_Datatype *made) {
  return PMPI_Type_create_struct(n, lengths, places, types, made);
}
int MPI_Type_struct(int n, int lengths[], MPI_Aint places[], MPI_Datatype types[], MPI_Datatype *made) __attribute__((weak, alias("PMPI_Type_struct")));

}  // extern "C"
#pragma GCC visibility pop
