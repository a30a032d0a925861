#!/usr/bin/env python3
"""The tutti command."""
import json
import os
import pathlib
import re
import socket
import subprocess

from launch import BUILD, Skip, expect, folder, main, matches, run, test


def tutti(*arguments, input=None, **env):
    done = subprocess.run([str(BUILD / "bin/tutti"), *arguments], capture_output=True, text=True, timeout=20, input=input,
                          env={**os.environ, "XDG_CACHE_HOME": "/nowhere", **env})       # what somebody tuned is not looked at
    return done.returncode, done.stdout, done.stderr


@test
def info_shows_versions_and_every_variable_with_its_value():
    code, out, err = tutti("info", TUTTI_EAGER="8k")
    expect(code == 0 and err == "", code, err)
    matches(r"\Atutti \d+\.\d+\.\d+$", out)
    matches(r"^  PMIx +.*\d", out)
    matches(r"^  TUTTI_EAGER += 8192 +\(set here\)$", out)
    matches(r"^  TUTTI_TRANSPORT += auto$", out)
    matches(r"^  transports +shm", out)
    matches(r"^  bcast +linear tree ", out)
    expect(not any(line != line.rstrip() for line in out.split("\n")), out)


@test
def info_names_wrong_variables():
    code, out, err = tutti("info", TUTTI_SPINN="1")
    expect(code == 1 and err == "tutti: unknown variable TUTTI_SPINN; did you mean TUTTI_SPIN?\n", code, err)


def cpu_list(cpus):
    """{0, 1, 2, 5} -> "0-2,5", as tutti writes it."""
    runs = []
    for cpu in sorted(cpus):
        if runs and cpu == runs[-1][1] + 1: runs[-1][1] = cpu
        else: runs.append([cpu, cpu])
    return ",".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)


@test
def topo_shows_the_CPUs_we_may_use():
    code, out, err = tutti("topo")
    allowed = os.sched_getaffinity(0)
    expect(code == 0 and err == "", code, err)
    matches(rf"\A{re.escape(socket.gethostname())}: \d+ packages?, \d+ NUMA nodes?, ", out)
    matches(rf"^CPUs we may use: {cpu_list(allowed)} \({len(allowed)} on \d+ cores?\)$", out)
    matches(r"^package 0", out)
    matches(r"^  NUMA node \d+: ", out)
    matches(r"^interfaces left out: .*\blo \(loopback\)", out)


@test
def topo_under_taskset_marks_what_is_ours():
    cpus = os.sched_getaffinity(0)
    if len(cpus) < 2: raise Skip("one CPU")
    try:
        os.sched_setaffinity(0, {min(cpus)})
        code, out, err = tutti("topo")
    finally:
        os.sched_setaffinity(0, cpus)
    expect(code == 0, err)
    matches(rf"^CPUs we may use: {min(cpus)} \(1 on 1 core\)$", out)
    matches(rf", ours: {min(cpus)}$", out)


@test
def topo_reads_back_the_files_it_writes():
    with folder() as where:
        for kind in ("json", "xml"):
            file = f"{where}/host.{kind}"
            code, tree, err = tutti("topo", f"--{kind}", file)
            expect(code == 0 and err == "" and tree.startswith(socket.gethostname()), kind, code, err)
            expect(tutti("topo", "--from", file) == (0, tree, ""), kind, tree)
            code, text, err = tutti("topo", f"--{kind}", "-")
            expect(code == 0 and text == open(file).read(), kind, code, err)
            expect(tutti("topo", "--from", "-", input=text) == (0, tree, ""), kind)
            code, again, err = tutti("topo", "--from", file, "--json", "-")
            host = json.loads(again)
            expect(host["tutti_topo"] == 1 and {cpu["os"] for cpu in host["cpus"] if cpu["ours"]} == os.sched_getaffinity(0), kind, again)


@test
def topo_obeys_TUTTI_NET_IF():
    code, out, err = tutti("topo", TUTTI_NET_IF="lo")
    expect(code == 0, err)
    matches(r"^ +interface lo: speed unknown$", out)
    expect("lo (loopback)" not in out, out)
    code, out, err = tutti("topo", TUTTI_NET_IF="eth77")
    expect(code == 1 and out == "", code, out)
    matches(r'\Atutti: TUTTI_NET_IF: there is no interface "eth77"; there is .*\blo \(loopback\)', err)


