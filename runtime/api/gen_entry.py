#!/usr/bin/env python3
"""Makes the entry points of one ABI profile from mpi.h, the only table of the API.

gen_entry.py bodies  MPI_H                          -> body.gen.h: what a human must write, one declaration a body
gen_entry.py names   MPI_H                          -> call_names.gen.cc: names of the calls by number
gen_entry.py shells  MPI_H PROFILE UNSUPPORTED_TXT  -> entry.gen.cc: every PMPI_ function with its weak MPI_ twin
gen_entry.py types   MPI_H                          -> callbacks.gen.h: types of callbacks, for ABIs with handles of their own

A parameter's C type and name tell what it is; the rules below are the whole rulebook. MPI_X and MPI_X_c share one
body: where their types differ, the body sees the wide one. A shell turns handles into objects, checks what the header
alone can tell, calls the body, and leaves errors to Call (call.h).
"""
import re
import sys

HANDLES = {"Comm", "Datatype", "Op", "Group", "Info", "Request", "Win", "File", "Session", "Errhandler", "Message"}
# Calls that work before MPI_Init and after MPI_Finalize (MPI-5.0 section 11.4.1), beside all of MPI_T.
ANYTIME = re.compile(r"MPI_(Init|Init_thread|Initialized|Finalized|Get_version|Get_library_version|Abi_\w+|Info_\w+|"
                     r"Session_\w+|Errhandler_free|Error_string|Error_class|Add_error_\w+|Remove_error_\w+|Pcontrol|"
                     r"\w+_(toint|fromint)|Wtime|Wtick|Aint_\w+)$")
# Calls that are no errors' source and answer with a value.
RAW = re.compile(r"MPI_(Wtime|Wtick|Aint_\w+|\w+_(toint|fromint)|Pcontrol)$")
# A handle passed by address is what the call makes, except where it comes in and may go out changed.
INOUT = re.compile(r"MPI_(\w+_free|\w+_disconnect|File_close|Type_commit|Wait\w*|Test|Test(any|all|some)|Start|Startall|"
                   r"Cancel|I?[Mm]recv|Session_finalize|Request_get_status_\w+)$")
# Datatypes and counts that some ranks or MPI_IN_PLACE make insignificant: resolved without complaint, checked by bodies.
LENIENT = re.compile(r"MPI_(I|Neighbor_|Ineighbor_)?(gather|scatter|all|reduce_scatter)\w*$", re.I)
# Room of a string that a call returns; others say it themselves.
ROOM = {"Get_processor_name": "max_processor_name", "Error_string": "max_error_string",
        "Get_library_version": "max_library_version", "Comm_get_name": "max_object_name",
        "Type_get_name": "max_object_name", "Win_get_name": "max_object_name", "Info_get_nthkey": "max_info_key",
        "Open_port": "max_port_name", "Lookup_name": "max_port_name"}
# How many elements an array has: the first of these that is an argument too. Other arrays are looked at by bodies.
LENGTHS = [(r"array_of_(blocklengths|displacements|types)$", ["count"]), (r"array_of_\w*(sizes|starts|distribs|dargs)$", ["ndims"]),
           (r"array_of_indices$", ["incount"]), (r"array_of_integers$", ["max_integers"]),
           (r"array_of_addresses$", ["max_addresses"]), (r"array_of_large_counts$", ["max_large_counts"]),
           (r"(dims|periods|coords)$", ["ndims", "maxdims"]), (r"index$", ["nnodes", "maxindex"]), (r"edges$", ["maxedges"]),
           (r"neighbors$", ["maxneighbors"]), (r"source(s|weights)$", ["n", "indegree", "maxindegree"]), (r"degrees$", ["n"]),
           (r"dest(inations|weights)$", ["outdegree", "maxoutdegree"]), (r"indices$", ["len"])]
# Buffers of calls that are no collectives, with their counts and types.
BUFFERS = {"buf": ("count", "datatype"), "sendbuf": ("sendcount", "sendtype"), "recvbuf": ("recvcount", "recvtype"),
           "inbuf": ("incount", "datatype"), "outbuf": ("outcount", "datatype"), "inoutbuf": ("count", "datatype")}
