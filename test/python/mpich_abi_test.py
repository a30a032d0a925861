#!/usr/bin/env python3
"""Programs built for MPICH's libmpi.so.12 run on ours, and those of the standard ABI on either library.

mpich_abi_test.py BUILD

Builds mpich_abi.c with MPICH's own mpi.h (build-peers, made by tools/prepare --tests) and runs it with 1 to 4 ranks; looks
at the names that the library offers; runs train as MPICH's mpicxx_abi built it on ours, and ours on MPICH. Ends with "N passed, N failed, N skipped".
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Variables that programs and Fortran bindings take from libmpi.so.12, and functions beyond the standard's header.
NAMES = ["MPI_UNWEIGHTED", "MPI_WEIGHTS_EMPTY", "MPI_F_STATUS_IGNORE", "MPI_F_STATUSES_IGNORE", "MPI_F08_STATUS_IGNORE",
         "MPI_F08_STATUSES_IGNORE", "MPI_T_PVAR_ALL_HANDLES", "MPIR_Dup_fn", "MPI_Comm_c2f", "PMPI_File_f2c", "MPI_Status_f082c",
         "MPI_Address", "MPI_Type_struct", "MPI_Errhandler_set",
         "MPIX_Query_cuda_support", "MPIX_GPU_query_support"]


def sh(command, **more):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120, **more)
    return done.returncode, done.stdout


def names_of(library):
    return {line.split()[2] for line in sh(["nm", "-D", "--defined-only", library])[1].splitlines()} - {"tutti_skin_standard"}


def linked_with_both(build, peers, folder, result):
    program = folder / "both"
    code, out = sh(["cc", "-w", f"-I{peers / 'include'}", ROOT / "test/python/cmake/hello.c", "-o", program, "-Wl,--no-as-needed",
                    f"-L{build / 'lib'}", "-lmpi", "-lmpi_abi"])
    result(code == 0, "a program links with both libraries", out)
    code, out = sh([build / "bin/mpirun", "-q", "-np", 1, program])
    result(code == 0 and "libmpi_abi.so.1 (standard ABI) and libmpi.so.12 (MPICH's ABI) are both linked into this program" in out,
           "a program linked with both libraries is told", out)


def swap(build, peers, folder, result):
    """One binary, two libraries: train tells which it runs on, and whether it learnt what it should."""
    theirs = folder / "train"
    code, out = sh([peers / "bin/mpicxx_abi", "-std=gnu++20", "-O1", "-w", "-DTUTTI_DIGITS_CSV=\"\"", f"-I{ROOT}", *(ROOT / "bench").glob("train*.cc"),
                    ROOT / "bench/options.cc", "-o", theirs])
    result(code == 0, "mpicxx_abi builds train", out)
    options = ["--data", ROOT / "bench/data/digits.csv", "--epochs", 10]
    code, out = sh([build / "bin/mpirun", "-q", "-np", 3, theirs, *options])
    result(code == 0 and "MPI:   tutti" in out, "train of mpicxx_abi runs on tutti", out)
    on_theirs = {**os.environ, "LD_LIBRARY_PATH": str(peers / "lib")}
    code, out = sh([peers / "bin/mpiexec", "-n", 3, build / "bin/train", *options], env=on_theirs)
    result(code == 0 and "MPI:   MPICH" in out, "train of our mpicxx runs on MPICH", out)


def main():
    build, peers = pathlib.Path(sys.argv[1]).resolve(), ROOT / "build-peers"
    if not (peers / "include/mpi.h").exists():
        print("SKIP: build-peers is not there (tools/prepare --tests makes it)\n0 passed, 0 failed, 1 skipped")
        return 77
    results = []

    def result(good, what, text=""):
        results.append(good)
        if not good: print(f"FAILED {what}\n{text}", flush=True)

    ours, standard = build / "lib/libmpi.so.12", build / "lib/libmpi_abi.so.1"
    soname = sh(["objdump", "-p", ours])[1]
    result(re.search(r"SONAME +libmpi\.so\.12\n", soname), "its SONAME is libmpi.so.12", soname)
    missing = (names_of(standard) | set(NAMES)) - names_of(ours)
    result(not missing, "every function of the standard and of MPICH's own is there", " ".join(sorted(missing)))
    result((build / "lib/libmpich.so.12").exists(), "the library's former name is there")
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "mpich_abi"
        for pie in ["-pie", "-no-pie"]:                 # the latter copies the library's variables into the program
            code, out = sh(["cc", "-Wall", "-Wextra", pie, "-fPIE" if pie == "-pie" else "-fno-pie", f"-I{peers / 'include'}",
                            ROOT / "test/python/mpich_abi.c", "-o", program, f"-L{build / 'lib'}", "-lmpi"])
            result(code == 0, f"it builds with {pie}", out)
            for ranks in [1, 2, 3, 4] if code == 0 else []:
                code, out = sh([build / "bin/mpirun", "-q", "--timeout", 60, "-np", ranks, program])
                result(code == 0 and ", 0 failed" in out, f"{pie} with {ranks} ranks: exit code {code}", out)
        linked_with_both(build, peers, pathlib.Path(folder), result)
        swap(build, peers, pathlib.Path(folder), result)
    print(f"{sum(map(bool, results))} passed, {len(results) - sum(map(bool, results))} failed, 0 skipped")
    return int(not all(results))


sys.exit(main())
