#!/usr/bin/env python3
"""Runs the Intel MPI Benchmarks of the impi-rt on PyPI, binaries for libmpi.so.12, to their end. Usage: imb_test.py BUILD [--full]

Every benchmark that they list; a test is one benchmark at one number of ranks, passed when it reports and the run ends
well. --full: 4 ranks too, messages up to 4 MiB. Needs build-imb (tools/prepare --tests).
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "build-imb/bin"
FULL = "--full" in sys.argv
SECONDS = 300
SIZES = ["-msglog", "0:22" if FULL else "0:14", "-iter", "20", "-time", "0.1"]
# Program, options that keep it short, threads; the names of all its benchmarks, default or not.
PURE = ["allgather", "allgatherv", "allreduce", "alltoall", "alltoallv", "barrier", "bcast", "gather", "gatherv", "reduce",
        "reduce_scatter", "scatter", "scatterv"]
MT = ["AllReduceMT", "BarrierMT", "BcastMT", "BiBandMT", "ExchangeMT", "PingPingMT", "PingPongMT", "ReduceMT", "SendRecvMT",
      "UniBandMT"]
SUITES = [
    ("IMB-MPI1", SIZES, 1,
     ["Allgather", "Allgatherv", "Allreduce", "Alltoall", "Alltoallv", "Barrier", "Bcast", "Biband", "Exchange", "Gather",
      "Gatherv", "PingPing", "PingPingAnySource", "PingPingSpecificSource", "PingPong", "PingPongAnySource",
      "PingPongSpecificSource", "Reduce", "Reduce_local", "Reduce_scatter", "Reduce_scatter_block", "Scatter",
      "Scatterv", "Sendrecv", "Uniband"]),
    ("IMB-NBC", SIZES, 1, [f"I{name}{end}" for name in PURE for end in ("", "_pure")]),
    ("IMB-P2P", [*SIZES, "-pause", "0"], 1,
     ["PingPong", "PingPing", "Unirandom", "Birandom", "Corandom", "Stencil2D", "Stencil3D", "SendRecv_Replace"]),
    ("IMB-MT", ["-count", "1,16,1024", "-repeat", "20"], 1, MT),
    ("IMB-MT", ["-thread_level", "multiple", "-repeat", "10", "-warmup", "2", "-count", "1,1024"], 2, MT),
]
# What a benchmark does not run on so few ranks.
NEEDS = {"Stencil2D": 4, "Stencil3D": 8}


def run(build, program, options, threads, names, ranks):
    """Names of the benchmarks that printed a table, and what went wrong, if anything did."""
    names = [n for n in names if NEEDS.get(n, 2) <= ranks]
    command = [build / "bin/mpirun", "-q", "--oversubscribe", "--timeout", SECONDS, "-np", ranks, BIN / program]
    command += [",".join(names), *options] if program == "IMB-MT" else [*options, *names]
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", env={**os.environ, "OMP_NUM_THREADS": str(threads)})
    shown = set(re.findall(r"^# Benchmarking:? (\w+)", done.stdout, re.M)) | set(re.findall(r"^# Benchmark: (\w+)", done.stdout, re.M))
    missing = [n for n in names if n.lower() not in {s.lower() for s in shown}]
    bad = re.search(r"error|differ|invalid", done.stdout, re.I) if done.returncode == 0 else None
    fault = f"exit code {done.returncode}" if done.returncode else f"says {bad[0]!r}" if bad else ""
    return names, missing, fault, done.stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    if not (BIN / "IMB-MPI1").exists():
        print("SKIP: build-imb has no IMB-MPI1 (tools/prepare --tests installs it)\n0 passed, 0 failed, 1 skipped")
        return 77
    passed = failed = 0
    for ranks in (2, 4) if FULL else (2,):
        for program, *suite in SUITES:
            names, missing, fault, out = run(build, program, *suite, ranks)
            bad = len(names) if fault else len(missing)
            passed, failed = passed + len(names) - bad, failed + bad
            if bad: print(f"FAILED {program} on {ranks} ranks: {fault} no table of {', '.join(missing) or 'none'}\n{out[-3000:]}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


sys.exit(main())
