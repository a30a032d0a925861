#!/usr/bin/env python3
"""Runs the programs of this folder at several sizes and over several transports. Usage: run.py BUILD [--full] [NAME ...]

A program may say in its first lines where it makes sense:  // ranks: 2 3 8   and   // transports: shm slots ucx nodes
With --full it finds TEST_FULL in its environment. It passes when mpirun returns 0 within its time. Ends with
"N passed, N failed, N skipped".
"""
import os
import pathlib
import re
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
RANKS = [1, 2, 3, 4, 5, 8]
TRANSPORTS = {
    "shm": ({"TUTTI_TRANSPORT": "shm"}, []),
    "slots": ({"TUTTI_TRANSPORT": "shm", "TUTTI_SINGLE_COPY": "off"}, []),
    "ucx": ({"TUTTI_TRANSPORT": "ucx"}, []),
    "nodes": ({}, ["--fake-nodes", "2"]),
}
USUAL = ["shm", "ucx", "nodes"]
SECONDS = 120


def setting(source, name, default):
    match = re.search(rf"^// {name}: (.*)$", source, re.M)
    return match[1].split() if match else default


def cases(build, wanted):
    for source in sorted(HERE.glob("*.cc")):
        program = build / "test/mpi" / source.stem
        if wanted and not any(w in source.stem for w in wanted): continue
        text = source.read_text()
        for transport in setting(text, "transports", USUAL):
            for ranks in map(int, setting(text, "ranks", RANKS)):
                if transport == "nodes" and ranks < 2: continue
                yield program, transport, ranks


def run(build, program, transport, ranks):
    variables, options = TRANSPORTS[transport]
    command = [build / "bin/mpirun", "--timeout", str(SECONDS), "-np", ranks, *options, program]
    done = subprocess.run([str(c) for c in command], env={**os.environ, **variables}, stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", timeout=SECONDS + 30)
    return done.returncode, done.stdout


def main():
    arguments = [a for a in sys.argv[1:] if not a.startswith("--")]
    if "--full" in sys.argv: os.environ["TEST_FULL"] = "1"
    build, wanted = pathlib.Path(arguments[0]).resolve(), arguments[1:]
    passed = failed = 0
    times = {}
    for program, transport, ranks in cases(build, wanted):
        begin = time.monotonic()
        try: code, out = run(build, program, transport, ranks)
        except subprocess.TimeoutExpired as late: code, out = "no end", str(late)
        times[program.name] = times.get(program.name, 0) + time.monotonic() - begin
        if code == 0: passed += 1
        else:
            failed += 1
            print(f"FAILED {program.name} np {ranks} over {transport}: exit code {code}\n{out[-3000:]}", flush=True)
    slowest = sorted(times.items(), key=lambda t: -t[1])[:3]
    print("slowest: " + ", ".join(f"{name} {seconds:.1f} s" for name, seconds in slowest))
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return int(failed > 0)


sys.exit(main())
