#include "base/error_code.h"

#include <array>

namespace tutti {
namespace {

struct Row {
  int mpi_class;
  std::string_view name, meaning;
};

constexpr Row kRows[] = {
    {kSuccess, "MPI_SUCCESS", "no error"},
    {kErrBuffer, "MPI_ERR_BUFFER", "invalid buffer"},
    {kErrCount, "MPI_ERR_COUNT", "invalid count"},
    {kErrType, "MPI_ERR_TYPE", "invalid datatype"},
    {kErrTag, "MPI_ERR_TAG", "invalid tag"},
    {kErrComm, "MPI_ERR_COMM", "invalid communicator"},
    {kErrRank, "MPI_ERR_RANK", "invalid rank"},
    {kErrRequest, "MPI_ERR_REQUEST", "invalid request"},
    {kErrRoot, "MPI_ERR_ROOT", "invalid root"},
    {kErrGroup, "MPI_ERR_GROUP", "invalid group"},
    {kErrOp, "MPI_ERR_OP", "invalid reduction operation"},
    {kErrTopology, "MPI_ERR_TOPOLOGY", "invalid topology"},
    {kErrDims, "MPI_ERR_DIMS", "invalid dimension"},
    {kErrArg, "MPI_ERR_ARG", "invalid argument"},
    {kErrUnknown, "MPI_ERR_UNKNOWN", "unknown error"},
    {kErrTruncate, "MPI_ERR_TRUNCATE", "message longer than the receive buffer"},
    {kErrOther, "MPI_ERR_OTHER", "an error that has no class of its own"},
    {kErrIntern, "MPI_ERR_INTERN", "error inside the MPI library"},
    {kErrPending, "MPI_ERR_PENDING", "operation neither failed nor completed yet"},
    {kErrInStatus, "MPI_ERR_IN_STATUS", "see the error field of each status"},
    {kErrAccess, "MPI_ERR_ACCESS", "permission denied"},
    {kErrAmode, "MPI_ERR_AMODE", "invalid access mode"},
    {kErrAssert, "MPI_ERR_ASSERT", "invalid assertion"},
    {kErrBadFile, "MPI_ERR_BAD_FILE", "invalid file name"},
    {kErrBase, "MPI_ERR_BASE", "invalid base address"},
    {kErrConversion, "MPI_ERR_CONVERSION", "a data conversion function failed"},
    {kErrDisp, "MPI_ERR_DISP", "invalid displacement"},
    {kErrDupDatarep, "MPI_ERR_DUP_DATAREP", "data representation already defined"},
    {kErrFileExists, "MPI_ERR_FILE_EXISTS", "file exists"},
    {kErrFileInUse, "MPI_ERR_FILE_IN_USE", "file is open"},
    {kErrFile, "MPI_ERR_FILE", "invalid file handle"},
    {kErrInfoKey, "MPI_ERR_INFO_KEY", "info key too long or empty"},
    {kErrInfoNokey, "MPI_ERR_INFO_NOKEY", "info key not defined"},
    {kErrInfoValue, "MPI_ERR_INFO_VALUE", "info value too long or empty"},
    {kErrInfo, "MPI_ERR_INFO", "invalid info object"},
    {kErrIo, "MPI_ERR_IO", "input or output failed"},
    {kErrKeyval, "MPI_ERR_KEYVAL", "invalid attribute key"},
    {kErrLocktype, "MPI_ERR_LOCKTYPE", "invalid lock type"},
    {kErrName, "MPI_ERR_NAME", "service name not published"},
    {kErrNoMem, "MPI_ERR_NO_MEM", "out of memory"},
    {kErrNotSame, "MPI_ERR_NOT_SAME", "collective argument differs between ranks"},
    {kErrNoSpace, "MPI_ERR_NO_SPACE", "not enough space"},
    {kErrNoSuchFile, "MPI_ERR_NO_SUCH_FILE", "no such file"},
    {kErrPort, "MPI_ERR_PORT", "invalid port name"},
    {kErrQuota, "MPI_ERR_QUOTA", "quota exceeded"},
    {kErrReadOnly, "MPI_ERR_READ_ONLY", "read-only file or file system"},
    {kErrRmaAttach, "MPI_ERR_RMA_ATTACH", "memory cannot be attached"},
    {kErrRmaConflict, "MPI_ERR_RMA_CONFLICT", "conflicting accesses to a window"},
    {kErrRmaRange, "MPI_ERR_RMA_RANGE", "target memory is not part of the window"},
    {kErrRmaShared, "MPI_ERR_RMA_SHARED", "memory cannot be shared"},
    {kErrRmaSync, "MPI_ERR_RMA_SYNC", "wrong synchronisation of one-sided calls"},
    {kErrService, "MPI_ERR_SERVICE", "invalid service name"},
    {kErrSize, "MPI_ERR_SIZE", "invalid size"},
    {kErrSpawn, "MPI_ERR_SPAWN", "processes could not be started"},
    {kErrUnsupportedDatarep, "MPI_ERR_UNSUPPORTED_DATAREP", "unsupported data representation"},
    {kErrUnsupportedOperation, "MPI_ERR_UNSUPPORTED_OPERATION", "unsupported operation"},
    {kErrWin, "MPI_ERR_WIN", "invalid window"},
    {kErrRmaFlavor, "MPI_ERR_RMA_FLAVOR", "wrong flavour of window"},
    {kErrProcAborted, "MPI_ERR_PROC_ABORTED", "a peer process has ended"},
    {kErrValueTooLarge, "MPI_ERR_VALUE_TOO_LARGE", "value does not fit its argument"},
    {kErrSession, "MPI_ERR_SESSION", "invalid session"},
    {kErrErrhandler, "MPI_ERR_ERRHANDLER", "invalid error handler"},
    {kErrAbi, "MPI_ERR_ABI", "error of the binary interface"},
    {kErrTCannotInit, "MPI_T_ERR_CANNOT_INIT", "the tool interface cannot be initialised now"},
    {kErrTNotAccessible, "MPI_T_ERR_NOT_ACCESSIBLE", "what was asked for cannot be reached"},
    {kErrTNotInitialized, "MPI_T_ERR_NOT_INITIALIZED", "MPI_T_init_thread has not been called"},
    {kErrTNotSupported, "MPI_T_ERR_NOT_SUPPORTED", "what was asked for is not supported"},
    {kErrTMemory, "MPI_T_ERR_MEMORY", "out of memory"},
    {kErrTInvalid, "MPI_T_ERR_INVALID", "invalid argument"},
    {kErrTInvalidIndex, "MPI_T_ERR_INVALID_INDEX", "there is none of this index"},
    {kErrTInvalidItem, "MPI_T_ERR_INVALID_ITEM", "there is no such item"},
    {kErrTInvalidSession, "MPI_T_ERR_INVALID_SESSION", "invalid session of performance variables"},
    {kErrTInvalidHandle, "MPI_T_ERR_INVALID_HANDLE", "invalid handle of the tool interface"},
    {kErrTInvalidName, "MPI_T_ERR_INVALID_NAME", "there is none of this name"},
    {kErrTOutOfHandles, "MPI_T_ERR_OUT_OF_HANDLES", "no more handles"},
    {kErrTOutOfSessions, "MPI_T_ERR_OUT_OF_SESSIONS", "no more sessions"},
    {kErrTCvarSetNotNow, "MPI_T_ERR_CVAR_SET_NOT_NOW", "the control variable cannot be set now"},
    {kErrTCvarSetNever, "MPI_T_ERR_CVAR_SET_NEVER", "the control variable cannot be set any more"},
    {kErrTPvarNoWrite, "MPI_T_ERR_PVAR_NO_WRITE", "the performance variable cannot be written"},
    {kErrTPvarNoStartStop, "MPI_T_ERR_PVAR_NO_STARTSTOP", "the performance variable cannot be started or stopped"},
    {kErrTPvarNoAtomic, "MPI_T_ERR_PVAR_NO_ATOMIC", "the performance variable cannot be read and written in one step"},
};

constexpr int kMark = 1 << 30, kRing = 256;

struct Memory {
  std::array<std::string, kRing> texts;
  std::array<int, kRing> codes{};
  unsigned next = 1;                          // so that no code is 0 but for its mark and class
  std::string in_status;  // text of the latest MPI_ERR_IN_STATUS
};

Memory& memory() {
  static Memory* m = new Memory;              // codes may be asked for after main
  return *m;
}

}  // namespace

int remember_error(const Err& err) {
  if (!err) return kSuccess;
  Memory& m = memory();
  if (err.mpi_class() == kErrInStatus) {
    m.in_status = err.text();
    return kErrInStatus;
  }
  const unsigned at = m.next++ % kRing, generation = (m.next - 1) / kRing & 0x3fff;
  if (err.mpi_class() > 255) return err.mpi_class();
  const int code = kMark | static_cast<int>(generation << 16) | static_cast<int>(at << 8) | err.mpi_class();
  m.texts[at] = err.text();
  m.codes[at] = code;
  return code;
}

bool is_remembered(int code) { return code > 0 && (code & kMark); }

int class_of_code(int code) { return is_remembered(code) ? code & 0xff : code; }

std::string text_of_code(int code) {
  if (is_remembered(code)) {
    const Memory& m = memory();
    const auto at = static_cast<std::size_t>(code >> 8 & 0xff);
    if (m.codes[at] == code) return std::string(name_of_class(code & 0xff)) + ": " + m.texts[at];
    code &= 0xff;
  }
  if (code == kErrInStatus && !memory().in_status.empty())
    return std::string(name_of_class(code)) + ": " + memory().in_status;
  for (const Row& row : kRows)
    if (row.mpi_class == code) return std::string(row.name) + ": " + std::string(row.meaning);
  return "";
}

std::string_view name_of_class(int mpi_class) {
  for (const Row& row : kRows)
    if (row.mpi_class == mpi_class) return row.name;
  return "";
}

}  // namespace tutti
