#!/usr/bin/env python3
"""Builds mpi4py from its PyPI source with our mpicc and runs its own tests under our mpirun; then the same with PyPI's
wheel, which is built for MPICH and gets our libmpi.so.12.

mpi4py_test.py BUILD [--full] [FILE ...]     FILE: test_p2p_buf and so on; default: the files of FILES

Needs build-venv (tools/prepare --tests). Ends with "N passed, N failed, N skipped"; mpi4py's own skips (no second GPU
array library and the like) are no tests of ours and are not counted.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSION = "4.1.2"
RANKS = [1, 3, 5]
FILES = ["test_p2p_buf", "test_p2p_buf_matched", "test_p2p_obj", "test_p2p_obj_matched", "test_cco_buf", "test_cco_vec",
         "test_cco_obj", "test_cco_nb_buf", "test_cco_nb_vec", "test_cco_pr_buf", "test_cco_pr_vec",
         "test_cco_buf_inter", "test_cco_vec_inter", "test_cco_obj_inter", "test_cco_ngh_buf", "test_cco_ngh_obj",
         "test_cco_pr_ngh_buf", "test_comm", "test_comm_inter", "test_comm_topo", "test_group", "test_datatype",
         "test_op", "test_request", "test_status", "test_attributes", "test_errhandler", "test_errorcode",
         "test_exceptions", "test_info", "test_pack", "test_environ", "test_msgzero", "test_address", "test_mpimem",
         "test_handle", "test_objmodel"]
# mpi4py tests that need what unsupported.txt lists: files.
LACKING = ["TestErrhandlerFile", "testSafeFreeCreated"]
SECONDS = 300


def sh(command, **more):
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", **more)
    return done.returncode, done.stdout


def prepare(build):
    """Folder with mpi4py's tests; builds and installs it into BUILD/mpi4py/site when it or mpi.h has changed."""
    home, python = build / "mpi4py", ROOT / "build-venv/bin/python"
    key = hashlib.sha256((ROOT / "runtime/api/mpi.h").read_bytes() + VERSION.encode()).hexdigest()
    stamp, source = home / "stamp", home / f"mpi4py-{VERSION}"
    if stamp.exists() and stamp.read_text() == key: return python, home / "site", source / "test"
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    print(f"mpi4py: building {VERSION} with {build / 'bin/mpicc'} (some minutes)", flush=True)
    environment = {**os.environ, "MPICC": str(build / "bin/mpicc"), "MPI4PY_BUILD_MPICC": str(build / "bin/mpicc"), "CFLAGS": "-O1 -g0"}
    steps = [[python, "-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:", "-d", home, f"mpi4py=={VERSION}"],
             ["tar", "-xzf", home / f"mpi4py-{VERSION}.tar.gz", "-C", home],
             [python, "-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation", "--target", home / "site", source]]
    for step in steps:
        code, out = sh(step, env=environment)
        if code:
            print(out[-6000:])
            print("0 passed, 1 failed, 0 skipped")
            sys.exit(1)
    stamp.write_text(key)
    return python, home / "site", source / "test"


def wheel(build):
    """Folder with the unchanged wheel."""
    home = build / "mpi4py" / f"wheel-{VERSION}"
    if (home / "mpi4py").exists(): return home
    code, out = sh([ROOT / "build-venv/bin/python", "-m", "pip", "install", "-q", "--no-deps", "--only-binary", ":all:",
                    "--target", home, f"mpi4py=={VERSION}"])
    if code: print(out[-3000:])
    return home


def one(build, python, site, tests, name, ranks):
    """(passed, failed) of one file at one size; prints what failed."""
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("MPI4PY_")}, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [build / "bin/mpirun", "--timeout", SECONDS, "-np", ranks, python, tests / "main.py", "--no-builddir", "-q"]
    for pattern in LACKING: command += ["-x", pattern]
    command.append(name)
    try: code, out = sh(command, env=environment, cwd=tests, timeout=SECONDS + 30)
    except subprocess.TimeoutExpired: code, out = 124, "no end"
    ran = re.findall(r"^Ran (\d+) tests?", out, re.M)
    count = int(ran[0]) if ran else 0
    skipped = int((re.findall(r"skipped=(\d+)", out) or [0])[0])
    bad = sum(int(n) for n in re.findall(r"(?:failures|errors|unexpected successes)=(\d+)", out.split("Ran ", 1)[-1].splitlines()[-1] if ran else ""))
    if code == 0 and ran: return count - skipped, 0
    print(f"FAILED {name} of {site.name} np {ranks}: exit code {code}\n{out[-5000:]}", flush=True)
    return max(0, count - skipped - bad), max(bad, 1)


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    build, files = pathlib.Path(arguments[0]).resolve(), arguments[1:] or FILES
    if not (ROOT / "build-venv/bin/python").exists():
        print("SKIP: build-venv is not there (tools/prepare --tests makes it)\n0 passed, 0 failed, 1 skipped")
        return 77
    python, site, tests = prepare(build)
    passed = failed = 0
    sizes = [(site, ranks) for ranks in RANKS] + [(wheel(build), ranks) for ranks in (RANKS if "--full" in sys.argv else [2])]
    for kind, ranks in sizes:
        for name in files:
            good, bad = one(build, python, kind, tests, name, ranks)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__": sys.exit(main())
