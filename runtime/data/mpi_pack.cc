// Bodies of MPI_Pack, MPI_Unpack and their external forms (MPI-5.0 sections 5.2 and 5.3). Packed data has no header:
// size bytes an element, so that pack_size is exact and messages of packed data match their type.
#include "api/body.gen.h"
#include "data/pack.h"

namespace tutti::mpi {
namespace {

using LL = long long;

Result<Count> packed_size(const char* count_name, Count count, const Datatype& type) {
  Count bytes = 0;
  if (__builtin_mul_overflow(count, type.size(), &bytes))
    return too_many(count, type, count_name);
  return bytes;
}

// Whether `bytes` fit between position and the end of the packed buffer.
Err check_room(const char* buffer_name, const void* buffer, const char* size_name, Count size, Count position, Count bytes) {
  if (position < 0) return FAIL(kErrArg, "position is %lld, but must be 0 or more", LL{position});
  if (!buffer && bytes > 0) return FAIL(kErrBuffer, "%s is a null pointer, but %lld bytes are needed", buffer_name, LL{bytes});
  if (position <= size && bytes <= size - position) return {};
  return FAIL(kErrTruncate, "%s is %lld, but %lld bytes from position %lld on are needed", size_name, LL{size},
              LL{bytes}, LL{position});
}

Err check_datarep(const char* datarep) {
  if (std::string_view(datarep) == "external32") return {};
  return FAIL(kErrArg, "datarep is \"%s\", but must be \"external32\"", datarep);
}

std::byte* at(void* buffer, Count position) { return static_cast<std::byte*>(buffer) + position; }
const std::byte* at(const void* buffer, Count position) { return static_cast<const std::byte*>(buffer) + position; }

}  // namespace

Err pack(const void* inbuf, Count incount, Datatype& datatype, void* outbuf, Count outsize, Out position, Comm&) {
  const Count bytes = TRY(packed_size("incount", incount, datatype)), start = position.get();
  TRY(check_room("outbuf", outbuf, "outsize", outsize, start, bytes));
  data::pack(inbuf, incount, datatype, 0, at(outbuf, start), static_cast<std::size_t>(bytes));
  position.set(start + bytes);
  return {};
}

Err unpack(const void* inbuf, Count insize, Out position, void* outbuf, Count outcount, Datatype& datatype, Comm&) {
  const Count bytes = TRY(packed_size("outcount", outcount, datatype)), start = position.get();
  TRY(check_room("inbuf", inbuf, "insize", insize, start, bytes));
  data::unpack(outbuf, outcount, datatype, 0, at(inbuf, start), static_cast<std::size_t>(bytes));
  position.set(start + bytes);
  return {};
}

Err pack_size(Count incount, Datatype& datatype, Comm&, Out size) {
  size.set(TRY(packed_size("incount", incount, datatype)));
  return {};
}

Err pack_external(const char* datarep, const void* inbuf, Count incount, Datatype& datatype, void* outbuf,
                  Count outsize, Out position) {
  TRY(check_datarep(datarep));
  const Count bytes = TRY(data::external_size(incount, datatype)), start = position.get();
  TRY(check_room("outbuf", outbuf, "outsize", outsize, start, bytes));
  TRY(data::external_pack(inbuf, incount, datatype, at(outbuf, start)));
  position.set(start + bytes);
  return {};
}

Err unpack_external(const char* datarep, const void* inbuf, Count insize, Out position, void* outbuf, Count outcount,
                    Datatype& datatype) {
  TRY(check_datarep(datarep));
  const Count bytes = TRY(data::external_size(outcount, datatype)), start = position.get();
  TRY(check_room("inbuf", inbuf, "insize", insize, start, bytes));
  data::external_unpack(outbuf, outcount, datatype, at(inbuf, start));
  position.set(start + bytes);
  return {};
}

Err pack_external_size(const char* datarep, Count incount, Datatype& datatype, Out size) {
  TRY(check_datarep(datarep));
  size.set(TRY(data::external_size(incount, datatype)));
  return {};
}

}  // namespace tutti::mpi
