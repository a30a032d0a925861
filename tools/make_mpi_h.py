#!/usr/bin/env python3
"""Makes runtime/api/mpi.h, the C header of the MPI-5.0 standard ABI.

Reads the MPI Forum's machine-readable standard (mpi-standard-5.0-apis.json and
mpi-standard-5.0-abi.json) and writes one C header: types, constants, callback
types and one prototype per line. The JSON is not kept in this repository, the
header is; run this again only when the standard changes.

    tools/make_mpi_h.py FOLDER-WITH-JSON -o runtime/api/mpi.h
"""

import argparse
import json
import pathlib
import sys

HEAD = """\
/* The C interface of MPI-5.0, with the types and values of its standard ABI
 * (MPI-5.0 chapter 20, annex A): a program compiled with this header runs on
 * any library that offers libmpi_abi.so.1.
 *
 * Made by tools/make_mpi_h.py from the MPI Forum's description of the standard:
 * edit that script, not this file. It is also the one table of the API: the
 * entry points are generated from the prototypes at its end. Each stands on one
 * line as "result MPI_Name(parameters);" with its large-count form (_c) right
 * behind it, which clang-format would break.
 */
/* clang-format off */
#ifndef TUTTI_MPI_H
#define TUTTI_MPI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
"""

TAIL = """
#ifdef __cplusplus
}
#endif

#endif
"""

# Facts of the standard that the JSON does not hold: chapter 20 (integer types, handles, MPI_Status),
# section 15.3 (MPI_T).
INTEGERS = [("intptr_t", "MPI_Aint"), ("int64_t", "MPI_Offset"), ("int64_t", "MPI_Count")]

STATUS = """\
/* What a completed operation tells. MPI_internal belongs to the library. */
typedef struct {
  int MPI_SOURCE;
  int MPI_TAG;
  int MPI_ERROR;
  int MPI_internal[5];
} MPI_Status;
"""

HANDLES = ["Comm", "Datatype", "Errhandler", "File", "Group", "Info", "Message", "Op", "Request", "Session", "Win"]

TOOL_HANDLES = ["enum", "cvar_handle", "pvar_handle", "pvar_session", "event_registration", "event_instance"]

OLD_CALLBACKS = ["Comm", "File", "Win"]

# Functions whose one form in the standard already takes MPI_Count. The Forum's ABI stub header gives them a _c form
# all the same, so a program compiled with it may call that; it has the same parameters.
STUB_LARGE_FORMS = ["MPI_Precv_init", "MPI_Psend_init"]

# Sections of constants: title, then the JSON's categories in it. "" is a blank line between two groups of one section;
# "CATEGORY:type" takes the category's constants of that C type alone.
VERSION_SECTION = ("Versions of the standard and of its ABI", ["C_PREPROCESSOR_CONSTANTS_FORTRAN_PARAMETERS"])

SECTIONS = [
    ("Error classes", ["ERROR_CLASSES"]),
    ("Special addresses and ignored arguments", ["BUFFER_ADDR_CONSTANTS", "", "EMPTY_IGNORE_INPUT_CONSTANTS"]),
    ("Special ranks, tags and sizes", ["ASSORTED_CONSTANTS"]),
    ("Sizes of strings, with the closing zero", ["MAX_STR_SIZE_CONSTANTS"]),
    ("Levels of thread support", ["THREADS_CONSTANTS"]),
    ("Communicators", ["RESERVED_COMMUNICATORS", "", "COMMUNICATOR_SPLIT_TYPE"]),
    ("Groups, and what comparing communicators or groups gives",
     ["GROUP_HANDLES", "", "COMMUNICATOR_GROUP_COMP_RESULTS"]),
    ("Topologies", ["TOPOLOGIES"]),
    ("Datatypes", ["PREDEFINED_DATATYPES"]),
    ("Datatypes of value and index (MPI_MINLOC, MPI_MAXLOC)",
     ["REDUCTION_FUNC_DATATYPES_C", "", "REDUCTION_FUNC_DATATYPES_FORTRAN"]),
    ("Optional Fortran datatypes", ["OPT_DATATYPES_FORTRAN"]),
    ("How a datatype was made", ["DATATYPE_DECODING_CONSTANTS"]),
    ("Classes of Fortran types, array order and distribution",
     ["F90_DATATYPE_MATCHING_CONSTANTS", "", "FILE_OPERATIONS_CONSTANTS"]),
    ("Reduction operations", ["COLLECTIVE_OPS"]),
    ("Requests and messages", ["OTHER_HANDLES:MPI_Request", "MSG_HANDLES"]),
    ("Sessions and info", ["OTHER_HANDLES:MPI_Session", "ENV_INQ_INFO_KEY"]),
    ("Error handlers", ["ERROR_SPECIFIERS"]),
    ("Attribute keys", ["ENV_INQ_AND_ATTR_KEYS"]),
    ("Windows",
     ["OTHER_HANDLES:MPI_Win", "", "WINDOW_LOCK_TYPE_CONSTANTS", "", "WINDOW_CREATE_FLAVORS", "", "WINDOW_MODELS"]),
    ("Files, and the modes of files and windows",
     ["OTHER_HANDLES:MPI_File", "", "MODE_CONSTANTS", "", "FILE_POS_CONSTANTS", "", "FILE_OP_CONSTANTS"]),
    ("The Fortran status, as an array", ["FORTRAN_STATUS_ARRAY_SIZE_AND_INDEX_C"]),
]

