#!/usr/bin/env python3
"""Makes a PMPI tool's wrappers from mpi.h, the table of all functions: make_pmpi.py MPI_H standard|mpich

A wrapper only counts, times and passes on, so it needs no MPI types but their sizes: handles are addresses in the
standard ABI and 32-bit integers in MPICH's, all else is alike. So one source serves both (profile.h).
"""
import re
import sys

HANDLES = "Comm|Datatype|Errhandler|Group|Info|Message|Op|Request|Session|Win"
# Clocks, conversions and MPI's own tool interface are no work worth timing; the ends of the world are in profile.h.
LEFT_OUT = re.compile(r"MPI_(T_\w+|Wtime|Wtick|Pcontrol|Aint_\w+|\w+_(toint|fromint)|Init|Init_thread|Finalize|Initialized|Finalized)$")


def c_type(text, handle):
    """A type that is passed in the same way."""
    if "*" in text or "[" in text: return "void *"
    text = text.replace("const ", "").strip()
    if re.fullmatch(rf"MPI_({HANDLES})", text): return handle
    return {"MPI_Aint": "long", "MPI_Count": "long", "MPI_Offset": "long", "MPI_File": "void *"}.get(text, text)


def main():
    header, abi = open(sys.argv[1]).read(), sys.argv[2]
    handle = {"standard": "void *", "mpich": "int"}[abi]
    found = [(name, args) for name, args in re.findall(r"^int (MPI_\w+)\((.*)\);", header, re.M) if not LEFT_OUT.match(name)]
    print(f"/* Made by make_pmpi.py for the {abi} ABI. */\n#define HANDLE {handle}")
    for what, standard, mpich in (("COMM_WORLD", "0x101", "0x44000000"), ("DOUBLE", "0x214", "0x4c00080b"), ("SUM", "0x21", "0x58000003")):
        print(f"#define {what} (({handle}){standard if abi == 'standard' else mpich})")
    print("enum {", *(f"k{name}," for name, _ in found), "kFunctions };")
    print("static const char *const names[] = {", *(f'"{name}",' for name, _ in found), "};\n#include \"profile.h\"")
    for name, args in found:
        types = [] if args == "void" else [c_type(re.sub(r"\w+(\[[^\]]*\])*$", lambda m: m[1] or "", a), handle) for a in args.split(", ")]
        declared = ", ".join(f"{t} a{i}" for i, t in enumerate(types)) or "void"
        given = ", ".join(f"a{i}" for i in range(len(types)))
        print(f"extern int P{name}({declared});\nint {name}({declared}) {{ TIMED(k{name}, P{name}({given})); }}")


main()
