#!/usr/bin/env python3
"""Calls every supported MPI function with one argument at a time that makes no sense: null pointers, null handles, handles
that were freed, of another kind or never made, negative counts. Usage: garbage_test.py BUILD [NAME ...] [-v]

The calls are made from mpi.h. Each must return (never crash or hang) with the class that its argument asks for and a text
that names function, argument and value, and MPI must work on afterwards. A function is one test. What may be
anything stands in FINE, with its reason.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
WANTED = [a for a in sys.argv[2:] if not a.startswith("-")]

# These end the job, answer with a value instead of an error, or belong to what no call can be wrong about.
LEFT_OUT = re.compile(r"MPI_(Init|Init_thread|Finalize|Abort|Pcontrol|Wtime|Wtick|Aint_\w+|\w+_(toint|fromint)|T_\w+)$")

# Arguments that may be as wrong as they like: "function.argument=value" -> why.
FINE = {
    r"Intercomm_create(_from_groups)?\.(peer_comm|remote_group)=": "looked at on the leader alone, after the shell: the text has no value",
    r"Intercomm_merge\.high=": "any number says yes or no",
    r"\.(status|array_of_statuses)=null": "MPI_STATUS_IGNORE",
    r"\.(argc|argv)=": "not looked at",
    r"\.extra_state=|(_set_attr|Attr_put)\.attribute_val=|Get_address\.location=": "handed on as it is",
    r"\.(comm_|type_|win_)?(copy|delete)(_attr)?_fn=null": "MPI_COMM_NULL_COPY_FN and its like",
    r"\.(key|disp|commute|reorder|flag|periods|remain_dims)=-7": "any integer is right",
    r"Status_set_\w+\.(err|source|tag)=-7|call_errhandler\.errorcode=-7": "any integer is right",
    r"\.(lb|extent|stride|displs|\w+displs)=-7": "may be negative",
    r"MPI_(Wait|Test|Request_get_status)\.request=null handle": "MPI_REQUEST_NULL counts as complete",
    r"(Comm|Type)_get_name\.(comm|datatype)=null handle": "the null handle has a name (MPI-5.0 section 7.8)",
    r"Type_get_contents(_c)?\.array_of_(addresses|large_counts)=null": "room for none, and none there",
    r"Free_mem\.base=null": "as with free()",
    r"Graph_map\.(index|edges)=": "ranks stay where they are, whatever the edges",
}
# Elsewhere MPI_INFO_NULL means that there are no hints.
NEEDS_INFO = re.compile(r"MPI_(Info_\w+|Comm_set_info|Abi_set_fortran_info)$")

HANDLES = {  # kind -> class, null handle, a handle of another kind, the words for a null one
    "Comm": ("MPI_ERR_COMM", "MPI_INT"), "Group": ("MPI_ERR_GROUP", "MPI_COMM_WORLD"), "Datatype": ("MPI_ERR_TYPE", "MPI_SUM"),
    "Op": ("MPI_ERR_OP", "MPI_INT"), "Request": ("MPI_ERR_REQUEST", "MPI_COMM_WORLD"), "Info": ("MPI_ERR_INFO", "MPI_COMM_SELF"),
    "Errhandler": ("MPI_ERR_ERRHANDLER", "MPI_GROUP_EMPTY"), "Message": ("MPI_ERR_REQUEST", "MPI_INT"),
    "Session": ("MPI_ERR_SESSION", "MPI_INFO_ENV"), "Win": ("MPI_ERR_WIN", "MPI_INT"), "File": ("MPI_ERR_FILE", "MPI_INT"),
}
CLASSES = {"dest": "MPI_ERR_RANK", "source": "MPI_ERR_RANK", "root": "MPI_ERR_ROOT"}


def functions():
    header = (ROOT / "runtime/api/mpi.h").read_text()
    lines = (ROOT / "runtime/api/unsupported.txt").read_text().split("\n")
    missing = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    for name, args in re.findall(r"^int (MPI_\w+)\((.*)\);", header, re.M):
        if name in missing or re.sub(r"_c$", "", name) in missing or LEFT_OUT.match(name): continue
        if "MPI_Win" in args: continue          # need open epochs to be right otherwise: test/mpi/win_errors.cc
        params = [re.match(r"(.*?)\s*(\w+)((?:\[\d*\])*)$", a).groups() for a in ([] if args == "void" else args.split(", "))]
        yield name, params


# A value for an argument with which the call would be right.
NUMBERS = {"local_leader": "0", "remote_leader": "0", "order": "MPI_ORDER_C", "split_type": "MPI_COMM_TYPE_SHARED", "typeclass": "MPI_TYPECLASS_INTEGER", "blocklength": "1",
           "n": "1", "ndims": "1", "nnodes": "1", "outsize": "64", "insize": "64", "valuelen": "64", "p": "6", "r": "6",
           "logical_size": "4", "direction": "0", "errorclass": "errors[0]", "errorcode": "errors[1]", "comm_keyval": "keyval",
           "keyval": "keyval", "type_keyval": "type_keyval", "incount": "2", "max_addresses": "0",
           "max_large_counts": "0"}
ZERO = {"dest", "source", "root", "rank", "tag", "sendtag", "recvtag", "color", "key", "periods", "coords", "ranks", "ranks1",
        "displs", "sdispls", "rdispls", "array_of_starts", "array_of_displacements", "edges", "sources", "destinations", "n_th"}
INDEXED = re.compile(r"MPI_(Info_get_nthkey|Session_get_nth_pset)")


def right(function, type, name, suffix):
    base = re.sub(r"_c$", "", function)
    kind = re.fullmatch(r"(?:const )?MPI_(\w+?)( \*)?", type)
    if kind and kind[1] in HANDLES:
        if suffix: return {"Request": "requests", "Datatype": "types"}[kind[1]]
        value = {"Comm": "comm", "Group": "group", "Datatype": "MPI_INT", "Op": "MPI_SUM", "Request": "request", "Info": "info",
                 "Errhandler": "MPI_ERRORS_RETURN", "Message": "message", "Session": "session", "Win": "MPI_WIN_NULL",
                 "File": "MPI_FILE_NULL"}[kind[1]]
        if kind[1] == "Comm" and re.match(r"MPI_(Cart_|Cartdim|Graph|Dist_graph_n)", base) and name == "comm" and "map" not in base:
            value = "cart" if "Cart" in base else "dist" if "Dist" in base else "graph"
        if kind[1] == "Comm" and re.match(r"MPI_I?neighbor_", base, re.I): value = "dist"
        if kind[1] == "Datatype" and re.match(r"MPI_Type_get_contents", base): value = "derived"
        if kind[1] == "Op" and kind[2]: value = "op"
        if kind[1] == "Datatype" and kind[2]: value = "derived"
        if kind[1] == "Errhandler" and kind[2]: value = "errhandler"
        if kind[1] == "Request" and base == "MPI_Grequest_complete": value = "generalized"
        if kind[1] == "Request" and base == "MPI_Start": value = "persistent"
        if kind[1] == "Request" and base.startswith("MPI_Pready"): value = "psend"
        if kind[1] == "Request" and base == "MPI_Parrived": value = "precv"
        return "&" + value if kind[2] else value
    if "Status" in type: return "statuses"
    if "function" in type or "_fn" in type: return f"({type})callback"
    if type == "char ***": return "NULL"
    if "char" in type: return '"external32"' if name == "datarep" else '"mpi://SELF"' if name == "pset_name" and "const" in type \
        else '"garbage"' if "const" in type else "(void*)scratch" if suffix else "scratch"
    if suffix == "[][3]": return "ranges"
    if suffix or type.startswith("const int") and type.endswith("*"):
        if type == "const int" and name == "level": return "0"
        if name == "array_of_distribs": return "distribs"
        if name == "array_of_dargs": return "dargs"
        wide = "MPI_Count" in type or "MPI_Aint" in type
        return ("l" if wide else "i") + ("zeros" if name in ZERO else "ones")
    if type.endswith("*"):
        if name == "baseptr" or name == "buffer_addr": return "&pointer"
        if name == "attribute_val": return "&pointer"
        if name == "base": return "allocated"
        if name in ("sendbuf", "inbuf") and "Iallreduce": return "ibuf"
        if name in ("comm_keyval", "keyval", "type_keyval") and "free" in base: return "&" + NUMBERS[name]
        if name in ("buflen", "pset_len"): return "&length"
        if type in ("int *", "MPI_Count *", "MPI_Aint *"): return "(void*)numbers"
        return "scratch"
    if base == "MPI_Type_match_size" and name == "size": return "4"
    if INDEXED.match(base) and name == "n": return "0"
    if name == "count" and re.search(r"(Start|Wait|Test)all|_get_status_all|(any|some)$", base): return "2"
    return NUMBERS.get(name, "0" if name in ZERO else "1") if (name, "Pack") != ("incount", base[4:8]) else "1"


def wrong(function, type, name, suffix):
    """(what it is called, the C text, class wanted or None, texts wanted) of each wrong value; `set` statements come first."""
    kind = re.fullmatch(r"(?:const )?MPI_(\w+?)( \*)?", type)
    if kind and kind[1] in HANDLES and not suffix:
        error, other = HANDLES[kind[1]]
        null = f"MPI_{kind[1].upper()}_NULL"
        handle = f"MPI_{kind[1]}"
        inout = INOUT.match(re.sub(r"_c$", "", function)) and not (kind[1] == "Request" and "mrecv" in function.lower())
        bad = [("null handle", null, null), ("0x12345678", f"({handle})0x12345678L", "0x12345678"), ("7", f"({handle})7L", "0x7"),
               ("-1", f"({handle})-1L", "0xffffffffffffffff"), ("another kind", f"({handle}){other}", "0x"),
               ("another dynamic kind", f"({handle}){'info' if kind[1] != 'Info' else 'group'}", "0x")]
        if kind[1] in ("Comm", "Group", "Datatype", "Op", "Request", "Info", "Errhandler", "Message", "Session"):
            bad.append(("freed", f"freed.{kind[1].lower()}", "0x"))
        if kind[1] == "Info" and not kind[2] and not NEEDS_INFO.match(function): bad = bad[1:]
        if not kind[2]:
            return [(what, text, error, [name, shown]) for what, text, shown in bad]
        values = [("null pointer", "NULL", "MPI_ERR_ARG", [name, "null"])]
        if inout: values += [(what, f"&(({handle}[]){{{text}}}[0])", error, [name, shown]) for what, text, shown in bad]
        return values
    if kind and kind[1] == "Request":
        return [("null", "NULL", "MPI_ERR_ARG", [name, "null"]),
                ("garbage inside", "(MPI_Request[]){MPI_REQUEST_NULL, (MPI_Request)0x12345678L}", "MPI_ERR_REQUEST", [name + "[1]", "0x12345678"]),
                ("freed inside", "(MPI_Request[]){freed.request, MPI_REQUEST_NULL}", "MPI_ERR_REQUEST", [name + "[0]", "0x"])]
    if kind and kind[1] == "Datatype":
        if "const" not in type: return [("null", "NULL", "MPI_ERR_ARG", [name, "null"])]
        return [("null", "NULL", "MPI_ERR_ARG", [name, "null"]),
                ("garbage inside", "(MPI_Datatype[]){(MPI_Datatype)0x12345678L}", "MPI_ERR_TYPE", [name + "[0]"]),
                ("freed inside", "(MPI_Datatype[]){freed.datatype}", "MPI_ERR_TYPE", [name + "[0]"])]
    if "*" in type or suffix:
        buffer = name in ("buf", "sendbuf", "recvbuf", "buffer", "inbuf", "outbuf", "inoutbuf")
        values = [("null", "NULL", "MPI_ERR_BUFFER" if buffer else None, [name, "null"])]
        if suffix == "[]" and re.match(r"const (int|MPI_Count|MPI_Aint)$", type) and not name.endswith("displs"):
            array = "int" if type == "const int" else type[6:]
            if re.search(r"counts|blocklengths|ranks|sizes|coords|edges|degrees|^sources|^destinations|dims|index", name):
                values.append(("-7", f"({array}[]){{-7, -7}}", "MPI_ERR_COUNT" if name.endswith("counts") else None, [name, "-7"]))
        return values
    error = CLASSES.get(name, "MPI_ERR_COUNT" if name.endswith("count") else "MPI_ERR_TAG" if name.endswith("tag") else None)
    return [("-7", "-7", error, [name.replace("comm_keyval", "keyval").replace("type_keyval", "keyval"), "-7"])]


INOUT = re.compile(r"MPI_(\w+_free|\w+_disconnect|Type_commit|Wait|Test|Start|Cancel|I?[Mm]recv|Session_finalize)$")

HEAD = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static MPI_Comm comm, cart, graph, dist;
static MPI_Group group;
static MPI_Info info;
static MPI_Datatype derived, types[2];
static MPI_Op op;
static MPI_Request request, persistent, psend, precv, generalized, requests[2];
static MPI_Errhandler errhandler;
static MPI_Message message;
static MPI_Session session;
static MPI_Status statuses[4];
static int errors[2], keyval, type_keyval, length;
static char scratch[8192] __attribute__((aligned(64)));
static int ibuf[16], numbers[64], iones[8], izeros[8], distribs[2], dargs[2], ranges[1][3];
static MPI_Count lones[8], lzeros[8];
static void *pointer, *allocated;
static struct { MPI_Comm comm; MPI_Group group; MPI_Datatype datatype; MPI_Op op; MPI_Request request; MPI_Info info;
                MPI_Errhandler errhandler; MPI_Message message; MPI_Session session; } freed;
static int callback(void) { return MPI_SUCCESS; }
static void must(int code) { if (code != MPI_SUCCESS) { puts("!a right call failed"); abort(); } }

static void make(void) {                       // anew for each call, since it may succeed in freeing what it gets
  int one = 1, zero = 0;
  for (int i = 0; i < 8; ++i) iones[i] = 1, izeros[i] = 0, lones[i] = 1, lzeros[i] = 0;
  memset(scratch, 0, sizeof scratch), memset(numbers, 0, sizeof numbers), memset(ibuf, 0, sizeof ibuf);
  distribs[0] = MPI_DISTRIBUTE_BLOCK, dargs[0] = MPI_DISTRIBUTE_DFLT_DARG;
  ranges[0][0] = ranges[0][1] = 0, ranges[0][2] = 1;
  types[0] = types[1] = MPI_INT, length = 64;
  must(MPI_Comm_dup(MPI_COMM_SELF, &comm));
  must(MPI_Cart_create(comm, 1, &one, &zero, 0, &cart));
  must(MPI_Graph_create(comm, 1, &one, &zero, 0, &graph));
  must(MPI_Dist_graph_create_adjacent(comm, 1, &zero, &one, 1, &zero, &one, MPI_INFO_NULL, 0, &dist));
  must(MPI_Comm_group(comm, &group));
  must(MPI_Info_create(&info));
  must(MPI_Info_set(info, "garbage", "value"));
  must(MPI_Type_contiguous(2, MPI_INT, &derived));
  must(MPI_Op_create((MPI_User_function*)callback, 1, &op));
  must(MPI_Irecv(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &request));
  must(MPI_Irecv(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &requests[0]));
  must(MPI_Irecv(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &requests[1]));
  must(MPI_Recv_init(ibuf, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &persistent));
  must(MPI_Psend_init(ibuf, 2, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_INFO_NULL, &psend));
  must(MPI_Precv_init(ibuf, 2, 1, MPI_INT, MPI_PROC_NULL, 0, comm, MPI_INFO_NULL, &precv));
  must(MPI_Start(&psend));
  must(MPI_Start(&precv));
  must(MPI_Grequest_start((MPI_Grequest_query_function*)callback, (MPI_Grequest_free_function*)callback,
                          (MPI_Grequest_cancel_function*)callback, NULL, &generalized));
  must(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function*)callback, &errhandler));
  must(MPI_Send(ibuf, 1, MPI_INT, 0, 77, comm));
  must(MPI_Mprobe(0, 77, comm, &message, MPI_STATUS_IGNORE));
  must(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  must(MPI_Add_error_class(&errors[0]));
  must(MPI_Add_error_code(errors[0], &errors[1]));
  must(MPI_Add_error_string(errors[1], "a text"));
  must(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL));
  must(MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL));
  must(MPI_Comm_set_attr(comm, keyval, scratch));
  must(MPI_Alloc_mem(64, MPI_INFO_NULL, &allocated));
}

static void free_some(void) {
  MPI_Comm c; MPI_Session s; MPI_Message m;
  make();
  freed.comm = comm, freed.group = group, freed.datatype = derived, freed.op = op, freed.request = request, freed.info = info;
  freed.errhandler = errhandler, freed.message = message, freed.session = session;
  must(MPI_Mrecv(ibuf, 1, MPI_INT, &message, MPI_STATUS_IGNORE));
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
  must(MPI_Comm_free(&comm)), must(MPI_Group_free(&group)), must(MPI_Type_free(&derived)), must(MPI_Op_free(&op));
  must(MPI_Info_free(&info)), must(MPI_Errhandler_free(&errhandler)), must(MPI_Session_finalize(&session));
}

static void unmake(void) {                     // what is still there; the wrong call has had its chance at it
  MPI_Session_finalize(&session);
  MPI_Grequest_complete(generalized);
  MPI_Request_free(&generalized);
  MPI_Request_free(&psend), MPI_Request_free(&precv);
}

static void tell(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int class = -1, n, sent = 5, got = 0;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class), MPI_Error_string(code, text, &n);
  else class = MPI_SUCCESS;
  must(MPI_Sendrecv(&sent, 1, MPI_INT, 0, 9, &got, 1, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE));
  must(got == 5 ? MPI_SUCCESS : MPI_ERR_OTHER);
  must(MPI_Allreduce(&sent, &got, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
  printf("=%d %s\n", class, text);
  fflush(stdout);
}
"""
TAIL = r"""
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  free_some();
  for (int i = atoi(argv[1]); i < (int)(sizeof calls / sizeof *calls); ++i) {
    make();
    printf("@%d\n", i);
    fflush(stdout);
    alarm(10);
    tell(calls[i]());
    unmake();
  }
  puts(".");
  fflush(stdout);
  _exit(0);                                    // requests and communicators are left open on purpose
}
"""