# What may not be null beside integers that are given out, though its type does not say so.
OUT_VOID = re.compile(r"(baseptr|buffer_addr|logical_true|logical_false)$|attribute_val$")
# The null handle has a name too (MPI-5.0 section 7.8).
NAMES_NULL = re.compile(r"MPI_(Comm|Type|Win)_get_name$")
# Handles that mean something on one rank only, whatever they are elsewhere.
LEADERS = ("peer_comm", "remote_group")
# Integers whose values differ between ABIs: a value is translated on its way in, what a pointer points at on its way out.
VALUES = {r"dest|source|root|target_rank|rank_source|rank_dest": "kRank", r"(send|recv)?tag": "kTag", r"required|provided": "kThread",
          r"result": "kComparison", r"status": "kTopology", r"split_type": "kSplitType", r"combiner": "kCombiner",
          r"order": "kOrder", r"typeclass": "kTypeclass", r"(\w+_)?keyval": "kKeyval",
          r"errorclass|errorcode|err": "kCode", r"abi_(major|minor)": "kAbiVersion", r"verbosity": "kVerbosity",
          r"bind": "kBind", r"scope": "kScope", r"var_class": "kPvarClass", r"lock_type": "kLockType", r"assert": "kAssert"}
# Arrays of them, with their lengths.
VALUE_ARRAYS = {"ranks1": ("kRank", "n"), "ranks2": ("kRank", "n"), "array_of_distribs": ("kDistribution", "ndims"),
                "array_of_dargs": ("kDistribution", "ndims")}
# Of MPI_T, which has handles that are addresses in any ABI, and calls whose results may all be unwanted.
TOOL_HANDLE = re.compile(r"MPI_T_(enum|[cp]var_handle|pvar_session|event_registration|event_instance)( \*)?$")
ASKS = re.compile(r"MPI_T_\w+_get_(info|item)$")
# Buffers whose address may be a constant, as MPI_IN_PLACE.
SPECIAL = re.compile(r"(send|recv|in|out|inout)?buf(fer)?$")
CHECKED = {"count", "sendcount", "recvcount", "incount", "outcount", "origin_count", "target_count", "result_count", "len"}


def prototypes(header):
    """(result, name, [(type, name, suffix)]) of every MPI_ function."""
    found = []
    for result, name, args in re.findall(r"^(\w+) (MPI_\w+)\((.*)\);", open(header).read(), re.M):
        params = []
        for arg in ([] if args == "void" else args.split(", ")):
            match = re.match(r"(.*?)\s*(\w+)((?:\[\d*\])*)$", arg)
            params.append((match[1].strip(), match[2], match[3]) if match else ("...", "", ""))
        found.append((result, name, args, params))
    return found