@test
def topo_in_a_job_speaks_once_a_node_and_tells_its_ranks():
    code, out, err = run("-q", "-np", 3, "--fake-nodes", 2, BUILD / "bin/tutti", "topo")
    expect(code == 0 and err == "" and out.count("CPUs we may use: ") == 2, code, out, err)
    matches(r"^job: ranks 0-2 on 2 nodes; here, on node 0: ranks 0-1$", out)
    matches(r"^job: ranks 0-2 on 2 nodes; here, on node 1: rank 2$", out)


@test
def topo_tells_what_is_wrong_with_a_file():
    with folder() as where:
        nothing = f"{where}/nothing"
        expect(tutti("topo", "--from", nothing) == (1, "", f"tutti: {nothing}: No such file or directory\n"))
        expect(tutti("topo", "--json", f"{nothing}/x") == (1, "", f"tutti: cannot write {nothing}/x: No such file or directory\n"))
    expect(tutti("topo", "--json", "/dev/full") == (1, "", "tutti: cannot write /dev/full: No space left on device\n"))
    expect(tutti("topo", "--from", "-", input="hello") == (1, "", "tutti: stdin: neither hwloc's XML nor tutti's JSON\n"))


@test
def help_lists_the_subcommands_and_each_tells_its_options():
    code, out, err = tutti("--help")
    expect(code == 0 and err == "", code, err)
    for name in ("info", "topo"):
        matches(rf"^  {name} +\w", out)
        code, own, err = tutti(name, "--help")
        expect(code == 0 and err == "", code, err)
        matches(rf"^Usage: tutti {name} ", own)
        matches(rf"^Examples:\n  tutti {name}", own)
    expect(tutti("--version")[1].startswith("tutti "))


@test
def wrong_use_says_what_there_is():
    code, out, err = tutti()
    expect(code == 2 and out == "" and "info" in err and "topo" in err, code, out, err)
    for words, text in [
            (["inof"], 'there is no subcommand "inof"; did you mean info?'),
            (["zzzzzzzz"], 'there is no subcommand "zzzzzzzz"; tutti --help lists them'),
            (["info", "--hepl"], "unknown option --hepl; did you mean --help?"),
            (["info", "-q"], "unknown option -q; tutti info --help lists them"),
            (["topo", "--jsn", "x"], "unknown option --jsn; did you mean --json?"),
            (["topo", "--xml"], "--xml: 1 required FILE missing; tutti topo --help tells more"),
            (["topo", "--xml", "-", "--json", "-"], "--xml and --json cannot both go to stdout"),
            (["topo", "x"], 'tutti topo takes no argument "x"')]:
        expect(tutti(*words) == (2, "", f"tutti: {text}\n"), words, tutti(*words))


@test
def output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(BUILD / "bin/tutti"), "info"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
    expect(done.returncode == 1 and done.stderr == "tutti: cannot write to stdout: No space left on device\n", done)


@test
def simulate_prints_every_algorithm_fastest_first():
    code, out, err = tutti("simulate", "--coll", "allreduce", "--nodes", "16", "--ppn", "8", "--bytes", "8,1M")
    expect(code == 0 and err == "", code, err)
    matches(r"\Aallreduce on 128 ranks: 16 nodes of 8, in block order$", out)
    for part in out.split("bytes\n")[1:]:
        times = [float(t) for t in re.findall(r"^  \w+ +([\d.]+) ", part, re.M)]
        expect(len(times) >= 8 and times == sorted(times), part)
        expect(len(re.findall("chosen by formula$", part, re.M)) == 1, part)
    matches(r"^  hier +[\d.]+ +1\.00 .*chosen", out.split("1M bytes")[0])


@test
def simulate_says_what_comes_from_a_formula():
    code, out, err = tutti("simulate", "--coll", "alltoall", "--nodes", "1024", "--ppn", "96", "--bytes", "8", "--algo", "pairwise")
    expect(code == 0 and re.search(r"^  pairwise .* by formula: about [\d.e+]+ steps", out, re.M), code, out, err)


