#!/usr/bin/env python3
"""Fails when getenv is called outside runtime/base/env.cc. Usage: getenv.py [ROOT]"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
ALLOWED = "runtime/base/env.cc"


def main():
    bad = []
    for top in ("launcher", "runtime"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in (".h", ".cc", ".cu") or path.relative_to(ROOT).as_posix() == ALLOWED: continue
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if re.search(r"\b(secure_)?getenv\s*\(", line.split("//")[0]): bad.append(f"{path.relative_to(ROOT)}:{number}: {line.strip()}")
    print("\n".join(bad) if bad else "getenv: only in " + ALLOWED)
    return int(bool(bad))


sys.exit(main())
