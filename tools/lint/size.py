#!/usr/bin/env python3
"""Fails when a file has over 400 lines or a C++ function over 60. Usage: size.py [ROOT]"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
FILE_LINES, FUNCTION_LINES = 400, 60
EXCEPTIONS = {
    "runtime/api/mpi.h": "the whole C interface of MPI, which users include as one file",
}


def long_functions(text):
    """Top-level blocks by their braces in column 0: (line, name, length)."""
    lines = text.splitlines()
    start = None
    for number, line in enumerate(lines):
        if start is None and re.match(r"^[A-Za-z_\[].*\)[^;]*\{\s*$", line): start = number
        elif start is not None and line.startswith("}"):
            if number - start + 1 > FUNCTION_LINES: yield start + 1, lines[start], number - start + 1
            start = None


def main():
    bad, count = [], 0
    for top in ("launcher", "runtime", "bindings", "bench", "test", "tools"):
        for path in sorted((ROOT / top).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".h", ".cc", ".c", ".cu", ".py") or name in EXCEPTIONS: continue
            count += 1
            text = path.read_text()
            lines = text.count("\n")
            if lines > FILE_LINES: bad.append(f"{name}: {lines} lines, {FILE_LINES} are allowed")
            if path.suffix != ".py":
                bad += [f"{name}:{at}: {length} lines in {head.strip()[:70]}" for at, head, length in long_functions(text)]
    print("\n".join(bad) if bad else f"size: {count} files and their functions are small")
    return int(bool(bad))


sys.exit(main())