TOOL_SECTIONS = [
    ("Handles of the tool information interface", ["TOOL_INFO_IFACE_HANDLES"]),
    ("Verbosity of variables and events", ["TOOL_INFO_IFACE_VERBOSITY_LEVELS"]),
    ("The object a variable or event belongs to", ["TOOL_INFO_IFACE_VAR_ASSOCIATIONS"]),
    ("Who must write a control variable", ["TOOL_INFO_IFACE_VAR_SCOPES"]),
    ("Classes of performance variables", ["TOOL_INFO_IFACE_PVAR_CLASSES"]),
]

FUNCTION_SECTION = ("Predefined callbacks", ["FUNCTIONS", "", "DEPRECATED_FUNCS"])

# Enumeration types, which C declares before anything that uses them.
ENUMS = [
    ("MPI_T_cb_safety", "What an event's callback may do", "TOOL_INFO_IFACE_CB_SAFETY_REQ_LEVELS"),
    ("MPI_T_source_order", "Whether a source's events come in order", "TOOL_INFO_IFACE_SOURCE_ORDERINGS"),
]

# C types of the JSON's parameter kinds; a kind that is not here is an int. POLY kinds: small form, large form.
POLY = {
    "POLYDISPLACEMENT": ("int", "MPI_Aint"),
    "POLYDISPLACEMENT_AINT_COUNT": ("MPI_Aint", "MPI_Count"),
    "POLYDISPOFFSET": ("MPI_Aint", "MPI_Count"),
    "POLYDTYPE_PACK_SIZE": ("MPI_Aint", "MPI_Count"),
    "POLYDTYPE_STRIDE_BYTES": ("MPI_Aint", "MPI_Count"),
    "POLYLOCATION": ("MPI_Aint", "MPI_Count"),
    "POLYRMA_DISPLACEMENT": ("int", "MPI_Aint"),
}

AINTS = """ALLOC_MEM_NUM_BYTES DISPLACEMENT DISPLACEMENT_NNI DISPOFFSET_SMALL LOCATION_SMALL RMA_DISPLACEMENT_NNI
    WINDOW_SIZE WIN_ATTACH_SIZE"""
COUNTS = "DROPPED_COUNT GENERIC_DTYPE_COUNT NUM_BYTES TOOLS_TICK_COUNT XFER_NUM_ELEM XFER_NUM_ELEM_NNI"
ADDRESSES = """ATTRIBUTE_VAL ATTRIBUTE_VAL_10 BUFFER C_BUFFER C_BUFFER2 C_BUFFER3 C_BUFFER4 EXTRA_STATE EXTRA_STATE2
    LOGICAL_VOID TOOL_MPI_OBJ"""

