// Every knob: a field here and a row in kKnobs, from which `mpirun --help-env`, `tutti info` and the checks of
// TUTTI_* names come. Read once at start (env_read), then const. env.cc holds the project's only getenv.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/err.h"

namespace tutti {

struct Env {
  std::string debug;                    // "info", "debug", "debug:p2p,coll"; empty: errors and warnings (log.h)
  std::string debug_subsystems;         // "p2p,coll"
  std::string transport = "auto";       // auto | shm | ucx
  std::string algo;                     // "allreduce=ring:64K-;bcast=^tree" (algo_names.h)
  std::string errhandler = "mpi_errors_are_fatal";   // of the first communicators
  std::string determinism = "default";  // default | strict
  std::string rates;                    // file of coll/rates_file.h; empty: the one that `tutti tune` wrote, if any
  std::int64_t eager_bytes = 16384;     // largest message sent through shared memory without a handshake
  std::int64_t spin_us = 50;            // how long a wait spins before it sleeps, ranks <= CPUs
  std::string single_copy = "auto";     // auto | off: process_vm_readv for large messages
  std::string net_if;                   // "ib0,eth0" or "^docker0" (machine/interfaces.h); empty: as UCX chooses
};

// What is wrong with a value that has a grammar of its own; a text each, which names the variable and the nearest valid
// word.
std::vector<std::string> faults_of_algo(std::string_view value);   // algo_names.cc
std::vector<std::string> faults_of_debug(std::string_view value);  // log.cc
std::vector<std::string> faults_of_subsystems(std::string_view value);

// size: a byte count with an optional k, m or g suffix; word: one of `words` unless those are empty.
struct Knob {
  std::string_view name;
  std::variant<std::string Env::*, std::int64_t Env::*> field;
  std::string_view help;
  std::string_view words = "";          // "auto|shm|ucx", or "" for any number or text
  std::vector<std::string> (*faults)(std::string_view value) = nullptr;
};

inline constexpr Knob kKnobs[] = {
    {"TUTTI_DEBUG", &Env::debug, "what to tell on stderr: error, warn, info or debug; info:tuning,p2p tells only of some of init, graph, tuning, coll, p2p, ucx", "",
     faults_of_debug},
    {"TUTTI_DEBUG_SUBSYS", &Env::debug_subsystems, "the same areas in a variable of their own: tuning,coll", "", faults_of_subsystems},
    {"TUTTI_TRANSPORT", &Env::transport, "what carries messages: auto, or shm or ucx for all of them", "auto|shm|ucx"},
    {"TUTTI_ALGO", &Env::algo, "force or exclude collective algorithms by size, @ranks and %nodes: allreduce=ring,tree:64K-@8-%2-;bcast=^tree, or a file of rules, rules.json (tutti info names them); rank 0's counts", "",
     faults_of_algo},
    {"TUTTI_DETERMINISM", &Env::determinism, "strict: reductions give the same bits on any placement of the ranks, for any size (slower); rank 0's counts", "default|strict"},
    {"TUTTI_RATES", &Env::rates, "how fast the machine is, for the choice of algorithms: a file as tutti tune writes it; rank 0's counts"},
    {"TUTTI_ERRHANDLER", &Env::errhandler, "error handler that MPI_COMM_WORLD and MPI_COMM_SELF begin with", "mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return"},
    {"TUTTI_EAGER", &Env::eager_bytes, "largest message sent without a handshake, bytes; k and m suffixes"},
    {"TUTTI_SPIN", &Env::spin_us, "microseconds a wait spins before it sleeps when ranks fit the CPUs"},
    {"TUTTI_SINGLE_COPY", &Env::single_copy, "read large messages straight from the sender (process_vm_readv) where the kernel allows it", "auto|off"},
    {"TUTTI_NET_IF", &Env::net_if, "network interfaces that carry messages between nodes: ib0,eth0 are these alone, ^docker0,eth1 all but these (tutti topo names them; UCX_NET_DEVICES goes before)"},
};

// A TUTTI_* variable that is wrong: unknown name or value that does not parse.
struct EnvFault {
  std::string variable;
  std::string text;                     // names the variable, the value and the nearest valid one
};

struct EnvRead {
  Env env;
  std::vector<EnvFault> faults;         // mpirun refuses to start on any; a library warns once
};

// Reads environ. Names of TUTTI_ variables that belong to tools (TUTTI_CC, TUTTI_CXX) are accepted.
EnvRead env_read();
// The same from "NAME=value" strings, for tests and for mpirun's -x.
EnvRead env_read_from(std::span<const char* const> variables);
// Sets a knob's variable for this process, before it reads them. Errors: a value that makes no sense.
Err env_set(const Knob& knob, const std::string& value);
// A variable that is not a knob (HOME, SLURM_JOB_ID ...); "" when unset.
std::string env_other(const char* name);
// "64K" -> 65536. An error names the text and what would be valid.
Result<std::int64_t> parse_bytes(std::string_view text);

}  // namespace tutti
