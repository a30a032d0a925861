#!/usr/bin/env python3
"""Builds mpi4py from its PyPI source with our mpicc and runs its own tests under our mpirun; then the same with PyPI's
wheel, which is built for MPICH and gets our libmpi.so.12.

mpi4py_test.py BUILD [--full] [FILE ...]     FILE: test_p2p_buf and so on; default: all but LACKING

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
RANKS = [1, 2, 3, 4, 5]
QUICK = {"site": [1, 3], "wheel": [2, 5]}       # without --full
# Files and tests that need what unsupported.txt lists. Of test_subclass and test_msgspec only parts do.
LACKING_FILES = {"files": ["test_io", "test_file", "test_subclass"], "dynamic processes": ["test_dynproc", "test_spawn"]}
LACKING = {"files": ["TestErrhandlerFile", "testSafeFreeCreated"]}
SECONDS = 900


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


def ran(build, python, site, tests, files, ranks):
    """(passed, failed, skipped) of a run of these files; prints what failed."""
    environment = {**{k: v for k, v in os.environ.items() if not k.startswith("MPI4PY_")}, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [build / "bin/mpirun", "--timeout", SECONDS, "-np", ranks, python, tests / "main.py", "--no-builddir", "-q"]
    for pattern in sum(LACKING.values(), []): command += ["-x", pattern]
    if ranks == 1: files = [f for f in files if f != "test_util_pool"]      # a pool of one rank spawns its workers
    try: code, out = sh(command + files, env=environment, cwd=tests, timeout=SECONDS + 30)
    except subprocess.TimeoutExpired: code, out = 124, "no end"
    count = sum(int(n) for n in re.findall(r"^Ran (\d+) tests?", out, re.M)[:1])
    said = (re.findall(r"^(?:OK|FAILED)(?: \((.*)\))?$", out, re.M) or [""])[0]
    number = {what: int(n) for what, n in re.findall(r"([a-z ]+)=(\d+)", said)}
    skipped = number.pop("skipped", 0)
    bad = sum(n for what, n in number.items() if what.strip() != "expected failures")
    if code == 0 and count: return count - skipped, 0, skipped
    print(f"FAILED mpi4py ({site.name}) on {ranks} ranks: exit code {code}\n{out[-8000:]}", flush=True)
    return max(0, count - skipped - bad), max(bad, 1), skipped


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    build, full = pathlib.Path(arguments[0]).resolve(), "--full" in sys.argv
    if not (ROOT / "build-venv/bin/python").exists():
        print("SKIP: build-venv is not there (tools/prepare --tests makes it)\n0 passed, 0 failed, 1 skipped")
        return 77
    python, site, tests = prepare(build)
    lacking = sum(LACKING_FILES.values(), [])
    files = arguments[1:] or sorted(f.stem for f in tests.glob("test_*.py") if f.stem not in lacking)
    for why in LACKING_FILES: print(f"mpi4py: left out for want of {why}: {', '.join(LACKING_FILES[why] + LACKING.get(why, []))}")
    passed = failed = 0
    for kind, where in (("site", site), ("wheel", wheel(build))):
        for ranks in RANKS if full else QUICK[kind]:
            good, bad, skipped = ran(build, python, where, tests, files, ranks)
            print(f"mpi4py ({where.name}) on {ranks} ranks: {good} passed, {bad} failed, {skipped} skipped by mpi4py itself", flush=True)
            passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


if __name__ == "__main__": sys.exit(main())
