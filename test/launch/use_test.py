#!/usr/bin/env python3
"""The command line: programs, variables, placement, and what bad use is answered."""
import os
import socket
import subprocess

from launch import BUILD, MPIRUN, PMIX_RANK, Skip, expect, folder, main, matches, run, test

CORES = len(os.sched_getaffinity(0))


def refused(*arguments, says, code=1, **more):
    """Bad use: this exit code and exactly this one line."""
    got, out, err = run(*arguments, **more)
    expect(got == code and out == "" and err == f"mpirun: {says}\n", got, out, err)


@test
def help_names_every_group_of_options():
    code, out, err = run("--help")
    expect(code == 0 and err == "")
    for word in ("-np, -n N", "--map-by WHERE", "--timeout S", "\nExamples\n", "\nPlacement\n", "--fake-nodes K"): expect(word in out, word, out)
    expect(max(map(len, out.splitlines())) <= 100, "too wide")


@test
def help_env_names_every_variable():
    code, out, err = run("--help-env")
    expect(code == 0 and "TUTTI_TRANSPORT (default auto)" in out and "[auto|shm|ucx]" in out, out)


@test
def version_is_one_line():
    code, out, err = run("--version")
    expect(code == 0, code)
    matches(r"\Ampirun \(tutti\) \d+\.\d+\.\d+\n\Z", out)


@test
def bad_numbers_of_ranks_are_refused():
    refused("-np", "0", "true", says='-np takes a whole number from 1, not "0"')
    refused("-np", "x", "true", says='-np takes a whole number from 1, not "x"')
    refused("-n", "-3", "true", says='-np takes a whole number from 1, not "-3"')
    refused("-np", "5000", "true", says="-np 5000 is more than the 4096 ranks that one host takes")
    refused("-np", says="-np needs N")


@test
def ranks_find_our_libraries_first():
    show = ["sh", "-c", "echo path=$LD_LIBRARY_PATH mpi4py=$MPI4PY_LIBMPI"]
    lib = str(BUILD / "lib")
    for name in ("LD_LIBRARY_PATH", "MPI4PY_LIBMPI"): os.environ.pop(name, None)
    for given, options, path, mpi4py in (
            ({}, [], lib, lib + "/libmpi.so.12"),
            ({"LD_LIBRARY_PATH": "/a", "MPI4PY_LIBMPI": "mine"}, [], lib + ":/a", "mine"),
            ({"LD_LIBRARY_PATH": ""}, ["-x", "MPI4PY_LIBMPI=other"], lib, "other"),
            ({"LD_LIBRARY_PATH": "/a"}, ["-x", "LD_LIBRARY_PATH=/b"], "/b", lib + "/libmpi.so.12"),
            ({"LD_LIBRARY_PATH": "/a"}, ["--no-library-path"], "/a", "")):
        code, out, err = run(*options, "-np", 1, *show, env=given)
        expect(code == 0 and out == f"path={path} mpi4py={mpi4py}\n", given, options, out, err)
    code, out, err = run("-v", "-np", 1, "true")
    expect(f"mpirun: ranks look for MPI libraries in {lib} first\n" in err, err)


@test
def unknown_options_get_the_nearest_one():
    refused("--bindto", "core", "true", says="unknown option --bindto; did you mean --bind-to?")
    refused("--time-out", "3", "true", says="unknown option --time-out; did you mean --timeout?")
    refused("--xyzzyxyzzy", "true", says="unknown option --xyzzyxyzzy; mpirun --help lists them")
    refused("-z", "true", says="unknown option -z; mpirun --help lists them")
    refused("--quiet=3", "true", says="--quiet takes no value")


