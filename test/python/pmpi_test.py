#!/usr/bin/env python3
"""A preloaded PMPI tool sees the calls of programs of either ABI. Usage: pmpi_test.py BUILD"""
import os
import pathlib
import re
import subprocess
import sys

from sentences import Skip, run_tests

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]


def profile(tool, ranks, *command, env=None):
    """{function: calls} of a run under the tool."""
    done = subprocess.run([BUILD / "bin/mpirun", "-q", "--oversubscribe", "--timeout", "60", "-np", str(ranks), "-x",
                           f"LD_PRELOAD={BUILD / 'lib' / tool}", *map(str, command)], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, env={**os.environ, **(env or {})}, timeout=90)
    if done.returncode: raise AssertionError(f"exit code {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    if not re.search(rf"^MPI calls of {ranks} ranks in [\d.]+ s: [\d.]+ % of the time$", done.stderr, re.M):
        raise AssertionError("no table:\n" + done.stderr[-2000:])
    return {name: int(calls) for name, calls in re.findall(r"^  (MPI_\w+) +(\d+) +[\d.]+ +[\d.]+ +[\d.]+$", done.stderr, re.M)}


def expect(got, **wanted):
    for name, calls in wanted.items():
        if got.get(name) != calls: raise AssertionError(f"{name}: {got.get(name)} calls instead of {calls}; all: {got}")


def test_a_program_of_the_standard_ABI(tmp):
    got = profile("libpmpi_profile.so", 4, BUILD / "bin/train")
    expect(got, MPI_Scatterv=8)
    if got["MPI_Allreduce"] % 4: raise AssertionError(got)


def test_a_program_built_for_MPICH(tmp):
    source = tmp / "main.c"
    source.write_text("#include <mpi.h>\nint main(void) { int x = 1, y; MPI_Init(0, 0); for (int i = 0; i < 5; ++i) "
                      "MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); MPI_Barrier(MPI_COMM_WORLD); MPI_Finalize(); return y < 1; }\n")
    header = ROOT / "build-peers/include"
    if not (header / "mpi.h").exists(): raise Skip
    subprocess.run(["cc", source, "-I", header, "-o", tmp / "main", f"-L{BUILD / 'lib'}", "-l:libmpi.so.12"], check=True)
    expect(profile("libpmpi_profile_mpich.so", 3, tmp / "main"), MPI_Allreduce=15, MPI_Barrier=3)


sys.exit(run_tests(globals()))
