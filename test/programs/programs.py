"""What the tests of other people's programs share: fetching them into build-programs/, running them, counting.

A test is a function marked @test. main() runs them all and ends with "N passed, N failed, N skipped".
"""
import os
import pathlib
import subprocess
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(next((a for a in sys.argv[1:] if not a.startswith("--")), "build")).resolve()
FULL = "--full" in sys.argv
HOME = ROOT / "build-programs"
MPIRUN = BUILD / "bin/mpirun"
TESTS = []


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


def run(*command, seconds=300, **more):
    """-> (exit code, stdout and stderr together)"""
    done = subprocess.run([str(c) for c in command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, errors="replace", timeout=seconds, **more)
    return done.returncode, done.stdout


def good(*command, **more):
    """stdout of a command that must end with 0."""
    code, out = run(*command, **more)
    assert code == 0, f"{' '.join(map(str, command))}: exit code {code}\n{out[-3000:]}"
    return out


def environment(name, *packages):
    """A virtual environment that holds these packages of PyPI."""
    folder = HOME / name
    if not (folder / "bin/python").exists(): good(sys.executable, "-m", "venv", folder)
    if not (folder / "made").exists():
        code, out = run(folder / "bin/pip", "install", "-q", "--disable-pip-version-check", *packages)
        if code: raise Skip(f"pip install {' '.join(packages)}: {out.strip().splitlines()[-1]}")
        (folder / "made").touch()
    return folder


def debian(*packages):
    """A folder with the unpacked Debian packages."""
    folder = HOME / "debian"
    (folder / "packages").mkdir(parents=True, exist_ok=True)
    for name in packages:
        if (folder / "packages" / name).exists(): continue
        try: code, out = run("apt-get", "download", "-q", name, cwd=folder)
        except FileNotFoundError: raise Skip("there is no apt-get")
        found = sorted(folder.glob(f"{name}_*.deb"))
        if code or not found: raise Skip(f"apt-get download {name}: {out.strip().splitlines()[-1]}")
        good("dpkg", "-x", found[-1], folder)
        found[-1].unlink()
        (folder / "packages" / name).touch()
    return folder


def main():
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    HOME.mkdir(exist_ok=True)
    for function in TESTS:
        name = function.__name__.replace("_", " ")
        try: function(); outcome, why = "passed", ""
        except Skip as skip: outcome, why = "skipped", f": {skip}"
        except AssertionError as fault: outcome, why = "failed", f": {fault}"
        except Exception: outcome, why = "failed", ":\n" + traceback.format_exc()
        counts[outcome] += 1
        if outcome != "passed": print(f"{outcome.upper()} {name}{why}", flush=True)
    print(", ".join(f"{n} {outcome}" for outcome, n in counts.items()))
    return int(counts["failed"] > 0)
