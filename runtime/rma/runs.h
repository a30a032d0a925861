// Where typed data lie at a target, in a form that travels: stretches of elements of one basic type. And what one-sided
// operations do to such stretches, wherever they are carried out: by the origin in memory that it has mapped, or by the
// target for an origin that has not. Pure; any thread.
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "data/datatype.h"
#include "data/op.h"

namespace tutti::rma {

// `times` stretches of `elements` each, the first at `disp` bytes, the others `stride` bytes apart.
struct Run {
  Count disp, elements, times, stride;
};

// The stretches of `count` elements of `type`, in packed order. basic: the one basic type of all elements, or kByte.
std::vector<Run> runs_of(Count count, const Datatype& type, BasicId basic);

// From the first byte to one past the last, relative to where disp counts from.
struct Span {
  Count low = 0, high = 0;
};
Span span_of(Count count, const Datatype& type);
// The same of what another process sent: false when a length is not positive, or a product does not fit 62 bits.
bool span_of(const Run& run, BasicId basic, Span& span);

// `packed` holds the elements without gaps, one after the other.
void put(std::byte* base, std::span<const Run> runs, const std::byte* packed);
void get(const std::byte* base, std::span<const Run> runs, std::byte* packed);
// target = target op origin for each element. old: when not null, gets what was there before.
void accumulate(const Op& op, BasicId basic, std::byte* base, std::span<const Run> runs, const std::byte* packed,
                std::byte* old);

}  // namespace tutti::rma
