"""The calls of garbage_test.py: for every argument of every MPI function of mpi.h, values with which the call is wrong."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

LEFT_OUT = {  # functions -> why
    r"MPI_(Init|Init_thread|Finalize|Abort)": "they begin and end the job",
    r"MPI_(Pcontrol|Wtime|Wtick|Aint_\w+|\w+_(toint|fromint))": "they answer with a value, never with an error",
}

# Arguments that may be as wrong as they like: "function.argument=value", with ", ABI" behind it -> why.
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
    r"(Comm|Type|Win)_get_name\.(comm|datatype|win)=null handle": "the null handle has a name (MPI-5.0 section 7.8)",
    r"Type_get_contents(_c)?\.array_of_(addresses|large_counts)=null": "room for none, and none there",
    r"Free_mem\.base=null": "as with free()",
    r"T_\w+_get_(info|item)\.\w+=null": "not wanted",
    r"T_(init_thread\.required|\w+_alloc\.obj_handle|event_\w+\.user_data)=": "any will do: the nearest level there is, and no object",
    r"Status_set_\w+\.(source|tag)=": "any integer is right",
    r"Type_(create_hindexed|create_struct|indexed)_c\.count=2\^62": "the arrays would have to be as long",
    r"MPI_P(send|recv)_init_c\..*, mpich": "MPICH's header does not have it",
    r"Graph_map\.(index|edges)=": "ranks stay where they are, whatever the edges",
}
# Elsewhere MPI_INFO_NULL means that there are no hints.
NEEDS_INFO = re.compile(r"MPI_(Info_\w+|Comm_set_info|Abi_set_fortran_info)$")

HANDLES = {  # kind -> class, a handle of another kind
    "Comm": ("MPI_ERR_COMM", "MPI_INT"), "Group": ("MPI_ERR_GROUP", "MPI_COMM_WORLD"), "Datatype": ("MPI_ERR_TYPE", "MPI_SUM"),
    "Op": ("MPI_ERR_OP", "MPI_INT"), "Request": ("MPI_ERR_REQUEST", "MPI_COMM_WORLD"), "Info": ("MPI_ERR_INFO", "MPI_COMM_SELF"),
    "Errhandler": ("MPI_ERR_ERRHANDLER", "MPI_GROUP_EMPTY"), "Message": ("MPI_ERR_REQUEST", "MPI_INT"),
    "Session": ("MPI_ERR_SESSION", "MPI_INFO_ENV"), "Win": ("MPI_ERR_WIN", "MPI_INT"), "File": ("MPI_ERR_FILE", "MPI_INT"),
}
# Of an integer that is -7, by its name. None of these: any class.
CLASSES = [(r"(dest|source|target_rank)", "MPI_ERR_RANK"), (r"root", "MPI_ERR_ROOT"), (r"\w*count", "MPI_ERR_COUNT"),
           (r"\w*tag", "MPI_ERR_TAG"), (r"\w*keyval", "MPI_ERR_KEYVAL"), (r"lock_type", "MPI_ERR_LOCKTYPE"),
           (r"assert", "MPI_ERR_ASSERT"), (r"disp_unit|target_disp", "MPI_ERR_DISP"),
           (r"((cat|cvar|pvar)_)?index", "MPI_T_ERR_INVALID_INDEX"), (r"var_class", "MPI_T_ERR_INVALID_NAME")]


def functions():
    header = (ROOT / "runtime/api/mpi.h").read_text()
    lines = (ROOT / "runtime/api/unsupported.txt").read_text().split("\n")
    missing = {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}
    for name, args in re.findall(r"^int (MPI_\w+)\((.*)\);", header, re.M):
        if name in missing or re.sub(r"_c$", "", name) in missing or any(re.fullmatch(p, name) for p in LEFT_OUT): continue
        params = [re.match(r"(.*?)\s*(\w+)((?:\[\d*\])*)$", a).groups() for a in ([] if args == "void" else args.split(", "))]
        yield name, params


# A value for an argument with which the call would be right.
NUMBERS = {"local_leader": "0", "remote_leader": "0", "order": "MPI_ORDER_C", "split_type": "MPI_COMM_TYPE_SHARED",
           "typeclass": "MPI_TYPECLASS_INTEGER", "blocklength": "1",
           "n": "1", "ndims": "1", "nnodes": "1", "outsize": "64", "insize": "64", "valuelen": "64", "p": "6", "r": "6",
           "logical_size": "4", "direction": "0", "errorclass": "errors[0]", "errorcode": "errors[1]", "comm_keyval": "keyval",
           "keyval": "keyval", "type_keyval": "type_keyval", "incount": "2", "max_addresses": "0",
           "max_large_counts": "0", "size": "64", "win_keyval": "win_keyval", "lock_type": "MPI_LOCK_SHARED", "assert": "0",
           "pvar_index": "counter", "required": "MPI_THREAD_SINGLE", "cat_index": "1", "len": "1", "element_index": "0",
           "cb_safety": "MPI_T_CB_REQUIRE_NONE", "var_class": "MPI_T_PVAR_CLASS_COUNTER"}
ZERO = {"dest", "source", "root", "rank", "tag", "sendtag", "recvtag", "color", "key", "periods", "coords", "ranks", "ranks1",
        "displs", "sdispls", "rdispls", "array_of_starts", "array_of_displacements", "edges", "sources", "destinations",
        "target_rank", "target_disp", "cvar_index", "event_index", "source_index"}
# The state in which a window is, where a call needs it in one: begin of the function's name -> window.
WINDOWS = {"Win_unlock_all": "open_win", "Win_flush": "open_win", "Win_unlock": "locked_win", "Win_complete": "started_win",
           "Win_wait": "posted_win", "Win_test": "posted_win", "Win_attach": "dynamic_win", "Win_detach": "dynamic_win",
           "Win_shared_query": "shared_win", "Win_": "idle_win", "": "open_win"}
OF_TOOL = {"cvar_handle": "cvar", "pvar_handle": "pvar", "pvar_session": "tool_session", "enum": "words",
           "event_registration": "NULL", "event_instance": "NULL"}
SIZES = {"MPI_Type_match_size": "4", "MPI_Type_create_darray": "1"}
INDEXED = re.compile(r"MPI_(Info_get_nthkey|Session_get_nth_pset)")


def right(function, type, name, suffix):
    base = re.sub(r"_c$", "", function)
    kind = re.fullmatch(r"(?:const )?MPI_(\w+?)( \*)?", type)
    if kind and kind[1] in HANDLES:
        if suffix: return {"Request": "requests", "Datatype": "types"}[kind[1]]
        value = {"Comm": "comm", "Group": "group", "Datatype": "MPI_INT", "Op": "MPI_SUM", "Request": "request", "Info": "info",
                 "Errhandler": "MPI_ERRORS_RETURN", "Message": "message", "Session": "session",
                 "Win": next(window for start, window in WINDOWS.items() if base[4:].startswith(start)),
                 "File": "MPI_FILE_NULL"}[kind[1]]
        if kind[1] == "Comm" and re.match(r"MPI_(Cart_|Cartdim|Graph|Dist_graph_n)", base) and name == "comm" and "map" not in base:
            value = "cart" if "Cart" in base else "dist" if "Dist" in base else "graph"
        if kind[1] == "Comm" and re.match(r"MPI_I?neighbor_", base, re.I): value = "dist"
        if kind[1] == "Datatype" and re.match(r"MPI_Type_get_contents", base): value = "derived"
        if kind[1] == "Win" and kind[2]: value = "idle_win" if base == "MPI_Win_free" else "made_win"
        if kind[1] == "Op" and kind[2]: value = "op"
        if kind[1] == "Datatype" and kind[2]: value = "derived"
        if kind[1] == "Errhandler" and kind[2]: value = "errhandler"
        if kind[1] == "Request" and base == "MPI_Grequest_complete": value = "generalized"
        if kind[1] == "Request" and base == "MPI_Start": value = "persistent"
        if kind[1] == "Request" and base.startswith("MPI_Pready"): value = "psend"
        if kind[1] == "Request" and base == "MPI_Parrived": value = "precv"
        return "&" + value if kind[2] else value
    if kind and kind[1][2:] in OF_TOOL: return f"({type[:-2]}[]){{{OF_TOOL[kind[1][2:]]}}}" if kind[2] else OF_TOOL[kind[1][2:]]
    if "Status" in type: return "statuses"
    if "function" in type or "_fn" in type: return f"({type})callback"
    if type == "char ***": return "NULL"
    if name == "name" and "cvar" in base: return "cvar_name"
    if "char" in type and "const" not in type: return "(void*)scratch" if suffix else "scratch"
    if "char" in type: return {"datarep": '"external32"', "pset_name": '"mpi://SELF"'}.get(name, '"garbage"')
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
        if name == "base": return {"MPI_Free_mem": "allocated", "MPI_Win_detach": "numbers"}.get(base, "scratch")
        if name in ("sendbuf", "inbuf"): return "ibuf"
        if name.endswith("keyval") and "free" in base: return "&" + NUMBERS[name]
        if name in ("buflen", "pset_len"): return "&length"
        if type in ("int *", "MPI_Count *", "MPI_Aint *"): return "(void*)numbers"
        return "scratch"
    if name == "size" and base in SIZES: return SIZES[base]
    if INDEXED.match(base) and name == "n": return "0"
    if name == "count" and re.search(r"(Start|Wait|Test)all|_get_status_all|(any|some)$", base): return "2"
    return NUMBERS.get(name, "0" if name in ZERO else "1") if (name, "Pack") != ("incount", base[4:8]) else "1"


# More that does not fit: a pattern of "function.argument" -> values as C text, the class, and what the text says beside both names.
REDUCE = r"\w*[Rr]educe\w*|I?(ex)?scan(_init)?|I?(Ex)?[Ss]can(_init)?"
RMA_OPS = r"R?([Gg]et_)?[Aa]ccumulate|Fetch_and_op"
MORE = [
    (r"\.(dest|source)", ["99"], "MPI_ERR_RANK", "99"),
    (r"\.(dest|target_rank)", ["MPI_ANY_SOURCE", "MPI_ROOT"], "MPI_ERR_RANK", "{}"),
    (r"\.target_rank|Win_\w+\.rank", ["99"], "MPI_ERR_RANK", "99"),
    (r"(Cart_coords|Graph_neighbors(_count)?)\.rank", ["99"], "MPI_ERR_RANK", "99"),
    (r"\.root", ["99"], "MPI_ERR_ROOT", "99"),
    (r"\.root", ["MPI_ANY_SOURCE", "MPI_PROC_NULL", "MPI_ROOT"], "MPI_ERR_ROOT", "{}"),
    (r"\.((send|recv)?tag)", ["INT_MAX"], "MPI_ERR_TAG", "2147483647"),
    (r"\w*([Ss]end|replace)\w*\.(send)?tag", ["MPI_ANY_TAG"], "MPI_ERR_TAG", "MPI_ANY_TAG"),
    (rf"({REDUCE}|{RMA_OPS})\.op", ["MPI_MINLOC"], "MPI_ERR_OP", "MPI_MINLOC"),
    (rf"({REDUCE}|Reduce_local)\.op", ["MPI_REPLACE", "MPI_NO_OP"], "MPI_ERR_OP", "{}"),
    (rf"({RMA_OPS})\.op", ["op"], "MPI_ERR_OP", ""),
    (rf"({REDUCE})\.datatype", ["MPI_BYTE"], "MPI_ERR_OP", "{}"),
    (r"Op_free\.op", ["(MPI_Op[]){MPI_SUM}"], "MPI_ERR_OP", "MPI_SUM"),
    (r"Type_free\.datatype", ["(MPI_Datatype[]){MPI_INT}"], "MPI_ERR_TYPE", "MPI_INT"),
    (r"Comm_(free|disconnect)\.comm", ["(MPI_Comm[]){MPI_COMM_WORLD}", "(MPI_Comm[]){MPI_COMM_SELF}"], "MPI_ERR_COMM", "MPI_COMM_"),
    (r"\.(target_disp)", ["9999"], "MPI_ERR_RMA_RANGE", "9999"),
    (r"\.origin_datatype", ["MPI_DOUBLE"], "MPI_ERR_TYPE", ""),
    (r"\.(origin|target)_count", ["2"], "MPI_ERR_TYPE", "8 bytes"),
    (r"Compare_and_swap\.datatype", ["MPI_DOUBLE"], "MPI_ERR_TYPE", "MPI_DOUBLE"),
    (r"Info_(set|get|get_string|get_valuelen|delete)\.key", [f'"{"k" * 300}"'], "MPI_ERR_INFO_KEY", "key"),
    (r"Info_set\.value", [f'"{"v" * 2000}"'], "MPI_ERR_INFO_VALUE", "value"),
    (r"\.(send|recv)types", ["(MPI_Datatype[]){derived}"], "MPI_ERR_TYPE", "not committed"),
    (r"(Cart_(?!map)|Cartdim|Graph_(?!map)|Graphdims|Dist_graph_n)\w*\.comm", ["comm"], "MPI_ERR_TOPOLOGY", ""),
    (r"I?[Nn]eighbor_\w+\.comm", ["comm"], "MPI_ERR_TOPOLOGY", ""),
    (r"(Intercomm_merge|Comm_remote_\w+)\.\w*comm", ["comm"], "MPI_ERR_COMM", ""),
    (r"(Grequest_complete|P(ready|arrived)\w*)\.request", ["request"], "MPI_ERR_REQUEST", ""),
    (r"Start\.request", ["&request"], "MPI_ERR_REQUEST", ""),
    (r"(Type_get_contents)\.datatype", ["MPI_INT"], "MPI_ERR_TYPE", "MPI_INT"),
    (r"(Session|Win)_set_errhandler\.errhandler", ["errhandler"], "MPI_ERR_ERRHANDLER", ""),
    (rf"({RMA_OPS}|R?([Pp]ut|[Gg]et)|Compare_and_swap|Win_((un|fl)\w+|complete|wait|test))\.win", ["idle_win"], "MPI_ERR_RMA_SYNC", ""),
    (r"Win_(fence|lock|lock_all)\.win", ["locked_win"], "MPI_ERR_RMA_SYNC", ""),
    (r"Win_start\.win", ["started_win"], "MPI_ERR_RMA_SYNC", ""),
    (r"Win_post\.win", ["posted_win"], "MPI_ERR_RMA_SYNC", ""),
    (r"Win_(at|de)tach\.win", ["idle_win"], "MPI_ERR_RMA_FLAVOR", ""),
    (r"Win_shared_query\.win", ["dynamic_win"], "MPI_ERR_RMA_FLAVOR", ""),
    (r"Win_free\.win", ["&open_win", "&started_win", "&posted_win"], "MPI_ERR_RMA_SYNC", ""),
    (r"\.disp_unit", ["0"], "MPI_ERR_DISP", "0"),
    (r"\.(lock_type|order|split_type|typeclass|direction)", ["77"], None, "77"),
    (r"Type_match_size\.size", ["3"], "MPI_ERR_ARG", "3"),
    (r"Type_create_f90_\w+\.[pr]", ["9999"], "MPI_ERR_ARG", "9999"),
    (r"\.array_of_(distribs|dargs)", ["(int[]){-77, -77}"], "MPI_ERR_ARG", "-77"),
    (r"\.assert", ["1 << 20"], "MPI_ERR_ASSERT", "1048576"),
    (r"Group_(incl|excl|translate_ranks)\.ranks1?", ["(int[]){99}"], "MPI_ERR_RANK", "99"),
    (r"Group_range_\w+\.ranges", ["(int[][3]){0, 99, 1}", "(int[][3]){-7, 0, 1}"], "MPI_ERR_RANK|MPI_ERR_ARG", ""),
    (r"Group_range_\w+\.ranges", ["(int[][3]){0, 0, 0}"], "MPI_ERR_ARG", "0"),
    (r"Cart_rank\.coords", ["(int[]){99}"], "MPI_ERR_ARG|MPI_ERR_RANK", "99"),
    (r"\.\w*keyval", ["9999"], "MPI_ERR_KEYVAL", ""),
    (r"(Comm_(set|delete)_attr|Attr_(put|delete))\.\w*keyval", ["MPI_TAG_UB"], "MPI_ERR_KEYVAL", ""),
    (r"Win_(set|delete)_attr\.win_keyval", ["MPI_WIN_SIZE"], "MPI_ERR_KEYVAL", ""),
    (r"(Error_(class|string)|Remove_error_\w+|Add_error_\w+)\.error\w+", ["MPI_ERR_LASTCODE + 99999"], None, "116382|1073841822"),
    (r"(Info_get_nthkey|Session_get_nth_pset)\.n", ["99"], "MPI_ERR_ARG", "99"),
    (r"Info_(set|get|get_string|get_valuelen|delete)\.key", ['""'], "MPI_ERR_INFO_KEY", "key"),
    (r"Type_get_contents\.max_integers", ["0"], "MPI_ERR_ARG", "0"),
    (r"Parrived\.partition|Pready\.partition", ["99"], None, "99"),
    (r"T_pvar_handle_alloc\.pvar_index|T_\w+\.c(at|var)_index", ["99999"], "MPI_T_ERR_INVALID_INDEX", ""),
    (r"T_enum_get_item\.index", ["99"], "MPI_T_ERR_INVALID_INDEX", ""),
    (r"T_\w+_get_index\.name", ['"no such"'], "MPI_T_ERR_INVALID_NAME", ""),
    (r"T_pvar_get_index\.var_class", ["77"], "MPI_T_ERR_INVALID_NAME", ""),
]
INOUT = re.compile(r"MPI_(\w+_free|\w+_disconnect|Type_commit|Wait|Test|Start|Cancel|I?[Mm]recv|Session_finalize)$")
TOOL_ERRORS = {"cvar_handle": "HANDLE", "pvar_handle": "HANDLE", "pvar_session": "SESSION", "enum": "HANDLE",
               "event_registration": "HANDLE", "event_instance": "HANDLE"}


def wrong_handle(base, kind, pointer, name):
    """(what it is called, the C text, class, texts) of each wrong value, as all of these functions give them."""
    error, other = HANDLES[kind]
    null, type = f"MPI_{kind.upper()}_NULL", f"MPI_{kind}"
    bad = [("null handle", null, null), ("0x12345678", f"({type})0x12345678L", "0x12345678"), ("7", f"({type})7L", "0x7"),
           ("-1", f"({type})-1L", "0xffffffff"), ("another kind", f"({type}){other}", "0x"),
           ("another dynamic kind", f"({type}){'info' if kind != 'Info' else 'group'}", "0x")]
    if kind != "File": bad.append(("freed", f"freed.{kind.lower()}", "0x"))
    if kind == "Info" and not pointer and not NEEDS_INFO.match(base): bad = bad[1:]
    if not pointer: return [(what, text, error, [name, shown]) for what, text, shown in bad]
    inout = INOUT.match(base) and not (kind == "Request" and "mrecv" in base.lower())
    return [("null pointer", "NULL", "MPI_ERR_ARG", [name, "null"])] + \
        [(what, f"({type}[]){{{text}}}", error, [name, shown]) for what, text, shown in bad if inout]


def wrong_handles(kind, name, const):
    values = [("null", "NULL", "MPI_ERR_ARG", [name, "null"])]
    if kind == "Request":
        values += [("garbage inside", "(MPI_Request[]){MPI_REQUEST_NULL, (MPI_Request)0x12345678L}", "MPI_ERR_REQUEST", [name + "[1]", "0x12345678"]),
                   ("freed inside", "(MPI_Request[]){freed.request, MPI_REQUEST_NULL}", "MPI_ERR_REQUEST", [name + "[0]", "0x"])]
    elif const:
        values += [("garbage inside", "(MPI_Datatype[]){(MPI_Datatype)0x12345678L}", "MPI_ERR_TYPE", [name + "[0]"]),
                   ("freed inside", "(MPI_Datatype[]){freed.datatype}", "MPI_ERR_TYPE", [name + "[0]"])]
    return values


def wrong_tool_handle(kind, pointer, base):
    type, error = f"MPI_T_{kind}", f"MPI_T_ERR_INVALID_{TOOL_ERRORS[kind]}"
    bad = [("null handle", f"({type})NULL"), ("0x12345678", f"({type})0x12345678L"), ("another kind", f"({type})scratch")]
    freed = {"cvar_handle": "freed_cvar()", "pvar_handle": "freed_pvar()", "pvar_session": "freed_session()"}
    if kind in freed: bad.append(("freed", freed[kind]))
    if not pointer: return [(what, text, error, []) for what, text in bad]
    return [("null pointer", "NULL", None, [])] + \
        [(what, f"({type}[]){{{text}}}", error, []) for what, text in bad if base.endswith("_free")]


def wrong_array(type, name, suffix):
    buffer = re.fullmatch(r"(send|recv|in|out|inout)?buf|buffer|(origin|result|compare)_addr", name)
    values = [("null", "NULL", "MPI_ERR_BUFFER" if buffer else None, [name, "null|(nil)"])]
    if suffix == "[]" and re.match(r"const (int|MPI_Count|MPI_Aint)$", type) and not name.endswith("displs"):
        if re.search(r"counts|blocklengths|ranks|sizes|coords|edges|degrees|^sources|^destinations|dims|index", name):
            values.append(("-7", f"({type[6:]}[]){{-7, -7}}", "MPI_ERR_COUNT" if name.endswith("counts") else None, [name, "-7"]))
    return values


def huge(base, name):
    """A count too large for any memory. A type's size comes of all its arguments; without memory nobody looks at them."""
    error, texts = "MPI_ERR_COUNT", [name, "4611686018427387904"]
    if re.match(r"MPI_Type_\w*(vector|contiguous|block)$", base): texts = ["would be too large|exceed"]
    if base.endswith("block") and name == "count": error, texts = "MPI_ERR_NO_MEM", ["memory"]
    return "2^62", "(MPI_Count)1 << 62", error, texts


