#!/usr/bin/env python3
"""Holds runtime/api/unsupported.txt against the bodies that exist: every MPI function has a body or stands in the list.

unsupported.py           says what is wrong, exit code 1 if anything is
unsupported.py --write   writes the list anew
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LIST = ROOT / "runtime/api/unsupported.txt"
HEAD = """# MPI functions that tutti does not have yet: each answers MPI_ERR_UNSUPPORTED_OPERATION. The list only shrinks;
# tools/unsupported.py holds it against the bodies.
"""


def bodies():
    """Names of functions defined in namespace tutti::mpi."""
    found = set()
    for path in ROOT.glob("runtime/*/**/*.cc"):
        text = path.read_text()
        for block in re.findall(r"^namespace tutti::mpi \{(.*?)^\}  // namespace tutti::mpi", text, re.M | re.S):
            block = re.sub(r"^namespace \{.*?^\}  // namespace$", "", block, flags=re.M | re.S)
            found |= set(re.findall(r"^(?:Err|Count|double|int) (\w+)\(", block, re.M))
    return found


def missing():
    names = re.findall(r"^\w+ (MPI_\w+)\(", (ROOT / "runtime/api/mpi.h").read_text(), re.M)
    have = bodies()
    small = set(names)

    def has(name):
        if re.search(r"_(toint|fromint)$", name): return True
        low = name[4:].lower()
        return low in have or (name.endswith("_c") and name[:-2] in small and low[:-2] in have and low not in have)

    # A _c form whose parameters differ in number has a body of its own.
    own = {"MPI_Type_get_contents_c", "MPI_Type_get_envelope_c"}
    lacking = {n for n in names if not has(n) or (n in own and n[4:].lower() not in have)}
    return [n for n in names if n in lacking and not (n.endswith("_c") and n not in own and n[:-2] in lacking)]


def main():
    text = HEAD + "\n".join(missing()) + "\n"
    if sys.argv[1:] == ["--write"]:
        LIST.write_text(text)
        return 0
    listed = LIST.read_text().splitlines()
    lacking = text.splitlines()
    for name in sorted(set(lacking) - set(listed)): print(f"{name} has no body and is not in {LIST.name}")
    for name in sorted(set(listed) - set(lacking)): print(f"{name} is in {LIST.name} but has a body")
    return int(listed != lacking)


sys.exit(main())