@test
def simulate_writes_json_and_takes_rates():
    code, out, err = tutti("simulate", "--print-rates")
    slow = json.loads(out)
    slow["net"]["start_us"] = 5000
    home = folder()
    file = pathlib.Path(home.name) / "rates.json"
    file.write_text(json.dumps(slow))
    def us(*more):
        out = tutti("simulate", "--coll", "barrier", "--nodes", "2", "--json", "-", *more)[1]
        return min(r["us"] for r in json.loads(out)["results"])
    expect(us("--rates", str(file)) > 100 * us(), us(), us("--rates", str(file)))


@test
def tune_measures_and_jobs_find_what_it_wrote():
    program = BUILD / "test/mpi/coll_mix"
    if not program.exists(): raise Skip("the MPI tests are not built")
    home = folder()
    file = pathlib.Path(home.name) / f"tutti/rates-{socket.gethostname()}.json"
    code, out, err = tutti("tune", "--seconds", "0.002", XDG_CACHE_HOME=home.name)
    expect(code == 0 and err == "", code, err)
    matches(r"^  in a node +[\d.]+ us to start a message, [\d.]+ GB/s, [\d.]+ us for a rendezvous$", out)
    expect(out.endswith(f"written to {file}\n"), out)
    rates = json.loads(file.read_text())
    expect(0.01 < rates["node"]["start_us"] < 1000 and 1e-6 < rates["node"]["byte_us"] < 0.1 and 0 < rates["reduce_us"] < 0.1, rates)
    env = {"XDG_CACHE_HOME": home.name, "TUTTI_DEBUG": "info:tuning"}
    code, out, err = run("-q", "-np", 2, program, env=env)
    expect(code == 0 and err.count(f"tutti: rank 0: rates of the machine from {file}\n") == 1, err[:2000])
    file.write_text("{")
    code, out, err = run("-q", "-np", 2, program, env={"XDG_CACHE_HOME": home.name})
    expect(code == 0 and err.startswith(f"tutti: rank 0: warning: {file}: not JSON: ") and err.count("\n") == 1, err[:2000])


@test
def tune_names_what_is_wrong():
    for arguments, text in (
            (["--between", "sh -c 'echo no such node; exit 3' --"], r"tutti: sh -c .* failed: no such node\n"),
            (["--output", "/proc/none/rates.json"], r"tutti: cannot make /proc/none: .*\n")):
        code, out, err = tutti("tune", "--seconds", "0.002", *arguments)
        expect(code == 1 and re.fullmatch(text, err), code, err)


@test
def simulate_names_what_is_wrong():
    home = folder()
    file = pathlib.Path(home.name) / "rates.json"
    for arguments, code, text in [
            (["--coll", "allreduc"], 2, 'there is no collective "allreduc"; did you mean allreduce?'),
            (["--coll", "bcast", "--algo", "rng"], 2, 'there is no algorithm of this collective "rng"; did you mean ring?'),
            (["--coll", "bcast", "--nodes", "0"], 2, "--nodes 0 --ppn 1: both must be at least 1, and together at most 1000000 ranks"),
            (["--coll", "bcast", "--root", "4", "--ppn", "4"], 2, "--root is 4; ranks are 0..3"),
            (["--coll", "bcast", "--order", "random"], 2, '--order is "random"; it must be block or cyclic'),
            (["--coll", "bcast", "--bytes", "1x"], 2, '"1x" is not a number with an optional suffix k, m or g'),
            ([], 2, "--coll is missing; tutti simulate --help tells more"),
            (["--coll", "bcast", "--rates", "/nowhere"], 2, "cannot read /nowhere: No such file or directory"),
            ('{"nod": 1}', 2, f'{file}: unknown key "nod"; did you mean "node"?'),
            ('{"node": {"start_us": -1}}', 2, f"{file}: node.start_us is -1; it must be a number from 0"),
            ('{"ports": "two"}', 2, f'{file}: ports is "two"; it must be a number from 1')]:
        if isinstance(arguments, str):
            file.write_text(arguments)
            arguments = ["--coll", "bcast", "--rates", str(file)]
        got, out, err = tutti("simulate", *arguments)
        expect(got == code and err == f"tutti: {text}\n" and out == "", arguments, got, err, out)


if __name__ == "__main__": main()
