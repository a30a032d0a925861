#!/usr/bin/env python3
"""Runs the coll_* programs with every algorithm forced in turn (TUTTI_ALGO), on one node and on two make-believe nodes.
Usage: algos.py BUILD [RANKS ...]. Turn k forces the k-th algorithm of every collective that has so many."""
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 120


def algorithms():
    """{collective: [names]} from base/algo_names.h."""
    text = (HERE.parents[1] / "runtime/base/algo_names.h").read_text()
    return {coll: names.split() for coll, names in re.findall(r'^\s*\{"(\w+)", "([\w ]+)"', text, re.M)}


def run(build, program, ranks, rules, options):
    command = [build / "bin/mpirun", "--oversubscribe", "--timeout", SECONDS, "-np", ranks, *options, build / "test/mpi" / program]
    done = subprocess.run([str(c) for c in command], env={**os.environ, "TUTTI_ALGO": rules, "TUTTI_DEBUG": "error"},
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", timeout=SECONDS + 30)
    return done.returncode, done.stdout


def main():
    build, table = pathlib.Path(sys.argv[1]).resolve(), algorithms()
    sizes = [int(n) for n in sys.argv[2:]] or [3, 4, 7]
    programs = sorted(p.stem for p in HERE.glob("coll_*.cc") if p.stem != "coll_errors")
    failed = passed = 0
    for turn in range(max(len(names) for names in table.values())):
        rules = ";".join(f"{coll}={names[turn]}" for coll, names in table.items() if turn < len(names))
        for options in [], ["--fake-nodes", "2"]:
            for ranks in sizes:
                for program in programs:
                    code, out = run(build, program, ranks, rules, options)
                    passed += code == 0
                    if code == 0: continue
                    failed += 1
                    print(f"FAILED {program} on {ranks} ranks {' '.join(options)} with TUTTI_ALGO={rules!r}: {code}\n{out[-2000:]}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())