FORMS = {"(": "pointer", "&": "pointer", '"': "text"}                    # by the first sign of a value's text


def form(type, suffix):
    return "text" if "char" in type else "pointer" if suffix or "*" in type else "number"


def wrong(base, params, type, name, suffix):
    kind = re.fullmatch(r"(?:const )?MPI_(\w+?)( \*)?", type)
    if kind and kind[1] in HANDLES:
        values = wrong_handles(kind[1], name, "const" in type) if suffix else wrong_handle(base, kind[1], kind[2], name)
    elif kind and kind[1][2:] in TOOL_ERRORS: values = wrong_tool_handle(kind[1][2:], kind[2], base)
    elif "*" in type or suffix: values = wrong_array(type, name, suffix)
    else: values = [("-7", "-7", next((e for pattern, e in CLASSES if re.fullmatch(pattern, name)), None), [name, "-7"])]
    for pattern, texts, error, shown in MORE:
        if not re.fullmatch(pattern, f"{base[4:]}.{name}" if not pattern.startswith(r"\.") else f".{name}"): continue
        for text in texts:
            if form(type, suffix) == FORMS.get(text[0], "number"): values.append((text, text, error, [name, shown.format(text)]))
    if type == "MPI_Count" and re.fullmatch(r"\w*count|blocklength", name): values.append(huge(base, name))
    if type == "MPI_Datatype" and not suffix and any(t in ("MPI_Comm", "MPI_Win", "MPI_Message *") and not s for t, _, s in params):
        values.append(("uncommitted", "derived", "MPI_ERR_TYPE", [name, "not committed"]))
    return [(what, text, error, [re.sub(r"^\w+_keyval", "keyval", t) for t in texts]) for what, text, error, texts in values]


def tool_error(base, error):
    if re.match(r"MPI_T_(event|source)", base): return None  # there are none, so each argument of theirs is wrong
    return error if error and error.startswith("MPI_T_") else "MPI_T_ERR_INVALID"


def cases(skin):
    """(function, label, C call, class or classes, texts) of each call with one wrong argument."""
    fine = [re.compile(p) for p in FINE]
    for function, params in functions():
        base, tool = re.sub(r"_c$", "", function), function.startswith("MPI_T_")
        good = [right(function, *p) for p in params]
        if tool and function != "MPI_T_init_thread":
            call = f"(MPI_T_finalize(), {function}({', '.join(good)}))"
            yield function, f"{function}=not initialised", call, "MPI_T_ERR_NOT_INITIALIZED", []
        for at, param in enumerate(params):
            for what, text, error, texts in wrong(base, params, *param):
                label = f"{function}.{param[1]}={what}"
                if any(p.search(f"{label}, {skin}") for p in fine): continue
                call = f"{function}({', '.join(good[:at] + [text] + good[at + 1:])})"
                if tool: yield function, label, call, tool_error(base, error), []          # their codes have no text of their own
                else: yield function, label, call, error, [function, *texts]