KINDS = {
    **dict.fromkeys(AINTS.split(), "MPI_Aint"),
    **dict.fromkeys(COUNTS.split(), "MPI_Count"),
    "OFFSET": "MPI_Offset",
    "COMMUNICATOR": "MPI_Comm",
    "DATATYPE": "MPI_Datatype",
    "ERRHANDLER": "MPI_Errhandler",
    "FILE": "MPI_File",
    "GROUP": "MPI_Group",
    "INFO": "MPI_Info",
    "MESSAGE": "MPI_Message",
    "OPERATION": "MPI_Op",
    "REQUEST": "MPI_Request",
    "SESSION": "MPI_Session",
    "STATUS": "MPI_Status",
    "WINDOW": "MPI_Win",
    "CALLBACK_SAFETY": "MPI_T_cb_safety",
    "CVAR": "MPI_T_cvar_handle",
    "EVENT_INSTANCE": "MPI_T_event_instance",
    "EVENT_REGISTRATION": "MPI_T_event_registration",
    "PVAR": "MPI_T_pvar_handle",
    "PVAR_SESSION": "MPI_T_pvar_session",
    "SOURCE_ORDERING": "MPI_T_source_order",
    "TOOLS_ENUM": "MPI_T_enum",
    "NOTHING": "void",
    "TICK_RESOLUTION": "double",
    "WALL_TIME": "double",
}

# Kinds that are one pointer whichever way the data goes.
POINTERS = {
    **dict.fromkeys(ADDRESSES.split(), "void"),
    "STRING": "char",
    "EVENT_CB_FUNCTION": "MPI_T_event_cb_function",
    "EVENT_DROP_CB_FUNCTION": "MPI_T_event_dropped_cb_function",
    "EVENT_FREE_CB_FUNCTION": "MPI_T_event_free_cb_function",
}


def plain_type(kind, large):
    """The C type of one value of a kind."""
    if kind.startswith("POLY"):
        return POLY.get(kind, ("int", "MPI_Count"))[large]
    return KINDS.get(kind, "int")


def parameter(p, large):
    """One parameter as C text, "const int ranks[]"."""
    kind, name = p["kind"], p["name"]
    const = "const " if p["constant"] else ""
    by_pointer = p["pointer"] is True or (p["param_direction"] != "in" and p["pointer"] is not False)
    if kind == "VARARGS":
        return "..."
    if kind in ("FUNCTION", "POLYFUNCTION"):
        suffix = "_c" if kind == "POLYFUNCTION" and large else ""
        return f"{p['func_type']}{suffix} *{name}"
    if kind == "STRING" and p["param_direction"] == "in" and p["length"] is not None:
        return f"{const}char {name}[]"
    if kind in POINTERS:
        return f"{const}{POINTERS[kind]} *{name}"
    if kind == "ARGUMENT_LIST":
        return f"char ***{name}" if by_pointer else f"char *{name}[]"
    if kind == "STRING_ARRAY":
        return f"char *{name}[]"
    if kind == "STRING_2DARRAY":
        return f"char **{name}[]"
    value = const + plain_type(kind, large)
    if isinstance(p["length"], list):
        return f"{value} {name}[][{p['length'][-1]}]"
    if p["length"] is not None:
        return f"{value} {name}[]"
    return f"{value} {'*' if by_pointer or kind == 'STATUS' else ''}{name}"


def is_c(entry):
    """Whether the standard ABI has the entry in C: it leaves out the c2f/f2c family, which needs MPI_Fint."""
    kinds = [p["kind"] for p in entry["parameters"]] + [entry["return_kind"]]
    return entry["attributes"]["c_expressible"] and not any(k.startswith(("F90_", "F08_")) for k in kinds)


def has_large_form(entry):
    return entry["name"] in STUB_LARGE_FORMS or any(p["kind"].startswith("POLY") for p in entry["parameters"])


def prototype(entry, large):
    shown = [p for p in entry["parameters"]
             if "c_parameter" not in p["suppress"].split() and (large or not p["large_only"])]
    parameters = ", ".join(parameter(p, large) for p in shown) or "void"
    return f"{plain_type(entry['return_kind'], large)} {entry['name']}{'_c' if large else ''}({parameters});"


def prototypes(entries):
    """Prototypes in alphabetical order, each large-count form behind its small form."""
    lines = []
    for entry in sorted(entries, key=lambda e: e["name"].lower()):
        lines += [prototype(entry, large) for large in ([False, True] if has_large_form(entry) else [False])]
    return lines