class Parameter:
    """One parameter: `decl` is its type in the body, `before`, `arg` and `after` are lines and text of the shell."""

    def __init__(self, function, params, index, wide):
        self.function, self.params = function, params
        self.type, self.name, self.suffix = params[index]
        self.wide = wide                                # its type differs in the _c form
        self.value_array = False                        # its shell passes a translated copy
        self.takes = False                              # its shell takes over a handle's reference
        self.before, self.late, self.after, self.arg, self.decl = [], [], [], self.name, ""
        self.inward, self.outward = [], []              # translations of values, the latter where the call succeeded
        self.base = function[:-2] if function.endswith("_c") else function
        self.comm = next((n for t, n, s in params if t == "MPI_Comm" and not s), None)
        handle = re.fullmatch(r"(const )?MPI_(\w+?)( \*)?", self.type)
        self.optional = bool(ASKS.match(function))      # a null pointer: not wanted
        self.pointer()
        self.value()
        if function.startswith("MPI_T_") and self.tool(): pass
        elif handle and handle[2] in HANDLES:
            self.handle(handle[2], bool(handle[1]), bool(handle[3]))
        elif handle and handle[2] == "Status" and (handle[3] or self.suffix):
            self.status()
        elif re.fullmatch(r"MPI_\w+_(function|fn)\w* \*", self.type):
            if "attr_" not in self.type and self.type not in ("MPI_Copy_function *", "MPI_Delete_function *"):
                self.before.append(f'call.out(reinterpret_cast<const void*>({self.name}), "{self.name}");')
            self.decl = "const Callback&"
            self.arg = f"call.callback({self.name}, {'true' if self.type.endswith('_c *') else 'false'})"
        elif self.wide:
            self.poly()
        elif self.type == "const char *" and not self.suffix:
            self.before.append(f'call.text({self.name}, "{self.name}");')
            self.decl, self.arg = "std::string_view", f"call.view({self.name})"
        elif self.type == "char *" and self.base[4:] in ROOM:
            room = f"call.profile().{ROOM[self.base[4:]]}"
            follows = params[index + 1][1] if index + 1 < len(params) and params[index + 1][0] == "int *" else None
            self.before.append(f'call.out({self.name}, "{self.name}");')
            self.decl, self.arg = "Text", f"Text({self.name}, {room}{', ' + follows if follows else ''})"
        elif index > 0 and params[index - 1][0] == "char *" and self.base[4:] in ROOM and self.type == "int *":
            self.decl = self.arg = ""                   # the Text before it sets the length
        elif self.type in ("int", "MPI_Count") and not self.suffix:
            self.integer()
        else:
            self.decl = re.sub(r"MPI_(Aint|Count|Offset)", "Count", self.type)
            if self.value_array: self.arg = f"{self.name}_.data()"
            if self.suffix: self.decl = self.decl + " *" + ("" if self.suffix.count("[") == 1 else self.suffix)
            if self.suffix.count("[") == 2: self.decl = f"{self.type} (*{{}})[3]"

    # Translations of integers and addresses that mean something else in another ABI.
    def value(self):
        kind = next((kind for names, kind in VALUES.items() if re.fullmatch(names, self.name)), None)
        if self.name == "rank" and self.base.startswith("MPI_Win_"): kind = "kRank"     # may be MPI_PROC_NULL
        array, length = VALUE_ARRAYS.get(self.name, (None, None))
        if kind and self.type == "int" and not self.suffix and self.base != "MPI_Abort":
            self.inward.append(f"{self.name} = Abi::in<Value::{kind}>({self.name});")
        elif kind and self.type == "int *" and not self.suffix:
            self.outward.append(f"{f'if ({self.name}) ' if self.optional else ''}Abi::out<Value::{kind}>({self.name});")
        elif array and self.type == "const int":
            self.before.append(f"const auto {self.name}_ = Abi::array_in<Value::{array}>({self.name}, {length});")
            self.value_array = True
        elif array:
            self.outward.append(f"Abi::array_out<Value::{array}>({self.name}, {length});")
        elif self.type in ("void *", "const void *") and SPECIAL.match(self.name):
            self.inward.append(f"{self.name} = Abi::address_in({self.name});")
        elif self.name == "buffer_addr":
            self.outward.append(f"Abi::address_out({self.name});")
        elif self.name == "array_of_integers":
            self.outward.append(f"Abi::contents_out(*datatype_, {self.name});")

    # Parameters of MPI_T functions that others do not have; False: treated as any.
    def tool(self):
        of_tool = TOOL_HANDLE.match(self.type)
        if of_tool and of_tool[2]:
            if not self.optional: self.before.append(f'call.out({self.name}, "{self.name}");')
            self.decl, self.arg = "void**", f"reinterpret_cast<void**>({self.name})"
        elif of_tool or (self.type == "MPI_Datatype" and self.suffix):
            self.decl = "void*"
        elif self.type == "MPI_T_cb_safety":
            self.decl, self.arg = "int", f"static_cast<int>({self.name})"
        elif self.type == "MPI_T_source_order *":
            self.decl, self.arg = "int*", f"reinterpret_cast<int*>({self.name})"
        elif self.type in ("MPI_Datatype *", "MPI_Info *"):
            kind = self.type[4:-2]
            self.before.append(f"Ref<{kind}> {self.name}_;")
            self.after.append(f"if ({self.name}) call.give_{kind.lower()}({self.name}, {self.name}_);")
            self.decl, self.arg = f"Ref<{kind}>&", f"{self.name}_"
        elif self.name in ("buf", "buffer"):
            self.before.append(f'call.out({self.name}, "{self.name}");')
            self.decl = self.type
        return bool(self.decl)

    # Checks of pointers that need no more than their type and name.
    def pointer(self):
        if self.optional: return
        names = [n for t, n, s in self.params]
        length = next((n for pattern, ns in LENGTHS if re.match(pattern, self.name) and self.suffix for n in ns if n in names), None)
        if length: self.before.append(f'call.array({self.name}, {length}, "{self.name}");')
        count, type = BUFFERS.get(self.name, ("", ""))
        if self.name == "inbuf" and count not in names: count = "count"
        apart = {"dest", "source", "message", "position", "inoutbuf"} & set(names)      # no collective
        if apart and count in names and type in names:
            self.late.append(f'call.data({self.name}, {count}, {type}_, "{self.name}", "{count}");')
        written = re.fullmatch(r"(int|MPI_Count|MPI_Aint) \*", self.type) and not self.wide and self.name != "argc"
        if self.type == "void *" and OUT_VOID.match(self.name): written = not re.search(r"(_set_attr|Attr_put)$", self.base)
        if self.type == "const char" and self.suffix: written = True                    # a string, as datarep
        if written and not self.suffix.startswith("[]["): self.before.append(f'call.out({self.name}, "{self.name}");')

    def handle(self, kind, const, pointer):
        low = kind.lower()
        if self.suffix and kind == "Request":
            count = next(n for t, n, s in self.params if t == "int" and not s)
            self.before.append(f"RequestArray {self.name}_(call, {count}, {self.name});")
            self.decl, self.arg = "std::span<Ref<Request>>", f"{self.name}_.span()"
            if not const: self.after.append(f"{self.name}_.store();")
        elif self.suffix and kind == "Datatype" and const:
            self.decl, self.arg = "const Types&", f"call.types({self.name})"
        elif self.suffix and kind == "Datatype":
            self.before.append(f"TypeArray {self.name}_(call, max_datatypes, {self.name});")
            self.decl, self.arg = "std::span<Ref<Datatype>>", f"{self.name}_.span()"
            self.after.append(f"{self.name}_.store();")
        elif self.suffix:
            self.decl = "const void *" if const else "void *"
        elif pointer:
            receives = "mrecv" in self.base.lower()     # of MPI_Imrecv the message comes in, the request goes out
            inout = self.takes = bool(INOUT.match(self.base)) and (kind == "Message" or not receives)
            self.before.append(f"Ref<{kind}> {self.name}_" + (f" = call.take_{low}({self.name});" if inout else ";"))
            if not inout: self.before.append(f'call.out({self.name}, "{self.name}");')
            self.after.append(f"call.{'store' if inout else 'give'}_{low}({self.name}, {self.name}_);")
            self.decl, self.arg = f"Ref<{kind}>&", f"{self.name}_"
        else:
            may_be_null = kind in ("Info", "Request", "Message") or self.lenient() or bool(NAMES_NULL.match(self.base))
            check = f"call.{low}{'_or_null' if may_be_null else ''}({self.name}, \"{self.name}\");"
            if self.name in LEADERS: may_be_null, check = True, f"call.{low}_if_any({self.name});"
            if kind in ("Datatype", "Op") and any(n == "root" for t, n, s in self.params) and not may_be_null:
                check = f"call.idle(root, {self.comm}_) ? call.any_{low}() : {check}"
            if kind == "Datatype" and self.lenient(): check = f"call.datatype_if_any({self.name});"
            self.before.append(f"{'TypeArg' if kind == 'Datatype' and self.lenient() else kind + '*'} {self.name}_ = {check}")
            if kind == "Datatype" and not may_be_null and self.communicates():
                self.before.append(f'call.committed({self.name}_, "{self.name}");')
            if kind == "Datatype" and self.lenient(): self.decl, self.arg = "TypeArg", f"{self.name}_"
            else: self.decl, self.arg = (f"{kind}*", f"{self.name}_") if may_be_null else (f"{kind}&", f"*{self.name}_")

    def lenient(self):
        return bool(LENIENT.match(self.base)) and re.match(r"send|recv", self.name)

    def communicates(self):
        return any(t in ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Message *") and not s for t, n, s in self.params)

    def status(self):
        if self.suffix:
            count = next(n for t, n, s in self.params if t == "int" and not s)
            self.before.append(f"StatusArray {self.name}_(call, {count}, {self.name});")
            self.decl, self.arg = "Status*", f"{self.name}_.get()"
            self.after.append(f"{self.name}_.store();")
        elif self.type.startswith("const"):
            self.before.append(f'StatusIn {self.name}_(call, {self.name}, "{self.name}");')
            self.decl, self.arg = "const Status&", f"{self.name}_.get()"
        else:
            self.before.append(f"StatusOut {self.name}_(call, {self.name});")
            self.decl, self.arg = "Status*", f"{self.name}_.get()"
            self.after.append(f"{self.name}_.store();")

    def poly(self):
        if self.suffix or (self.type.endswith("*") and self.type.startswith("const")):
            self.decl, self.arg = ("Ints", f"Ints({self.name})")
            if not self.type.startswith("const"): self.decl, self.arg = "Out", f"Out({self.name})"
        elif self.type.endswith("*"):
            self.before.append(f'call.out({self.name}, "{self.name}");')
            self.decl, self.arg = "Out", f"Out({self.name})"
        else:
            self.decl = "Count"
            if self.name in CHECKED and not self.lenient(): self.before.append(f'call.count({self.name}, "{self.name}");')

    def integer(self):
        self.decl = "int" if self.type == "int" else "Count"
        sends = any(n == "dest" for t, n, s in self.params)
        receives = any(n == "source" for t, n, s in self.params)
        if self.comm and self.name == "dest":
            self.before.append(f'call.dest({self.name}, {self.comm}_, "{self.name}");')
        elif self.comm and self.name == "source" and "cart" not in self.base.lower():
            self.before.append(f'call.source({self.name}, {self.comm}_, "{self.name}");')
        elif self.comm and self.name == "root":
            self.before.append(f'call.root({self.name}, {self.comm}_, "{self.name}");')
        elif re.fullmatch(r"(send|recv)?tag", self.name) and (sends or receives):
            wild = self.name == "recvtag" or (self.name == "tag" and not sends)
            self.before.append(f'call.{"recv" if wild else "send"}_tag({self.name}, "{self.name}");')
        elif self.name in CHECKED:
            self.before.append(f'call.count({self.name}, "{self.name}");')


def body_name(function, small_names):
    """MPI_Bcast_c -> bcast; a _c form whose parameters are others keeps its suffix."""
    return function[4:].lower() if function not in small_names else small_names[function][4:].lower()


def understand(header):
    """All functions as (result, name, args, params, body, [Parameter]); shares bodies between small and _c forms."""
    protos = prototypes(header)
    by_name = {name: params for _, name, _, params in protos}
    shared = {n: n[:-2] for n in by_name if n.endswith("_c") and n[:-2] in by_name and len(by_name[n]) == len(by_name[n[:-2]])}
    functions = []
    for result, name, args, params in protos:
        twin = by_name.get(shared.get(name, name + "_c" if shared.get(name + "_c") else ""), params)
        wide = [params[i] != twin[i] and "function" not in params[i][0] for i in range(len(params))]
        parameters = [Parameter(name, params, i, wide[i]) for i in range(len(params)) if params[i][0] != "..."]
        functions.append((result, name, args, params, body_name(name, shared), parameters))
    return functions


def declaration(result, body, parameters, raw):
    decls = [(p.decl.format(p.name) if "{}" in p.decl else f"{p.decl}{'' if p.decl[-1] in '*&' and p.decl[-2] == ' ' else ' '}{p.name}") for p in parameters if p.decl]
    return f"{result if raw else 'Err'} {body}({', '.join(decls)});"


def write_bodies(functions):
    lines = ["// Made by gen_entry.py: the functions that implement MPI, one for both widths of counts.", "#pragma once",
             "#include <span>", "#include <string_view>", '#include "base/err.h"', '#include "base/process.h"',
             '#include "base/profile.h"', '#include "base/views.h"', "namespace tutti::mpi {"]
    seen = {}
    for result, name, args, params, body, parameters in functions:
        raw = bool(RAW.match(name))
        text = raw_declaration(result, name, args, body) if raw else declaration(result, body, parameters, raw)
        if seen.get(body, text) != text: sys.exit(f"gen_entry.py: two forms of {body}:\n  {seen[body]}\n  {text}")
        if body not in seen: lines.append(text)
        seen[body] = text
    print("\n".join(lines + ["}  // namespace tutti::mpi"]))


def raw_declaration(result, name, args, body):
    if re.search(r"_(toint|fromint)$", name): return f"// {name}: the shell's own"
    return f"{re.sub('MPI_Aint', 'Count', result)} {body}({re.sub('MPI_Aint', 'Count', args.replace(', ...', ''))});"


def shell(index, function, unsupported):
    result, name, args, params, body, parameters = function
    call_args = ", ".join(p.arg for p in parameters if p.arg)
    head = f"{result} P{name}({args}) {{"
    conversion = re.fullmatch(r"MPI_(\w+)_(toint|fromint)", name)
    base = name[:-2] if name.endswith("_c") and name not in unsupported else name
    if conversion:
        kind = {"Type": "Datatype"}.get(conversion[1], conversion[1])
        return [head, f"  return Call::{conversion[2]}_<MPI_{kind}>({params[0][1]});", "}"]
    if (name in unsupported or base in unsupported) and result != "int": return [head, "  return {};", "}"]
    if name in unsupported or base in unsupported:
        comms = [p for p in parameters if p.type == "MPI_Comm"]      # whose error handler hears of it, if they are any
        lines = [f"  call.home(call.comm({p.name}, \"{p.name}\"));" for p in comms]
        return [head, f"  Call call({index}, Call::kAnytime);", *lines, "  return call.unsupported();", "}"]
    if RAW.match(name):
        return [head, f"  return mpi::{body}({', '.join(n for _, n, _ in params if n)});", "}"]
    home = next((n for t, n, s in params if t in ("MPI_Comm", "MPI_Win", "MPI_File", "MPI_Session") and not s), None)
    tool = name.startswith("MPI_T_")                                 # they raise no error (MPI-5.0 section 15.3)
    lines = [head, f"  Call call({index}{', Call::kAnytime' if tool or ANYTIME.match(name) else ''});"]
    lines += [f"  {line}" for p in parameters for line in p.inward]
    # The communicator first, since others are checked against it; what takes a handle's reference last, when all is well.
    lines += [f"  {line}" for p in sorted(parameters, key=lambda p: (p.takes, p.type != "MPI_Comm")) for line in p.before]
    lines += [f"  {line}" for p in parameters for line in p.late]
    if home: lines.append(f"  call.home({home}_);")
    finish = "tool" if tool else "finish"
    lines.append(f"  if (call.failed()) [[unlikely]] return call.{'tool({})' if tool else 'raise()'};")
    after = [f"  {line}" for p in parameters for line in p.after]
    outward = [f"  if (!failure) {line}" for p in parameters for line in p.outward]
    if after or outward:
        lines += [f"  Err failure = call.run([&] {{ return mpi::{body}({call_args}); }});", *outward, *after,
                  f"  return call.{finish}(std::move(failure));", "}"]
    else:
        lines += [f"  return call.{finish}(call.run([&] {{ return mpi::{body}({call_args}); }}));", "}"]
    return lines


def write_shells(functions, profile, unsupported_txt):
    unsupported = {line.split()[0] for line in open(unsupported_txt) if line.strip() and not line.startswith("#")}
    unknown = unsupported - {f[1] for f in functions}
    if unknown: sys.exit(f"{unsupported_txt}: not in mpi.h: {', '.join(sorted(unknown))}")
    print(f'// Made by gen_entry.py for the {profile} profile.\n#include "api/profiles/{profile}.h"\n#include "body.gen.h"')
    print('#pragma GCC diagnostic ignored "-Wunused-parameter"  // of functions without a body')
    print('using namespace tutti;\n#pragma GCC visibility push(default)\nextern "C" {')
    for index, function in enumerate(functions, 1):
        result, name, args = function[:3]
        print("\n".join(shell(index, function, unsupported)))
        print(f'{result} {name}({args}) __attribute__((weak, alias("P{name}")));\n')
    print("}\n#pragma GCC visibility pop")


def write_types(header):
    print("// Made by gen_entry.py: types of callbacks, with the handles of the header that includes this.\n#pragma once")
    print("\n".join(re.findall(r"^typedef .*MPI_\w+_(?:function|fn)\w*(?:\(.*\))?;", open(header).read(), re.M)))


def write_names(functions):
    print('// Made by gen_entry.py.\n#include "base/call_id.h"\nnamespace tutti {\nnamespace {\nconstexpr std::string_view kNames[] = {""')
    for f in functions: print(f'  , "{f[1]}"')
    print("};\n}\nstd::string_view call_name(std::uint32_t id) { return id < sizeof kNames / sizeof *kNames ? kNames[id] : std::string_view(); }\n}")


def main():
    what, header = sys.argv[1:3]
    functions = understand(header)
    if what == "bodies": write_bodies(functions)
    elif what == "names": write_names(functions)
    elif what == "types": write_types(header)
    elif what == "shells": write_shells(functions, *sys.argv[3:5])
    else: sys.exit(f"gen_entry.py: {what} is none of bodies, names, shells, types")


main()
