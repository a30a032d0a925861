#!/usr/bin/env python3
"""Programs of Debian that were built for MPICH run unchanged under our mpirun and compute what they should.

mpich_programs_test.py BUILD [--full]      --full: all of ScaLAPACK's programs, not a few
"""
import functools
import os
import re
import sys

from programs import FULL, HOME, MPIRUN, debian, good, main, test

PACKAGES = ["libmpich12", "mpich", "libblas3", "liblapack3", "libgfortran5", "libslurm38"]
FLUORIDE = """{"bagel": [
  {"title": "molecule", "basis": "SHARE/svp.json", "df_basis": "SHARE/svp-jkfit.json", "angstrom": false,
   "geometry": [{"atom": "F", "xyz": [0, 0, 3.720616]}, {"atom": "H", "xyz": [0, 0, 0.305956]}]},
  {"title": "hf", "thresh": 1e-10}]}
"""


@functools.cache
def unpacked(*packages):
    """The folder, and an environment that finds the packages' libraries."""
    root = debian(*PACKAGES, *packages)
    lib = root / "usr/lib/x86_64-linux-gnu"
    variables = {**os.environ, "LD_LIBRARY_PATH": f"{lib}:{lib}/blas:{lib}/lapack", "OMP_NUM_THREADS": "1", "BAGEL_NUM_THREADS": "1"}
    return root, variables


def ours(ranks, *command): return [MPIRUN, "-q", "--timeout", 120, "-np", ranks, *command]


@test
def NetPIPE_measures_messages():
    root, variables = unpacked("netpipe-mpich2")
    out = good(*ours(2, root / "usr/bin/NPmpich2", "-u", 65536, "-n", 20, "-I"), env=variables, cwd=HOME)
    assert len(re.findall(r"bytes +20 times --> +[\d.]+ Mbps", out)) > 50, out[-2000:]


@test
def BAGEL_finds_the_energy_it_finds_on_MPICH():
    root, variables = unpacked("bagel", "libboost-serialization1.74.0", "libxc9")
    (HOME / "hf.json").write_text(FLUORIDE.replace("SHARE", str(root / "usr/share/bagel")))
    energies = []
    for command in ours(2), ours(4), [root / "usr/bin/mpiexec.hydra", "-n", 2]:
        out = good(*command, root / "usr/bin/BAGEL", HOME / "hf.json", env=variables, cwd=HOME)
        energies.append(re.findall(r"^ +\d+ +(-\d+\.\d{8}) ", out, re.M)[-1])
    assert len(set(energies)) == 1 and energies[0].startswith("-99.708"), energies


@test
def ScaLAPACK_passes_its_own_tests():
    root, variables = unpacked("scalapack-mpi-test", "scalapack-test-common", "libscalapack-mpich2.2")
    folder = root / "usr/lib/x86_64-linux-gnu/scalapack/mpich-tests"
    others = {"xCbtest", "xFbtest"} | {f"x{kind}llt" for kind in "scdz"}      # in some runs the latter's ranks take different branches and hang, with MPICH just as with us
    names = sorted({p.name for p in folder.glob("x*")} - others)
    checks = 0
    for name in names if FULL else ["xslu", "xdqr", "xcinv", "xdls", "xzhrd"]:
        out = good(*ours(4, folder / name), env=variables, cwd=folder)
        checks += sum(map(int, re.findall(r"^ *(\d+) tests completed and passed", out, re.M)))
        assert not re.search(r"^ *[1-9]\d* tests completed and failed", out, re.M), f"{name}:\n{out[-3000:]}"
    assert checks > 2000, checks


sys.exit(main())
