#!/usr/bin/env python3
"""Holds runtime/api/mpi.h against the MPI Forum's description of MPI-5.0 and its ABI.

    test/unit/api_header_test.py [FOLDER-WITH-JSON]

The folder is ../shared/mpi-5.0 beside the repository if not given; without it
the test is skipped (exit 77). CC and CXX name the compilers (cc, c++).
"""

import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = ROOT / "runtime/api/mpi.h"
MAKER = ROOT / "tools/make_mpi_h.py"
CC = shlex.split(os.environ.get("CC", "cc"))
CXX = shlex.split(os.environ.get("CXX", "c++"))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]

FUNCTIONS = 664
# Large-count forms that the Forum's ABI stub header has and the standard's text does not.
STUB_FUNCTIONS = {"MPI_Precv_init_c", "MPI_Psend_init_c"}
VERSION_MACROS = ["MPI_VERSION", "MPI_SUBVERSION", "MPI_ABI_VERSION", "MPI_ABI_SUBVERSION"]

PROBE = """\
#include "mpi.h"
#include <stddef.h>
#include <stdio.h>
#if {conditions}
#else
#error "the version macros do not work in #if"
#endif
{typed}
int main(void) {{
  printf("sizeof(MPI_Status) %zu\\n", sizeof(MPI_Status));
  printf("MPI_Status.MPI_SOURCE %zu\\n", offsetof(MPI_Status, MPI_SOURCE));
  printf("MPI_Status.MPI_TAG %zu\\n", offsetof(MPI_Status, MPI_TAG));
  printf("MPI_Status.MPI_ERROR %zu\\n", offsetof(MPI_Status, MPI_ERROR));
  printf("MPI_Status.MPI_internal %zu\\n", offsetof(MPI_Status, MPI_internal));
  printf("sizeof(MPI_Aint) %zu\\n", sizeof(MPI_Aint));
  printf("sizeof(MPI_Offset) %zu\\n", sizeof(MPI_Offset));
  printf("sizeof(MPI_Count) %zu\\n", sizeof(MPI_Count));
{prints}
  return 0;
}}
"""

LAYOUT = {
    "sizeof(MPI_Status)": 32,
    "MPI_Status.MPI_SOURCE": 0,
    "MPI_Status.MPI_TAG": 4,
    "MPI_Status.MPI_ERROR": 8,
    "MPI_Status.MPI_internal": 12,
    "sizeof(MPI_Aint)": 8,
    "sizeof(MPI_Offset)": 8,
    "sizeof(MPI_Count)": 8,
}


class Report:
    """Prints one line per check and counts."""

    passed = 0
    failed = 0

    def check(self, what, faults):
        """A check passes if the list of its faults is empty."""
        if faults:
            self.failed += 1
            print(f"FAIL {what}")
            for fault in faults:
                print(f"     {fault}")
        else:
            self.passed += 1
            print(f"ok   {what}")


def compile_c(command, source, folder):
    """Runs a compiler on C or C++ text; gives what it printed, None if it was content and quiet."""
    path = folder / "probe.c"
    path.write_text(source)
    done = subprocess.run([*command, "-I", str(HEADER.parent), str(path)], capture_output=True, text=True)
    return None if done.returncode == 0 and not done.stderr else done.stderr.strip() or f"exit {done.returncode}"


def probe_values(constants, folder):
    """Compiles and runs a program that prints every constant; gives {name: value} and the compiler's complaints.

    Each constant is also assigned to a variable of the C type that the JSON gives it, so that a wrong type is
    a warning.
    """
    typed = [f"extern {c['handle_types']['c']['type']} v_{c['name']}; "
             f"{c['handle_types']['c']['type']} v_{c['name']} = {c['name']};" for c in constants]
    prints = [f'  printf("{c["name"]} %lld\\n", (long long)(intptr_t)({c["name"]}));' for c in constants]
    conditions = " && ".join(f"defined({m}) && {m} + 1 > 0" for m in VERSION_MACROS)
    source = PROBE.format(conditions=conditions, typed="\n".join(typed), prints="\n".join(prints))
    complaint = compile_c([*CC, "-std=c99", *WARNINGS, "-o", str(folder / "probe")], source, folder)
    if complaint:
        return {}, complaint.splitlines()[:10]
    printed = subprocess.run([str(folder / "probe")], capture_output=True, text=True, check=True, timeout=60).stdout
    return {name: int(value) for name, value in (line.rsplit(" ", 1) for line in printed.splitlines())}, []


