#!/usr/bin/env python3
"""Calls every supported MPI function of either ABI with one argument at a time that makes no sense: null pointers; null
handles, and such that were freed, of another kind or never made; counts, ranks, roots and tags out of range; operations,
datatypes and constants that do not fit. Usage: garbage_test.py BUILD [standard|mpich] [NAME ...] [-v]

The calls are made from mpi.h by garbage_table.py. Each must return (never crash or hang) with the class that its argument
asks for and a text that names function, argument and value, and MPI must work on afterwards. A function is one test.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from garbage_table import ROOT, cases

BUILD = pathlib.Path(sys.argv[1]).resolve()
WANTED = [a for a in sys.argv[2:] if not a.startswith("-")]
PEERS = ROOT / "build-peers/include"                     # holds MPICH's mpi.h
COMPILE = {"standard": [BUILD / "bin/mpicc"],
           "mpich": ["cc", f"-I{PEERS}", f"-Wl,-rpath,{BUILD / 'lib'}", BUILD / "lib/libmpi.so.12"]}


def build(calls, skin, folder):
    header = (ROOT / "runtime/api/mpi.h").read_text()
    names = sorted(set(re.findall(r"\bMPI_(?:T_)?ERR_\w+|\bMPI_SUCCESS", header)) - {"MPI_ERR_LASTCODE", "MPI_T_ERR_INVALID_ITEM"})
    lines = ["static const struct { int value; const char* name; } classes[] = {"]
    lines += [f'  {{{name}, "{name}"}},' for name in names] + ["};"]
    lines += [f"static int call{i}(void) {{ return {case[2]}; }}" for i, case in enumerate(calls)]
    lines += ["static int (*const calls[])(void) = {" + ", ".join(f"call{i}" for i in range(len(calls))) + "};", ""]
    (folder / "calls.h").write_text("\n".join(lines))
    program = folder / f"garbage_{skin}"
    subprocess.run([COMPILE[skin][0], "-w", "-O0", f"-I{folder}", ROOT / "test/python/garbage.c", *COMPILE[skin][1:], "-o", program],
                   check=True)
    return program


def run(program, count):
    """What each call answered: (class, text) or ("died", how)."""
    answers, start = {}, 0
    while start < count:
        done = subprocess.run([program, str(start)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=600)
        at, noise = None, []
        for line in done.stdout.split("\n"):
            if line.startswith("@"): at, noise = int(line[1:]), []
            elif line.startswith("=") and at is not None:
                name, _, text = line[1:].partition(" ")
                answers[at] = (name, text)
            elif line == ".": return answers
            else: noise.append(line)
        if at is None: sys.exit(f"the program does not start:\n{done.stdout}")
        if at in answers: answers[at] = ("died", f"after it returned: {noise}")
        else: answers[at] = ("died", f"with {'a time-out' if done.returncode == -14 else done.returncode} {' '.join(noise)[:200]}")
        start = at + 1
    return answers


def judge(case, answer):
    function, label, call, error, texts = case
    if answer is None: return "not run"
    name, text = answer
    if name == "died": return f"died {text}"
    if name == "MPI_SUCCESS": return "succeeded"
    if error and name not in error.split("|"): return f"{name} and not {error}: {text}"
    lacking = [t for t in texts if not any(one in text for one in t.split("|"))]
    return f"{lacking} not in: {text}" if lacking else None


def test(skin, folder):
    """How many functions passed and failed."""
    names = [w for w in WANTED if w not in COMPILE]
    calls = [c for c in cases(skin) if not names or any(w in c[1] for w in names)]
    answers, faults = run(build(calls, skin, folder), len(calls)), {}
    for i, case in enumerate(calls):
        fault = judge(case, answers.get(i))
        faults.setdefault(case[0], [])
        if fault: faults[case[0]].append(f"{case[1]}: {fault}")
        if "-v" in sys.argv: print(skin, case[1], answers.get(i))
    for function, lines in faults.items():
        if lines: print(f"FAILED {function}, {skin} ABI\n  " + "\n  ".join(lines))
    bad = sum(bool(lines) for lines in faults.values())
    return len(faults) - bad, bad


def main():
    passed = failed = skipped = 0
    for skin in [s for s in COMPILE if s in WANTED] or COMPILE:
        if skin == "mpich" and not (PEERS / "mpi.h").exists():
            print("SKIP: build-peers is not there (tools/prepare --tests makes it)")
            skipped += 1
            continue
        with tempfile.TemporaryDirectory() as folder: good, bad = test(skin, pathlib.Path(folder))
        passed, failed = passed + good, failed + bad
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    return int(failed > 0)


if __name__ == "__main__": sys.exit(main())