def cases():
    """(function, label, C call, class, texts)"""
    for function, params in functions():
        good = [right(function, *p) for p in params]
        for at, param in enumerate(params):
            for what, text, error, texts in wrong(function, *param):
                if any(re.search(pattern, f"{function}.{param[1]}={what}") for pattern in FINE): continue
                arguments = good[:at] + [text] + good[at + 1:]
                yield function, f"{function}.{param[1]}={what}", f"{function}({', '.join(arguments)})", error, [function, *texts]


def build(all_cases, folder):
    source = folder / "garbage.c"
    lines = [HEAD] + [f"static int call{i}(void) {{ return {case[2]}; }}" for i, case in enumerate(all_cases)]
    lines += ["static int (*const calls[])(void) = {" + ", ".join(f"call{i}" for i in range(len(all_cases))) + "};", TAIL]
    source.write_text("\n".join(lines))
    subprocess.run([BUILD / "bin/mpicc", "-w", "-O0", source, "-o", folder / "garbage"], check=True)
    return folder / "garbage"


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
                number, _, text = line[1:].partition(" ")
                answers[at] = (int(number), text)
            elif line == ".": return answers
            else: noise.append(line)
        if at is None or at in answers and at + 1 == start: sys.exit(f"the program does not start:\n{done.stdout}")
        if at in answers: answers[at] = ("died", f"after it returned: {noise}")
        else: answers[at] = ("died", f"with {'a time-out' if done.returncode == -14 else done.returncode} {' '.join(noise)[:200]}")
        start = at + 1
    return answers