@test
def options_of_other_mpiruns_name_ours():
    refused("--mca", "btl", "self", "true", says="--mca is not ours: what can be tuned are TUTTI_ variables, see mpirun --help-env")
    refused("-genvlist", "A,B", "true", says="-genvlist is not ours: ranks inherit every variable; -x NAME=VALUE sets one more")
    refused("--use-hwthread-cpus", "true", says="--use-hwthread-cpus is not ours: use --map-by hwthread")
    refused("--output-filename=x", "true", says="--output-filename is not ours: use --output-dir or --tag-output")
    refused("--cpu-set", "0", "true", says="--cpu-set is not ours: start mpirun itself on those CPUs: taskset -c LIST mpirun ...")
    expect(run("-q", "-N", 1, "--bind-to", "core:overload-allowed", "echo", "x") == (0, "x\n", ""))
    for same in ("--allow-run-as-root", "-genvall", "-envall", "--report-state-on-timeout"):
        expect(run("-q", same, "-np", 1, "echo", "x") == (0, "x\n", ""), same)


@test
def unknown_words_get_the_nearest_one():
    code, out, err = run("--map-by", "cores", "true")
    expect(code == 1 and err.startswith('mpirun: --map-by does not know "cores"; did you mean "core"? It takes slot, node'), err)
    code, out, err = run("--bind-to", "sockt", "true")
    expect(code == 1 and 'did you mean "socket"?' in err, err)
    code, out, err = run("--rank-by", "slots", "true")
    expect(code == 1 and 'did you mean "slot"?' in err, err)
    code, out, err = run("--map-by", "core:PX=3", "true")
    expect(code == 1 and 'does not know the modifier "PX=3"' in err, err)


@test
def wrong_TUTTI_variables_are_refused():
    refused("true", env={"TUTTI_EGER": "1"}, says="unknown variable TUTTI_EGER; did you mean TUTTI_EAGER?")
    code, out, err = run("-x", "TUTTI_TRANSPORT=shmm", "true")
    expect(code == 1 and 'TUTTI_TRANSPORT: "shmm" is none of auto|shm|ucx; did you mean "shm"?' in err, err)
    code, out, err = run("true", env={"TUTTI_EAGER": "lots"})
    expect(code == 1 and err.startswith("mpirun: TUTTI_EAGER: "), err)
    refused("true", env={"TUTTI_SINGLE_COPY": "3"}, says='TUTTI_SINGLE_COPY: "3" is none of auto|off')
    refused("true", env={"TUTTI_DEBUG": "inof"}, says='TUTTI_DEBUG: unknown level "inof"; did you mean "info"?')


@test
def an_interface_that_is_not_there_is_refused_with_those_that_are():
    for options, env in ([], {"TUTTI_NET_IF": "eth77"}), (["-x", "TUTTI_NET_IF=eth77"], {}):
        code, out, err = run("-np", 1, *options, "true", env=env)
        expect(code == 1, code)
        matches(r'\Ampirun: TUTTI_NET_IF: there is no interface "eth77"; there is .*lo \(loopback\)', err)


@test
def wrong_algorithms_are_refused():
    for value, says in (("allreduce=rign", 'unknown algorithm of allreduce "rign"; did you mean "ring"?'),
                        ("bcast=tree;alreduce=ring", 'unknown collective "alreduce"; did you mean "allreduce"?'),
                        ("bcast=^shuffled", 'unknown algorithm of bcast "shuffled"; there is linear, tree, knomial, ring, doubling, '
                         "scatter_allgather, binary, double_tree, hier, hier_ring, lanes"),
                        ("allreduce=ring:64X-", '"64X" is not a number with an optional suffix k, m or g'),
                        ("allreduce=ring:64K-1K", 'the size range "64K-1K" ends before it begins'),
                        ("barrier=tree:1K-", "barrier takes no size range: its ranks may have different sizes"),
                        ("ring", '"ring" is not of the form collective=algorithm')):
        refused("true", env={"TUTTI_ALGO": value}, says="TUTTI_ALGO: " + says)
        refused("-x", "TUTTI_ALGO=" + value, "true", says="TUTTI_ALGO: " + says)
    expect(run("-q", "-np", 1, "true", env={"TUTTI_ALGO": "allreduce=ring:64K-;bcast=^tree"}) == (0, "", ""))