def expected_functions(apis):
    """Names of the functions the standard ABI has in C: no callbacks, no predefined ones, none with MPI_Fint."""
    names = set()
    for entry in apis.values():
        attributes = entry["attributes"]
        if not attributes["c_expressible"] or attributes["callback"] or attributes["predefined_function"]:
            continue
        kinds = [entry["return_kind"], *(p["kind"] for p in entry["parameters"])]
        if any(kind.startswith(("F90_", "F08_")) for kind in kinds):
            continue
        names.add(entry["name"])
        if any(kind.startswith("POLY") for kind in kinds):
            names.add(entry["name"] + "_c")
    return names


def check_constants(report, abi, folder):
    constants = [c for c in abi["constants"].values() if c["handle_types"]["c"]["type"] is not None]
    values, complaints = probe_values(constants, folder)
    report.check(f"each of {len(constants)} constants exists with its C type", complaints)
    if complaints:
        return
    report.check("each constant has the standard ABI's value",
                 [f"{c['name']} is {values[c['name']]}, the standard ABI has {c['abi_value']}"
                  for c in constants if values[c["name"]] != c["abi_value"]])
    report.check("MPI_Status and the integer types have the standard ABI's layout",
                 [f"{name} is {values[name]}, not {value}" for name, value in LAYOUT.items() if values[name] != value])


def check_functions(report, apis, text):
    lines = re.findall(r"^(\w+) (MPI_\w+)\((.*)\);", text, re.MULTILINE)
    twins = re.findall(r"^(\w+) P(MPI_\w+)\((.*)\);", text, re.MULTILINE)
    names = [name for _, name, _ in lines]
    expected = expected_functions(apis) | STUB_FUNCTIONS
    report.check("each function of the standard is there, with its _c form where counts may be large",
                 [f"{name} is missing" for name in sorted(expected - set(names))])
    report.check("no function is there that the standard lacks",
                 [f"{name} is not in the standard" for name in sorted(set(names) - expected)])
    report.check(f"{FUNCTIONS} functions, none twice",
                 [] if len(names) == len(set(names)) == FUNCTIONS else [f"{len(names)}, {len(set(names))} names"])
    report.check("each function has its PMPI_ twin with the same parameters",
                 [f"P{line[1]}" for line in sorted(set(lines) ^ set(twins))])
    small = set(names)
    report.check("each _c form stands right behind its small form",
                 [name for before, name in zip(["", *names], names)
                  if name.endswith("_c") and name[:-2] in small and before != name[:-2]])
    report.check("all parameters have names",
                 [f"{name}({p})" for _, name, parameters in lines for p in parameters.split(", ")
                  if p not in ("void", "...") and not re.fullmatch(r"(const )?\w+ \**\w+(\[\d*\])*", p)])


def check_languages(report, folder):
    source = '#include "mpi.h"\nint used(void);\nint used(void) { return MPI_Initialized(0) + PMPI_Initialized(0); }\n'
    for name, command in [("C99", [*CC, "-std=c99"]), ("C11", [*CC, "-std=c11"]),
                          ("C++17", [*CXX, "-std=c++17", "-x", "c++"]), ("C++20", [*CXX, "-std=c++20", "-x", "c++"])]:
        complaint = compile_c([*command, *WARNINGS, "-c", "-o", os.devnull], source, folder)
        report.check(f"it compiles as {name} without warnings", complaint.splitlines()[:10] if complaint else [])


def check_maker(report, text, json_folder):
    made = subprocess.run([sys.executable, str(MAKER), str(json_folder)], capture_output=True, text=True)
    faults = [f"{MAKER.name} fails: {made.stderr.strip()}"] if made.returncode else []
    if not faults and made.stdout != text:
        faults = [f"run tools/make_mpi_h.py {json_folder} -o runtime/api/mpi.h"]
    report.check("it is what tools/make_mpi_h.py makes", faults)


def main():
    json_folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT.parent / "shared/mpi-5.0"
    files = [json_folder / f"mpi-standard-5.0-{name}.json" for name in ("apis", "abi")]
    if not all(f.is_file() for f in files):
        print(f"SKIP no description of MPI-5.0 in {json_folder}")
        return 77
    apis, abi = (json.loads(f.read_text()) for f in files)
    text = HEADER.read_text()
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        check_constants(report, abi, pathlib.Path(folder))
        check_functions(report, apis, text)
        check_languages(report, pathlib.Path(folder))
    check_maker(report, text, json_folder)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
