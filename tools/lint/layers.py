#!/usr/bin/env python3
"""Fails when a file includes from a layer above its own. Usage: layers.py [ROOT]"""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2])
RANK = {"base": 0, "machine": 1, "data": 2, "comm": 3, "p2p": 4, "coll": 5, "world": 6, "tool": 6, "rma": 7, "io": 7, "api": 8}
FREE = {"api/body.gen.h"}                      # declarations only, generated
LAUNCHER_SEES = RANK["machine"]
TUTTI_SEES = RANK["coll"]                      # the tutti command, launcher/tutti
MPI_ONLY = ("bench", "test/mpi")               # see mpi.h and their own folder


def folder(path):
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == "runtime" else parts[0]


def faults(path):
    here = folder(path)
    for number, line in enumerate(path.read_text().splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*["<]((\w+)/[^">]+)[">]', line)
        if not match or match[1] in FREE or match[2] not in RANK: continue
        there = RANK[match[2]]
        if here in RANK: limit = RANK[here]
        elif path.relative_to(ROOT).as_posix().startswith("launcher/tutti/"): limit = TUTTI_SEES
        elif here == "launcher": limit = LAUNCHER_SEES
        elif path.relative_to(ROOT).as_posix().startswith(MPI_ONLY): limit = -1
        else: continue                         # unit tests see what they test
        if there > limit: yield f"{path.relative_to(ROOT)}:{number}: {here} may not include {match[1]}"
        if there == limit and here in RANK and match[2] != here: yield f"{path.relative_to(ROOT)}:{number}: {here} and {match[2]} are side by side"


def main():
    files = [f for top in ("runtime", "launcher", "bench", "test") for f in sorted((ROOT / top).rglob("*")) if f.suffix in (".h", ".cc", ".c", ".cu")]
    bad = [text for f in files for text in faults(f)]
    print("\n".join(bad) if bad else f"layers: {len(files)} files include downwards only")
    return int(bool(bad))


sys.exit(main())