@test
def other_bad_use_is_refused():
    refused(says="no program to run; mpirun -np 4 ./a.out; mpirun --help tells more")
    refused("-np", 1, "true", ":", says="no program to run before or after a ':'; mpirun -np 4 ./a.out; mpirun --help tells more")
    refused("-np", 1, "true", ":", "true", says="with several programs each one needs its own -np N")
    refused("--timeout", "soon", "true", says='--timeout takes a number of seconds above 0, not "soon"')
    refused("true", env={"MPIEXEC_TIMEOUT": "x"}, says='MPIEXEC_TIMEOUT takes a number of seconds above 0, not "x"')
    refused("--wdir", "/no/such", "true", says="--wdir /no/such: No such file or directory")
    refused("--fake-nodes", 3, "-np", 2, "true", says="--fake-nodes 3 needs at least as many ranks; there are 2")
    refused("-np", 999, "--nooversubscribe", "true",
            says=f"999 ranks do not fit on {CORES} cores, and nooversubscribe was asked for")


@test
def other_hosts_are_refused_and_this_one_is_accepted():
    me = socket.gethostname()
    refused("--host", "elsewhere", "true",
            says=f'--host: more than one host is not supported yet: "elsewhere" is not this host ({me})')
    for here in ("localhost", "localhost:2", me, "127.0.0.1"): expect(run("-q", "-H", here, "-np", 2, "true")[0] == 0, here)
    with folder() as f:
        open(f + "/hosts", "w").write("# ours\nlocalhost slots=3\n\n")
        expect(run("-q", "--hostfile", f + "/hosts", "echo", "x")[1] == "x\nx\nx\n")
        open(f + "/hosts", "w").write("localhost\nelsewhere:4\n")
        refused("--hostfile", f + "/hosts", "true", says=f'--hostfile {f}/hosts line 2: more than one host is not supported '
                f'yet: "elsewhere" is not this host ({me})')
        refused("--hostfile", f + "/none", "true", says=f"--hostfile {f}/none: No such file or directory")


@test
def without_np_there_is_a_rank_per_core():
    code, out, err = run("sh", "-c", "echo x")
    expect(code == 0 and 1 <= out.count("x") <= CORES, out)


@test
def every_spelling_of_np_works():
    for spelling in (["-n", "2"], ["-np", "2"], ["--np", "2"], ["-c", "2"], ["-np=2"], ["--np=2"]):
        expect(run("-q", *spelling, "echo", "x")[:2] == (0, "x\nx\n"), spelling)


@test
def more_ranks_than_cores_works_with_one_line_of_notice():
    ranks = CORES + 2
    code, out, err = run("-np", ranks, "true")
    expect(code == 0 and err.count("\n") == 1, err)
    matches(rf"^mpirun: {ranks} ranks share \d+ cores?, so waiting ranks give way", err)
    for quiet in ("--oversubscribe", "-q", "--map-by=:oversubscribe"): expect(run(quiet, "-np", ranks, "true") == (0, "", ""), quiet)


@test
def several_programs_make_one_job():
    code, out, err = run("-q", "--tag-output", "-np", 2, "echo", "a", ":", "-np", 1, "-x", "V=3", "sh", "-c", "echo $V",
                         ":", "-np", 1, "--wdir", "/", "pwd")
    expect(code == 0 and sorted(out.splitlines()) == ["[0] a", "[1] a", "[2] 3", "[3] /"], out, err)
    code, out, err = run("-q", "-np", 1, PMIX_RANK, "facts", ":", "-np", 2, PMIX_RANK, "facts")
    expect(code == 0 and out.count("pmix.appnum=0") == 1 and out.count("pmix.appnum=1") == 2, out)
    expect(out.count("pmix.job.size=3") == 3, out)


@test
def variables_reach_the_ranks():
    show = ["sh", "-c", "echo $A $B $C"]
    code, out, err = run("-q", "-genv", "A", "1", "-np", 1, "-x", "B=x=y", *show, ":", "-env", "C", "3", "-np", 1, *show, env={"B": "b"})
    expect(code == 0 and sorted(out.splitlines()) == ["1 b 3", "1 x=y"], out)
    code, out, err = run("-np", 1, "-x", "NOT_SET", "true")
    expect(code == 0 and err == "mpirun: -x NOT_SET: not set here, so not set for the ranks\n", err)


