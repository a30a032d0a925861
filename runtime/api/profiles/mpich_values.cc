// The constants of MPICH's ABI beside those of the standard ABI: what the two headers call by the same name.
#include <algorithm>
#include <span>

#include "api/profiles/mpich.h"
#include "api/profiles/mpich_values.h"

namespace tutti::api {
namespace {

struct Pair {
  int standard, mpich;
};

constexpr Pair kClasses[] = {
    {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}, {6, 6}, {7, 19}, {8, 7}, {9, 8}, {10, 9}, {11, 10}, {12, 11}, {13, 12},
    {14, 13}, {15, 14}, {16, 15}, {17, 16}, {18, 18}, {19, 17}, {20, 20}, {21, 21}, {22, 53}, {23, 22}, {24, 46},
    {25, 23}, {26, 52}, {27, 24}, {28, 25}, {29, 26}, {30, 27}, {31, 29}, {32, 31}, {33, 30}, {34, 28}, {35, 32},
    {36, 48}, {37, 47}, {38, 33}, {39, 34}, {40, 35}, {41, 36}, {42, 37}, {43, 38}, {44, 39}, {45, 40}, {46, 56},
    {47, 49}, {48, 55}, {49, 57}, {50, 50}, {51, 41}, {52, 51}, {53, 42}, {54, 43}, {55, 44}, {56, 45}, {57, 58},
    {58, 76}, {59, 77}, {60, 75}, {61, 80}, {62, 81}, {1001, 61}, {1002, 79}, {1003, 60}, {1004, 78}, {1005, 59},
    {1006, 74}, {1007, 62}, {1008, 63}, {1009, 67}, {1010, 64}, {1011, 73}, {1012, 65}, {1013, 66}, {1014, 68},
    {1015, 69}, {1016, 71}, {1017, 70}, {1018, 72},
};
constexpr Pair kThreads[] = {{0, 0}, {1024, 1}, {2048, 2}, {4096, 3}};
constexpr Pair kComparisons[] = {{201, 0}, {202, 1}, {203, 2}, {204, 3}};
constexpr Pair kTopologies[] = {{211, 2}, {212, 1}, {213, 3}};
constexpr Pair kSplitTypes[] = {{221, 1}, {222, 3}, {223, 2}, {224, 4}};
constexpr Pair kCombiners[] = {{101, 1}, {102, 2}, {103, 3}, {104, 4}, {105, 6}, {106, 7}, {107, 9}, {108, 10}, {109, 19},
                               {110, 12}, {111, 13}, {112, 14}, {113, 15}, {114, 16}, {115, 17}, {116, 18}, {117, 20}};
constexpr Pair kOrders[] = {{12, 56}, {15, 57}};
constexpr Pair kDistributions[] = {{16, 123}, {17, 121}, {18, 122}, {19, -49767}};
constexpr Pair kTypeclasses[] = {{192, 2}, {193, 1}, {194, 3}};
constexpr Pair kLockTypes[] = {{301, 234}, {302, 235}};
constexpr Pair kKeyvals[] = {{0, 0x24000000}, {501, 0x64400001}, {502, 0x64400005}, {503, 0x64400003},
                             {504, 0x64400007}, {505, 0x6440000d}, {506, 0x6440000b}, {507, 0x64400009},
                             {601, 0x66000001}, {602, 0x66000005}, {603, 0x66000003}, {604, 0x66000007},
                             {605, 0x66000009}};

constexpr Pair kVerbosities[] = {{9, 221}, {10, 222}, {12, 223}, {17, 224}, {18, 225}, {20, 226}, {33, 227}, {34, 228}, {36, 229}};
constexpr Pair kBinds[] = {{1, 9700}, {2, 9701}, {3, 9702}, {4, 9703}, {5, 9704}, {6, 9705}, {7, 9706},
                           {8, 9707}, {9, 9708}, {10, 9709}, {11, 9710}, {12, 9711}};
constexpr Pair kScopes[] = {{1, 60438}, {2, 60439}, {3, 60440}, {4, 60441}, {5, 60442}, {6, 60443}, {7, 60444}};
constexpr Pair kPvarClasses[] = {{1, 240}, {2, 241}, {3, 242}, {4, 243}, {5, 244}, {6, 245}, {7, 246}, {8, 247}, {9, 248}, {10, 249}};

constexpr Predefined kPredefined[] = {
    // communicators, groups, error handlers, info, messages
    {0x101, 0x44000000}, {0x102, 0x44000001},
    {0x109, 0x48000000},
    {0x141, 0x54000000}, {0x142, 0x54000003}, {0x143, 0x54000001},
    {0x131, 0x5c000001},
    {0x129, 0x6c000000},
    // operations
    {0x21, 0x58000003}, {0x22, 0x58000002}, {0x23, 0x58000001}, {0x24, 0x58000004}, {0x28, 0x58000006},
    {0x29, 0x58000008}, {0x2a, 0x5800000a}, {0x30, 0x58000005}, {0x31, 0x58000007}, {0x32, 0x58000009},
    {0x38, 0x5800000b}, {0x39, 0x5800000c}, {0x3c, 0x5800000d}, {0x3d, 0x5800000e},
    // datatypes
    {0x201, 0x4c000843}, {0x202, 0x4c000845}, {0x203, 0x4c000844}, {0x207, 0x4c00010f}, {0x208, 0x4c000203},
    {0x209, 0x4c000405}, {0x20a, 0x4c000807}, {0x20b, 0x4c000809}, {0x20c, 0x4c000204}, {0x20d, 0x4c000406},
    {0x20e, 0x4c000808}, {0x20f, 0x4c000819}, {0x210, 0x4c00040a}, {0x212, 0x4c000840}, {0x213, 0x4c000834},
    {0x214, 0x4c00080b}, {0x216, 0x4c001041}, {0x217, 0x4c001035}, {0x218, 0x4c00041d}, {0x219, 0x4c00041b},
    {0x21a, 0x4c00041c}, {0x21b, 0x4c00081e}, {0x21c, 0x4c00081f}, {0x21d, 0x4c001022}, {0x21e, 0x4c00011a},
    {0x220, 0x4c00100c}, {0x224, 0x4c002042}, {0x225, 0x4c002036}, {0x228, 0x8c000000}, {0x229, 0x8c000001},
    {0x22a, 0x8c000002}, {0x22b, 0x4c000816}, {0x22c, 0x8c000003}, {0x22d, 0x8c000004}, {0x230, 0x4c000821},
    {0x231, 0x4c001023}, {0x232, 0x4c000820}, {0x238, 0x4c00013f}, {0x239, 0x4c000133}, {0x23c, 0x4c00040e},
    {0x240, 0x4c000137}, {0x241, 0x4c00013b}, {0x243, 0x4c000101}, {0x244, 0x4c000118}, {0x245, 0x4c000102},
    {0x247, 0x4c00010d}, {0x248, 0x4c000238}, {0x249, 0x4c00023c}, {0x250, 0x4c000439}, {0x251, 0x4c00043d},
    {0x258, 0x4c00083a}, {0x259, 0x4c00083e}, {0x2c0, 0x4c000147}, {0x2c1, 0x4c00012d}, {0x2c8, 0x4c000248},
    {0x2c9, 0x4c00022f}, {0x2ca, 0x4c000226}, {0x2d0, 0x4c000449}, {0x2d1, 0x4c000430}, {0x2d2, 0x4c000427},
    {0x2d3, 0x4c00042e}, {0x2d8, 0x4c00084a}, {0x2d9, 0x4c000831}, {0x2da, 0x4c000829}, {0x2db, 0x4c000828},
    {0x2e0, 0x4c00104b}, {0x2e1, 0x4c001032}, {0x2e2, 0x4c00102b}, {0x2e3, 0x4c00102a}, {0x2eb, 0x4c00202c},
};

std::span<const Pair> table(Value kind) {
  switch (kind) {
    case Value::kThread: return kThreads;
    case Value::kComparison: return kComparisons;
    case Value::kTopology: return kTopologies;
    case Value::kSplitType: return kSplitTypes;
    case Value::kCombiner: return kCombiners;
    case Value::kOrder: return kOrders;
    case Value::kDistribution: return kDistributions;
    case Value::kTypeclass: return kTypeclasses;
    case Value::kKeyval: return kKeyvals;
    case Value::kVerbosity: return kVerbosities;
    case Value::kBind: return kBinds;
    case Value::kScope: return kScopes;
    case Value::kPvarClass: return kPvarClasses;
    case Value::kLockType: return kLockTypes;
    case Value::kCode: return kClasses;
    case Value::kRank:
    case Value::kTag:
    case Value::kAssert:
    case Value::kAbiVersion: break;                    // by other means
  }
  return {};
}

// Codes of the library: a mark, a number that never is 0, the class in the lowest byte (base/error_code.h). This ABI
// wants them at most MPI_ERR_LASTCODE, so the mark goes; and users' codes above that, so they move up.
constexpr int kMark = 1 << 30, kLastcode = kMark - 1;

}  // namespace

std::uint32_t mpich_handle(std::uint32_t standard) {
  const auto* row = std::ranges::find(kPredefined, standard, &Predefined::standard);
  return row == std::end(kPredefined) ? 0 : row->mpich;
}

// A value of this ABI that has no row is passed on, for the body to complain about, unless it would mean something.
int Mpich::table_in(Value kind, int value) {
  const std::span<const Pair> rows = table(kind);
  if (const auto row = std::ranges::find(rows, value, &Pair::mpich); row != rows.end()) return row->standard;
  // A darg of 19 is a block of that size in both.
  if (kind == Value::kDistribution || std::ranges::find(rows, value, &Pair::standard) == rows.end()) return value;
  return -1;
}

int Mpich::table_out(Value kind, int value) {
  const std::span<const Pair> rows = table(kind);
  const auto row = std::ranges::find(rows, value, &Pair::standard);
  return row == rows.end() ? value : row->mpich;
}

int Mpich::code_out(int code) {
  if (code == kErrLastcode) return kLastcode;
  if (code > kErrLastcode && code < kMark) return code - kErrLastcode + kLastcode;
  if (code < kMark) return table_out(Value::kCode, code);
  return (code & ~kMark & ~0xff) | table_out(Value::kCode, code & 0xff);
}

int Mpich::code_in(int code) {
  if (code == kLastcode) return kErrLastcode;
  if (code > kLastcode) return code - kLastcode + kErrLastcode;
  if (code > 0xff) return kMark | (code & ~0xff) | std::max(0, table_in(Value::kCode, code & 0xff));
  const int mpi_class = table_in(Value::kCode, code);
  return mpi_class == code && code > 62 ? -1 : mpi_class;
}

}  // namespace tutti::api
