#!/usr/bin/env python3
"""mpi4py's wheel finds our library, where another MPI is installed too and without mpirun; mpirun tells of a rank that
uses another MPI; the examples for mpi4py run. Usage: mpi4py_shim_test.py BUILD

Needs build-venv and build-peers (tools/prepare --tests). test/programs/pip_test.py has the long ones.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from mpi4py_test import wheel
from sentences import run_tests

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv[1]).resolve()
MPIRUN = BUILD / "bin/mpirun"
EXAMPLES = ROOT / "bindings/mpi4py_shim/examples"
PEERS = ROOT / "build-peers"                          # a virtual environment that holds PyPI's mpich
NUMPY = ROOT / "build-venv/bin/python"
HELLO = """from mpi4py import MPI
print("rank", MPI.COMM_WORLD.rank, "of", MPI.COMM_WORLD.size, MPI.Get_library_version().split()[0])
"""


def run(*command, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("MPI4PY_", "TUTTI_"))}
    environment.update({"PYTHONPATH": str(wheel(BUILD)), "PYTHONDONTWRITEBYTECODE": "1", **{k: str(v) for k, v in variables.items()}})
    done = subprocess.run([str(c) for c in command], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def ours(out, ranks):
    wanted = sorted(f"rank {r} of {ranks} tutti" for r in range(ranks))
    assert sorted(out.splitlines()) == wanted, out


def test_ours_is_used_in_an_environment_that_holds_mpich(tmp):
    code, out, err = run(MPIRUN, "-q", "-np", 4, PEERS / "bin/python", "-c", HELLO)
    assert code == 0, err
    ours(out, 4)


def test_ours_is_used_by_a_script_that_mpi4py_runs(tmp):
    (tmp / "hello.py").write_text(HELLO)
    code, out, err = run(MPIRUN, "-q", "-np", 2, "python3", "-m", "mpi4py", tmp / "hello.py")
    assert code == 0, err
    ours(out, 2)


def test_without_mpirun_a_script_is_a_world_of_one(tmp):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp / "venv")], check=True)
    for library in (BUILD / "lib").glob("*.so*"): shutil.copy(library, tmp / "venv/lib")
    code, out, err = run(tmp / "venv/bin/python", "-c", HELLO)
    assert code == 0, err
    ours(out, 1)


def told_of(library, make, remedy, *command, **variables):
    _, _, err = run(MPIRUN, "-q", "--timeout", 60, "-np", 2, *command, **variables)
    line = [l for l in err.splitlines() if "another MPI" in l]
    wanted = (rf"mpirun: rank [01] \(pid \d+, [^)]+\) has loaded another MPI, {re.escape(str(library))} \({make}\), so it is a "
              rf"world of its own, not a rank of this job; {remedy}; leave MPI4PY_LIBMPI and MPI4PY_MPIABI unset")
    assert len(line) == 1 and re.fullmatch(wanted, line[0]), err


def test_a_script_that_loads_mpich_is_told_of(tmp):
    library = PEERS / "lib/libmpi.so.12"
    told_of(library.resolve(), "MPICH's binary interface", rf"let it find ours in {re.escape(str(BUILD))}/lib by LD_LIBRARY_PATH",
            PEERS / "bin/python", "-c", HELLO, MPI4PY_LIBMPI=library)


def test_a_program_that_loads_open_mpi_is_told_of_below_a_shell(tmp):
    (tmp / "mpi.c").write_text("int MPI_Init(void) { return 0; }\n")
    (tmp / "main.c").write_text("#include <stdio.h>\nint MPI_Init(void);\nint main(void) { MPI_Init(); return getchar(); }\n")
    library = tmp / "libmpi.so.40"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi.so.40", tmp / "mpi.c", "-o", library], check=True)
    subprocess.run(["cc", tmp / "main.c", library, f"-Wl,-rpath,{tmp}", "-o", tmp / "main"], check=True)
    told_of(library, "Open MPI", "build it with tutti's mpicc, or start it with that MPI's mpirun",
            "sh", "-c", f"sleep 1 | {tmp}/main; exit 1")


def test_a_rank_whose_loader_has_not_come_to_our_core_yet_is_not_told_of(tmp):
    (tmp / "mpi.c").write_text("int MPI_Init(void) { return 0; }\n")
    (tmp / "main.c").write_text("#include <unistd.h>\nint MPI_Init(void);\nint main(void) { MPI_Init(); return sleep(1); }\n")
    library = tmp / "libmpi_abi.so.1"
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.1", tmp / "mpi.c", "-o", library], check=True)
    subprocess.run(["cc", tmp / "main.c", library, f"-Wl,-rpath,{tmp}", "-Wl,--disable-new-dtags", "-o", tmp / "main"], check=True)
    assert "another MPI" in run(MPIRUN, "-q", "-np", 1, tmp / "main")[2]
    (tmp / "libtutti.so.0").touch()
    code, out, err = run(MPIRUN, "-q", "-np", 1, tmp / "main")
    assert (code, err) == (0, ""), (code, err)


def test_a_script_without_mpi_is_not_told_of(tmp):
    code, out, err = run(MPIRUN, "-q", "-np", 2, PEERS / "bin/python", "-c", "import ctypes; print('fine')")
    assert (code, out, err) == (0, "fine\nfine\n", ""), (code, out, err)


def test_the_allreduce_example_runs(tmp):
    for ranks in (1, 3):
        code, out, err = run(MPIRUN, "-q", "-np", ranks, NUMPY, EXAMPLES / "allreduce.py", 5000)
        assert code == 0 and out.startswith(f"{ranks} ranks, tutti") and out.count("\n") == 6, out + err


def test_the_train_example_learns_the_same_on_any_number_of_ranks(tmp):
    curves = {}
    for ranks in (1, 2, 4):
        code, out, err = run(MPIRUN, "-q", "-np", ranks, NUMPY, EXAMPLES / "train.py", "--csv", tmp / "curve", OMP_NUM_THREADS=1)
        assert code == 0 and float(re.search(r"([\d.]+) % of the unseen digits right\n\Z", out)[1]) >= 95, out + err
        curves[ranks] = [float(loss) for loss in (tmp / "curve").read_text().split()]
        assert len(curves[ranks]) == 20
        for loss, alone in zip(curves[ranks], curves[1]): assert abs(loss - alone) <= 1e-9 * alone, (ranks, loss, alone)


def main():
    if not (NUMPY.exists() and (PEERS / "bin/python").exists()):
        print("SKIP: build-venv or build-peers is not there (tools/prepare --tests makes them)\n0 passed, 0 failed, 1 skipped")
        return 77
    return run_tests(globals())


sys.exit(main())