@test
def a_job_inside_a_job_is_its_own():
    code, out, err = run("-q", "-np", 2, "sh", "-c", f"{MPIRUN} -q -np 2 {PMIX_RANK} facts")
    expect(code == 0 and out.count("pmix.job.size=2") == 4 and err == "", code, out, err)
    env = {"PMIX_RANK": "7", "PMIX_NAMESPACE": "old", "PMI_RANK": "3", "OMPI_COMM_WORLD_RANK": "3", "PMI_FD": "9"}
    code, out, err = run("-np", 1, "sh", "-c", "echo $PMIX_RANK $PMI_RANK $OMPI_COMM_WORLD_RANK $PMI_FD", env=env)
    expect(out == "0\n", out)


@test
def the_map_is_shown_with_and_without_a_program():
    code, out, err = run("--show-map", "-np", 2)
    expect(code == 0 and out.count("\n") == 3, out)
    matches(r"^ +rank +node +local rank +cpus +program$", out)
    code, out, err = run("-q", "--show-map", "-np", 2, "--bind-to", "none", "echo", "ran")
    expect(out.count("ran\n") == 2 and out.count("not bound") == 2, out)


@test
def ranks_are_bound_as_reported():
    if CORES < 2: raise Skip("one CPU only")
    code, out, err = run("-np", 2, "--tag-output", "--report-bindings", "sh", "-c", "grep Cpus_allowed_list /proc/self/status")
    bound = {line.split()[0].strip("[]"): line.split()[-1] for line in out.splitlines()}
    for rank, cpus in bound.items(): matches(rf"^ +{rank} +\S+ +\d+ +{cpus} +sh$", err)
    expect(len(set(bound.values())) == 2, bound)


@test
def an_outer_affinity_is_kept():
    one = str(min(os.sched_getaffinity(0)))
    done = subprocess.run(["taskset", "-c", one, str(MPIRUN), "-q", "-np", "2", "sh", "-c", "grep Cpus_allowed_list /proc/self/status"],
                          capture_output=True, text=True, timeout=20)
    expect([line.split()[-1] for line in done.stdout.splitlines()] == [one, one], done)


@test
def fake_nodes_split_the_ranks_and_their_segments():
    for by, nodes in ((["--map-by", "slot"], "0,0,1,1"), (["--map-by", "node"], "0,1,0,1")):
        code, out, err = run("-q", "-np", 4, "--fake-nodes", 2, *by, PMIX_RANK, "facts")
        expect(code == 0 and out.count("tutti.nodes=" + nodes + "\n") == 4, out)
        segments = {line for line in out.splitlines() if line.startswith("tutti.segment=")}
        expect(len(segments) == 1 and len(set(segments.pop().split("=")[1].split(","))) == 2, out)


@test
def a_program_is_found_from_the_folder_it_starts_in():
    with folder() as here:
        os.symlink("/bin/echo", here + "/program")
        expect(run("-q", "-np", 2, "--wdir", here, "./program", "hi")[:2] == (0, "hi\nhi\n"))


@test
def a_small_limit_of_open_files_is_raised_or_explained():
    shell = f"ulimit -S -n 32; {MPIRUN} -q -np 16 true"
    done = subprocess.run(["sh", "-c", shell], capture_output=True, text=True, timeout=30)
    expect(done.returncode == 0, done)
    done = subprocess.run(["sh", "-c", f"ulimit -n 32; {MPIRUN} -q -np 16 true"], capture_output=True, text=True, timeout=30)
    expect(done.returncode == 1 and "but the limit is 32; raise ulimit -n" in done.stderr, done)


@test
def without_a_network_interface_one_line_says_what_to_do():
    command = ["unshare", "--net", str(MPIRUN), "-q", "-np", "2", "true"]
    if subprocess.run(["unshare", "--net", "true"], capture_output=True).returncode != 0: raise Skip("may not unshare")
    done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    expect(done.returncode == 1 and done.stderr.count("\n") == 1 and "ip link set lo up" in done.stderr, done)


@test
def verbose_tells_pids_and_times():
    code, out, err = run("-v", "-np", 1, "true")
    matches(r"^mpirun: started rank 0 \(pid \d+, \S+\)$", err)
    matches(r"^mpirun: ended after [\d.e-]+ s with code 0$", err)


if __name__ == "__main__": main()
