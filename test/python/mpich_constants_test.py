#!/usr/bin/env python3
"""Constants that our mpi.h and MPICH's give different values are translated: each has a row in the tables of
runtime/api/profiles/mpich_values.cc, and every row is such a pair. Usage: mpich_constants_test.py [BUILD]

Both headers are asked by a compiled program; MPICH's is that of build-peers (tools/prepare --tests). BY_CODE names what
is translated without a table; mpich_abi.c tests that.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
OURS, THEIRS = ROOT / "runtime/api", ROOT / "build-peers/include"
TABLES = {
    "kClasses": r"MPI_(T_)?ERR_\w+|MPI_SUCCESS", "kThreads": r"MPI_THREAD_\w+", "kComparisons": "MPI_(IDENT|CONGRUENT|SIMILAR|UNEQUAL)",
    "kTopologies": "MPI_(GRAPH|CART|DIST_GRAPH)", "kSplitTypes": r"MPI_COMM_TYPE_\w+", "kCombiners": r"MPI_COMBINER_\w+",
    "kOrders": r"MPI_ORDER_\w+", "kDistributions": r"MPI_DISTRIBUTE_\w+", "kTypeclasses": r"MPI_TYPECLASS_\w+",
    "kLockTypes": r"MPI_LOCK_\w+", "kVerbosities": r"MPI_T_VERBOSITY_\w+", "kBinds": r"MPI_T_BIND_\w+",
    "kScopes": r"MPI_T_SCOPE_\w+", "kPvarClasses": r"MPI_T_PVAR_CLASS_\w+",
    "kKeyvals": "MPI_(KEYVAL_INVALID|TAG_UB|HOST|IO|WTIME_IS_GLOBAL|UNIVERSE_SIZE|LASTUSEDCODE|APPNUM|"
                "WIN_(BASE|SIZE|DISP_UNIT|CREATE_FLAVOR|MODEL))"}
# Null handles, wildcards, addresses, functions, sizes that only the header tells, what windows answer; MPI_T has no events.
BY_CODE = re.compile(r"MPI_(\w+_NULL|ANY_(SOURCE|TAG)|ROOT|IN_PLACE|BUFFER_AUTOMATIC|STATUS(ES)?_IGNORE|UNWEIGHTED|WEIGHTS_EMPTY|"
                     r"(COMM_|TYPE_|WIN_)?DUP_FN|BSEND_OVERHEAD|MAX_(PSET_NAME|STRINGTAG)_LEN|F_(STATUS_SIZE|SOURCE|TAG|ERROR)|"
                     r"MODE_NO(STORE|PRECEDE)|ERR_LASTCODE|WIN_(FLAVOR_\w+|SEPARATE|UNIFIED)|T_(PVAR_ALL_HANDLES|CB_REQUIRE_\w+|SOURCE_\w+))")
OF_FILES = re.compile(r"MPI_(MODE|SEEK)_\w+|MPI_DISPLACEMENT_CURRENT")


def names():
    """Constants of our header: macros without parameters, and members of enumerations."""
    header = (OURS / "mpi.h").read_text()
    return sorted(set(re.findall(r"^#define (MPI_[A-Z0-9]\w*) +\S|^\s+(MPI_\w+)\s*=\s*\(?-?\w+", header, re.M)))


def ask(folder, wanted, tmp):
    """{name: value} of those that the folder's mpi.h has, by a program."""
    header = (folder / "mpi.h").read_text()
    shown = "".join(f"  SHOW({n})\n" for n in wanted if re.search(rf"\b{n}\b", header))
    (tmp / "ask.c").write_text('#include <mpi.h>\n#include <stdio.h>\n#define SHOW(n) printf("%s %lld\\n", #n, (long long) (n));\n'
                               f"int main(void) {{\n{shown}  return 0;\n}}\n")
    subprocess.run(["cc", "-w", "-I", folder, tmp / "ask.c", "-o", tmp / "ask",
                    "-Wl,--unresolved-symbols=ignore-all,--no-warnings"], check=True)
    out = subprocess.run([tmp / "ask"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name: int(value) for name, value in (line.split() for line in out.splitlines())}


def tables():
    """{table: {(standard, MPICH)}} of mpich_values.cc; handles in "kPredefined"."""
    text = (OURS / "profiles/mpich_values.cc").read_text()
    return {name: {(int(a, 0), int(b, 0)) for a, b in re.findall(r"\{(-?\w+), (-?\w+)\}", rows)}
            for name, rows in re.findall(r"^constexpr (?:Pair|Predefined) (k\w+)\[\] = \{(.*?)\};", text, re.M | re.S)}


def lengths():
    """{constant: length} of what libmpi.so.12 says in its profile."""
    text = (OURS / "profiles/mpich.cc").read_text()
    return {"MPI_MAX_" + {"library_version": "library_version_string"}.get(name, name).upper(): int(n)
            for name, n in re.findall(r"\.max_(\w+) = (\d+)", text)}


def table_of(name, standard):
    if BY_CODE.fullmatch(name): return None
    for table, pattern in TABLES.items():
        if re.fullmatch(pattern, name): return table
    return "kPredefined" if 0x20 <= standard < 0x300 and not OF_FILES.fullmatch(name) else None


def check(ours, theirs, rows, results):
    no_files = "MPI_File_open" in (OURS / "unsupported.txt").read_text()
    seen = {table: set() for table in rows}
    for name in (n for n in ours if n in theirs):
        if name in lengths(): results.append((theirs[name] == lengths()[name], f"{name}: {theirs[name]} in MPICH, {lengths()[name]} in the profile"))
        elif table := table_of(name, ours[name]):
            pair = (ours[name], theirs[name] & 0xffffffff if table == "kPredefined" else theirs[name])
            seen[table].add(pair)
            same = pair[0] == pair[1] and not any(pair[0] in row for row in rows[table])
            results.append((same or pair in rows[table], f"{name}: {pair} has no row in {table}"))
        elif ours[name] != theirs[name]:
            waits = no_files and OF_FILES.fullmatch(name)
            results.append((waits or BY_CODE.fullmatch(name), f"{name}: {ours[name]} and {theirs[name]} have no table"))
    for table, pairs in rows.items():
        for pair in sorted(pairs - seen[table]): results.append((False, f"{table}: {pair} is no constant of the headers"))


def main():
    if not (THEIRS / "mpi.h").exists():
        print("SKIP: build-peers is not there (tools/prepare --tests makes it)\n0 passed, 0 failed, 1 skipped")
        return 77
    results = []
    with tempfile.TemporaryDirectory() as folder:
        wanted = [macro or member for macro, member in names()]
        ours, theirs = (ask(of, wanted, pathlib.Path(folder)) for of in (OURS, THEIRS))
        results.append((set(wanted) - {"MPI_ABI_VERSION", "MPI_ABI_SUBVERSION"} == set(theirs), "MPICH lacks " + " ".join(set(ours) - set(theirs))))
        check(ours, theirs, tables(), results)
    failed = [what for good, what in results if not good]
    for what in failed: print(f"FAILED {what}")
    print(f"{len(results) - len(failed)} passed, {len(failed)} failed, 0 skipped")
    return int(bool(failed))


sys.exit(main())
