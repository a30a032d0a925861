"""What the tests of mpirun share: running it, watching its processes, and counting results.

A test is a function marked @test whose name reads as a sentence. main() runs those of one file (or the ones whose name
holds argv[2]) against the build folder argv[1] and ends with "N passed, N failed, N skipped".
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid

BUILD = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("BUILD", "build")).resolve()
MPIRUN = BUILD / "bin/mpirun"
PMIX_RANK = BUILD / "test/launch/pmix_rank"
MPI_RANK = BUILD / "test/launch/mpi_rank"
SOON_S = 2.0                            # within this, nothing of a job may be left
TESTS = []
JOBS = []                               # of the test that runs


class Skip(Exception):
    pass


def test(function):
    TESTS.append(function)
    return function


class Job:
    """A running mpirun, whose processes are known by a mark in their environment."""

    def __init__(self, *arguments, env=None, stdin=subprocess.DEVNULL, cwd=None, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more):
        self.mark = "LAUNCH_TEST_MARK=" + uuid.uuid4().hex
        all_env = {k: v for k, v in os.environ.items() if not k.startswith(("TUTTI_", "PMIX_", "MPIEXEC_"))}
        all_env.update(env or {})
        name, value = self.mark.split("=")
        all_env[name] = value
        self.process = subprocess.Popen([str(MPIRUN), *map(str, arguments)], env=all_env, stdin=stdin, stdout=stdout,
                                        stderr=stderr, cwd=cwd, **more)
        self.pid = self.process.pid
        JOBS.append(self)

    def end(self, input=None, timeout=30):
        """Waits for it. -> (exit code, stdout, stderr)"""
        try:
            out, err = self.process.communicate(input, timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError("mpirun did not end within %g s" % timeout)
        return self.process.returncode, (out or b"").decode(), (err or b"").decode()

    def alive(self):
        """Processes of the job other than mpirun itself, and its guard if it still watches."""
        found = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit() or int(entry) == self.pid: continue
            try:
                with open(f"/proc/{entry}/environ", "rb") as file:
                    if self.mark.encode() in file.read().split(b"\0"): found.append(int(entry))
            except OSError: pass
        return found

    def kill(self):
        for pid in [self.pid, *self.alive()]:
            try: os.kill(pid, signal.SIGKILL)
            except ProcessLookupError: pass
        self.process.wait()

    def signal(self, number):
        os.kill(self.pid, number)

    def read_until(self, text, times=1, timeout=10, stream=None):
        """Reads stdout, or another stream, until `text` was there so many times. -> everything read"""
        stream = stream or self.process.stdout
        os.set_blocking(stream.fileno(), False)
        seen, end = b"", time.monotonic() + timeout
        while seen.count(text.encode()) < times:
            assert time.monotonic() < end, f"{text!r} did not appear, but {seen!r}"
            seen += stream.read() or b""
            time.sleep(0.005)
        os.set_blocking(stream.fileno(), True)
        return seen.decode()


    def until_waiting(self, call, *ranks, timeout=10):
        """Until each of these ranks waits in this MPI call, as the recorder says."""
        end = time.monotonic() + timeout
        while True:
            self.signal(signal.SIGQUIT)
            seen = self.read_until("what each rank is doing:\n", stream=self.process.stderr)
            while not re.search(rf"^ +{max(ranks)} .*\n", seen, re.M): seen += self.read_until("\n", stream=self.process.stderr)
            if all(re.search(rf"^ +{rank} .* {call} +\d+\.\d s", seen, re.M) for rank in ranks): return
            assert time.monotonic() < end, f"not all of {ranks} came to wait in {call}: {seen}"


def run(*arguments, timeout=30, input=None, **more):
    if input is not None: more["stdin"] = subprocess.PIPE
    return Job(*arguments, **more).end(input.encode() if isinstance(input, str) else input, timeout)


def ways():
    """How ranks can reach one another: name, options and environment of mpirun."""
    if not MPI_RANK.exists(): raise Skip("the MPI library is not built")
    yield "shared memory", [], {}
    if not (BUILD / "lib/libtutti_ucx.so").exists(): return
    yield "fake nodes", ["--fake-nodes", "2"], {}
    yield "UCX", [], {"TUTTI_TRANSPORT": "ucx"}
    yield "UCX between fake nodes", ["--fake-nodes", "2"], {"TUTTI_TRANSPORT": "ucx"}


def until(condition, timeout, what):
    end = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < end, what() if callable(what) else what
        time.sleep(0.005)


def names_of(pids):
    lines = []
    for pid in pids:
        try: lines.append(f"{pid} " + open(f"/proc/{pid}/cmdline").read().replace("\0", " "))
        except OSError: pass
    return "; ".join(lines)


def litter(names=r"tutti|pmix|dstor|prte"):
    """Files that a job could have left behind."""
    found = set()
    for place in ("/tmp", "/dev/shm", "/var/tmp"):
        if os.path.isdir(place): found |= {f"{place}/{n}" for n in os.listdir(place) if re.search(names, n)}
    return found


def state(pid):
    return open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[0]


def expect(condition, *shown):
    assert condition, " | ".join(map(repr, shown))


def matches(pattern, text):
    expect(re.search(pattern, text, re.M), pattern, text)


def folder():
    return tempfile.TemporaryDirectory(prefix="launch-test-")


def python(code, *arguments):
    """A rank that is a Python program."""
    return [sys.executable, "-u", "-c", code, *arguments]


def main():
    passed = failed = skipped = 0
    for function in TESTS:
        name = function.__name__.replace("_", " ")
        if len(sys.argv) > 2 and sys.argv[2] not in name: continue
        try:
            function()
            passed += 1
        except Skip as why:
            skipped += 1
            print(f"skipped: {name}: {why}")
        except Exception:
            failed += 1
            print(f"FAILED: {name}\n{traceback.format_exc()}")
            for job in JOBS: job.kill()
        JOBS.clear()
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)