def value_text(constant):
    c_type, value = constant["handle_types"]["c"]["type"], constant["abi_value"]
    if c_type == "int":
        return f"({value})" if value < 0 else str(value)
    if "*" in c_type:
        return f"(({c_type.rstrip('* ')} {'*' * c_type.count('*')}){value})"
    if c_type.startswith("MPI_T_"):
        return f"(({c_type}){value})"
    return f"(({c_type})0x{value:08x})"


class Constants:
    """The constants of the C interface; each may be taken once, so that none is lost or doubled."""

    def __init__(self, abi):
        self.left = {c["name"]: c for c in abi["constants"].values() if c["handle_types"]["c"]["type"] is not None}

    def take(self, category):
        category, _, c_type = category.partition(":")
        taken = [c for c in self.left.values()
                 if c["category"] == category and c_type in ("", c["handle_types"]["c"]["type"])]
        if not taken:
            sys.exit(f"make_mpi_h.py: no constants in category {category}")
        for c in taken:
            del self.left[c["name"]]
        return taken

    def section(self, title, categories):
        groups = [self.take(c) if c else [] for c in categories]
        width = max(len(c["name"]) for group in groups for c in group)
        lines = ["", f"/* {title} */"]
        for group in groups:
            lines += [f"#define {c['name']:<{width}} {value_text(c)}" for c in group] or [""]
        return lines

    def enum(self, name, title, category):
        members = [f"  {c['name']} = {c['abi_value']}" for c in self.take(category)]
        return ["", f"/* {title} */", f"typedef enum {name} {{", ",\n".join(members), f"}} {name};"]


def header(apis, abi):
    constants = Constants(abi)
    entries = [e for e in apis.values() if is_c(e) and not e["attributes"]["predefined_function"]]
    callbacks = [e for e in entries if e["attributes"]["callback"]]
    functions = [e for e in entries if not e["attributes"]["callback"]]
    tools = [e for e in functions if e["name"].startswith("MPI_T_")]
    core = [e for e in functions if not e["name"].startswith("MPI_T_")]

    lines = [HEAD.rstrip("\n"), *constants.section(*VERSION_SECTION)]
    lines += ["", "/* Addresses, file offsets and counts */", *(f"typedef {c} {name};" for c, name in INTEGERS)]
    lines += ["", "/* Handles */", *(f"typedef struct MPI_ABI_{h} *MPI_{h};" for h in HANDLES)]
    lines += ["", STATUS.rstrip("\n")]
    for section in SECTIONS:
        lines += constants.section(*section)
    lines += ["", "/* Handles of the tool information interface (MPI_T) */"]
    lines += [f"typedef struct MPI_T_{h}_t *MPI_T_{h};" for h in TOOL_HANDLES]
    for enum in ENUMS:
        lines += constants.enum(*enum)
    for section in TOOL_SECTIONS:
        lines += constants.section(*section)
    lines += ["", "/* Types of callbacks */", *(f"typedef {p}" for p in prototypes(callbacks))]
    lines += ["", "/* Their names before MPI-2.2, deprecated */"]
    lines += [f"typedef MPI_{h}_errhandler_function MPI_{h}_errhandler_fn;" for h in OLD_CALLBACKS]
    lines += constants.section(*FUNCTION_SECTION)
    if constants.left:
        sys.exit(f"make_mpi_h.py: constants in no section: {', '.join(constants.left)}")

    lines += ["", "/* Functions */", *prototypes(core)]
    lines += ["", "/* Functions of the tool information interface */", *prototypes(tools)]
    lines += ["", "/* The same under their profiling names (MPI-5.0 section 15.2) */"]
    lines += [line.replace(" MPI_", " PMPI_", 1) for line in prototypes(core) + prototypes(tools)]
    return "\n".join(lines) + "\n" + TAIL


def main():
    parser = argparse.ArgumentParser(description="Makes the C header of the MPI-5.0 standard ABI.")
    parser.add_argument("folder", type=pathlib.Path, help="folder with mpi-standard-5.0-apis.json and -abi.json")
    parser.add_argument("-o", "--output", type=pathlib.Path, help="file to write (default: standard output)")
    arguments = parser.parse_args()
    files = [arguments.folder / f"mpi-standard-5.0-{name}.json" for name in ("apis", "abi")]
    apis, abi = (json.loads(f.read_text()) for f in files)
    text = header(apis, abi)
    if arguments.output:
        arguments.output.write_text(text)
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