def classes():
    header = (ROOT / "runtime/api/mpi.h").read_text()
    return {int(v): n for n, v in re.findall(r"\b(MPI_SUCCESS|MPI_ERR_\w+)\s*=?\s*\(?(\d+)\)?", header)}


def judge(case, answer, names):
    function, label, call, error, texts = case
    if answer is None: return "not run"
    number, text = answer
    if number == "died": return f"died {text}"
    if number == 0: return "succeeded"
    if error and names.get(number) != error: return f"{names.get(number)} and not {error}: {text}"
    lacking = [t for t in texts if t not in text]
    return f"{lacking} not in: {text}" if lacking else None


def main():
    all_cases = [c for c in cases() if not WANTED or any(w in c[1] for w in WANTED)]
    with tempfile.TemporaryDirectory() as folder:
        answers = run(build(all_cases, pathlib.Path(folder)), len(all_cases))
    names, faults = classes(), {}
    for i, case in enumerate(all_cases):
        fault = judge(case, answers.get(i), names)
        faults.setdefault(case[0], [])
        if fault: faults[case[0]].append(f"{case[1]}: {fault}")
        if "-v" in sys.argv: print(case[1], answers.get(i))
    for function, lines in faults.items():
        if lines: print(f"FAILED {function}\n  " + "\n  ".join(lines))
    bad = sum(bool(lines) for lines in faults.values())
    print(f"{len(faults) - bad} passed, {bad} failed, 0 skipped")
    return int(bad > 0)


if __name__ == "__main__": sys.exit(main())
