#include "test/unit/catch.h"

#include "comm/user_errors.h"

using namespace tutti;

TEST_CASE("added classes and codes lie above MPI_ERR_LASTCODE and carry their texts") {
  const int a = comm::add_error_class();
  CHECK(a > kErrLastcode);
  CHECK(comm::last_used_code() == a);
  const int code = comm::add_error_code(a).take(), of_mpi = comm::add_error_code(kErrIo).take();
  CHECK(code > a);
  CHECK(comm::user_error_class(code) == a);
  CHECK(comm::user_error_class(a) == a);
  CHECK(comm::user_error_class(of_mpi) == int{kErrIo});
  CHECK(comm::user_error_string(code) == "");
  CHECK_FALSE(comm::add_error_string(code, "no beans left"));
  CHECK(comm::user_error_string(code) == "no beans left");
  CHECK_FALSE(comm::user_error_string(kErrIo));
  CHECK_FALSE(comm::user_error_class(comm::last_used_code() + 1));
}

TEST_CASE("errors are removed codes first, and their numbers do not return") {
  const int a = comm::add_error_class(), code = comm::add_error_code(a).take();
  CHECK(comm::remove_error_class(a).mpi_class() == kErrArg);
  CHECK(comm::remove_error_class(code).mpi_class() == kErrArg);
  CHECK(comm::remove_error_code(a).mpi_class() == kErrArg);
  CHECK(comm::remove_error_string(code).mpi_class() == kErrArg);
  CHECK_FALSE(comm::add_error_string(code, "x"));
  CHECK_FALSE(comm::remove_error_string(code));
  CHECK(comm::user_error_string(code) == "");
  CHECK_FALSE(comm::remove_error_code(code));
  CHECK_FALSE(comm::is_user_error(code));
  CHECK_FALSE(comm::remove_error_class(a));
  CHECK(comm::add_error_class() > code);
}

TEST_CASE("MPI's own errors and unknown numbers cannot be changed") {
  for (const int bad : {-1, 0, int{kErrRank}, int{kErrLastcode}, 1 << 30}) {
    CHECK(comm::add_error_string(bad, "x").mpi_class() == kErrArg);
    CHECK(comm::remove_error_class(bad).mpi_class() == kErrArg);
    CHECK(comm::remove_error_code(bad).mpi_class() == kErrArg);
  }
  CHECK(comm::add_error_code(0).err().mpi_class() == kErrArg);
  CHECK(comm::add_error_code(kErrLastcode).err().mpi_class() == kErrArg);
}
