#!/usr/bin/env python3
"""MPI ranks that die or leave while others wait in a collective, over every transport: mpirun ends soon, with the right
code, and one line says which rank, where, what happened, and its last MPI call."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

from launch import (BUILD, MPI_RANK, MPIRUN, Job, SOON_S, Skip, expect, folder, litter, main, matches, names_of, python, run,
                    test, until, ways)

OTHERS = r"; the other 3 ranks were ended\n"


def one_fails(how, code, says):
    """Rank 1 of 4 fails as `how` says; the only line of stderr must be `says`."""
    for name, options, env in ways():
        job = Job("-q", *options, "-np", 4, MPI_RANK, how, env=env)
        job.read_until(" up ", 4)
        begin = time.monotonic()
        got, out, err = job.end()
        took_s = time.monotonic() - begin
        expect(got == code and took_s < SOON_S, name, how, got, took_s, err)
        expect(re.fullmatch(r"mpirun: rank 1 \(pid \d+, [^,]+\) " + says + OTHERS, err), name, how, err)
        expect(not job.alive(), name, how, names_of(job.alive()))


@test
def a_good_job_returns_0_and_all_it_printed():
    for name, options, env in ways():
        code, out, err = run("-q", *options, "-np", 4, MPI_RANK, env=env)
        expect(code == 0 and sorted(re.findall(r"^rank (\d) up", out, re.M)) == list("0123") and err == "", name, code, out, err)


@test
def MPI_Abort_gives_its_code():
    one_fails("abort", 7, "aborted the job with code 7: MPI_Abort on MPI_COMM_WORLD")


@test
def a_fatal_error_is_told_once_and_gives_its_class():
    one_fails("error", 6, r"aborted the job with code 6: MPI_Send on MPI_COMM_WORLD: dest is 99, but .* \(MPI_ERR_RANK\)")


@test
def exit_without_MPI_Finalize_is_never_success():
    one_fails("exit", 1, "exited with code 0 but without MPI_Finalize, after MPI_Barrier")


@test
def a_code_without_MPI_Finalize_is_returned():
    one_fails("code", 3, "exited with code 3 after MPI_Barrier")


@test
def a_crash_names_signal_and_call():
    one_fails("crash", 139, r"was killed by signal 11 \(Segmentation fault\) after MPI_Barrier(, core dumped)?")


@test
def a_killed_rank_names_signal_and_call():
    one_fails("kill", 137, r"was killed by signal 9 \(Killed\) after MPI_Barrier")


@test
def a_rank_killed_amidst_long_messages_is_told_not_those_who_miss_it():
    one_fails("long", 137, r"was killed by signal 9 \(Killed\) after MPI_Isend")


@test
def a_code_after_MPI_Finalize_is_returned():
    for name, options, env in ways():
        code, out, err = run("-q", *options, "-np", 4, MPI_RANK, "late", env=env)
        expect(code == 5 and err.count("\n") == 1, name, code, err)
        matches(r"^mpirun: rank 1 \(pid \d+, [^,]+\) exited with code 5 after MPI_Finalize(; .*)?$", err)


@test
def a_rank_that_dies_while_others_finalize_is_the_one_that_is_told():
    for name, options, env in ways():
        job = Job("-q", *options, "-np", 4, MPI_RANK, "last", env=env)
        victim = re.search(r"rank 1 up \(pid (\d+)\)", job.read_until(" up ", 4)).group(1)
        job.until_waiting("MPI_Finalize", 0, 2, 3)
        os.kill(int(victim), signal.SIGKILL)
        code, out, err = job.end()
        expect(code == 137 and "tutti:" not in err and err.count("mpirun: rank") == 1, name, code, err)
        matches(rf"^mpirun: rank 1 \(pid {victim}, [^,]+\) was killed by signal 9 \(Killed\) after MPI_Allreduce" + OTHERS + r"\Z", err)


@test
def of_ranks_that_fail_together_one_is_named_with_its_own_code():
    for name, options, env in ways():
        code, out, err = run("-q", *options, "-np", 4, MPI_RANK, "fail", env=env)
        expect(10 <= code <= 13 and err.count("\n") == 1, name, code, err)
        matches(rf"^mpirun: rank {code - 10} \(pid \d+, [^,]+\) exited with code {code} after MPI_Barrier", err)


@test
def a_failing_MPI_Init_is_told_once():
    for name, options, env in ways():
        if env: continue
        with folder() as libraries:
            for library in ("libmpi_abi.so.1", "libtutti.so.0"): shutil.copy(BUILD / "lib" / library, libraries)
            code, out, err = run("-q", *options, "-np", 4, "-x", "LD_LIBRARY_PATH=" + libraries, "-x", "TUTTI_TRANSPORT=ucx", MPI_RANK)
        expect(code == 16 and out == "" and err.count("\n") == 1, name, code, out, err)
        matches(r"^mpirun: rank \d \(pid \d+, [^,]+\) aborted the job with code 16: MPI_Init: .*libtutti_ucx.so.*; the other 3 ranks", err)


@test
def a_rank_that_never_calls_MPI_Init_ends_the_job():
    for name, options, env in ways():
        if options: continue
        code, out, err = run("-q", "-np", 2, MPI_RANK, ":", "-np", 1, "true", env=env)
        expect(code == 1, name, code, err)
        matches(r"^mpirun: rank 2 .* ended without calling MPI_Init, but rank [01] called it", err)


CHILD = "import subprocess, sys; subprocess.run(sys.argv[1:])"
DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execv(sys.argv[1], sys.argv[1:])
    os._exit(0)
os.wait()
time.sleep(100)
"""
WRAPPERS = ([], ["sh", "-c", '"$@"; true', "sh"], ["timeout", "100"], python(CHILD), python(DAEMON))


def left_by_ucx():
    return litter("ucx") | litter()


def system_v_memory(pids):
    """Shared memory of the old kind that these processes made and left."""
    with open("/proc/sysvipc/shm") as table: rows = [line.split() for line in table.readlines()[1:]]
    return [row for row in rows if int(row[4]) in pids or int(row[5]) in pids]


@test
def MPI_ranks_die_with_mpirun_and_leave_no_file():
    for name, options, env in ways():
        for wrapper in WRAPPERS:
            before = left_by_ucx()
            job = Job("-q", *options, "-np", 2, *wrapper, MPI_RANK, "recv", env=env)
            job.read_until(" up ", 2)
            pids = job.alive()
            os.kill(job.pid, signal.SIGKILL)
            job.process.wait()
            until(lambda: not job.alive(), SOON_S, lambda: f"{name}: left: " + names_of(job.alive()))
            until(lambda: not left_by_ucx() - before, SOON_S, lambda: f"{name}: left: {left_by_ucx() - before}")
            expect(not system_v_memory(pids), name, system_v_memory(pids))


@test
def two_jobs_at_a_time_do_not_touch_each_other():
    for name, options, env in ways():
        one = Job("-q", *options, "-np", 2, MPI_RANK, "sums", env=env, stdin=subprocess.PIPE)
        two = Job("-q", *options, "-np", 2, MPI_RANK, "crash", env=env)
        code, out, err = two.end()
        expect(code == 139, name, code, err)
        one.read_until(" up ", 2)
        code, out, err = one.end(b"")
        expect(code == 0 and out.count(" 0 wrong\n") == 2 and err == "", name, code, out, err)


@test
def a_job_may_run_inside_a_rank():
    for name, options, env in ways():
        inner = " ".join([str(MPIRUN), "-q", *options, "-np", "2", str(MPI_RANK)])
        code, out, err = run("-q", *options, "-np", 2, MPI_RANK, "system", inner, env=env)
        expect(code == 0 and len(re.findall(r"^rank [01] up", out, re.M)) == 6 and err == "", name, code, out, err)


@test
def one_line_of_information_tells_what_carries_messages():
    says = {"shared memory": "3 of this node through shm, to 0", "fake nodes": "1 of this node through shm, to 2",
            "UCX": "0 of this node through shm, to 3"}
    for name, options, env in ways():
        if name not in says: continue
        code, out, err = run("-q", *options, "-np", 4, MPI_RANK, env={**env, "TUTTI_DEBUG": "info:p2p"})
        expect(code == 0 and err == f"tutti: rank 0: messages to the other ranks: to {says[name]} through ucx\n", name, err)


@test
def ranks_that_see_other_variables_files_and_CPUs_choose_alike():
    program = BUILD / "test/mpi/coll_mix"
    if not program.exists(): raise Skip("the MPI tests are not built")
    home = folder()
    rates = pathlib.Path(home.name) / "rates.json"
    rates.write_text('{"node": {"start_us": 900}, "net": {"byte_us": 1e-9}, "reduce_us": 1, "eager_bytes": 0}')
    for name, options, env in ways():
        code, out, err = run("-q", *options, "-np", 1, "-x", "TUTTI_DEBUG=info:tuning", program,
                             ":", "-np", 1, "-x", "TUTTI_ALGO=allreduce=tree;bcast=ring;allgather=linear;scan=linear", program,
                             ":", "-np", 1, "-x", f"TUTTI_RATES={rates}", program,
                             ":", "-np", 1, "taskset", "1", program, env=env)
        expect(code == 0, name, code, out, err[-2000:])
        expect("forced" not in err and re.search("^tutti: rank 0: allreduce of .* predicted .* us, before ", err, re.M), name, err[-2000:])
        code, out, err = run("-q", *options, "-np", 1, "-x", "TUTTI_ALGO=allreduce=hier,ring@4;bcast=^tree", "-x", "TUTTI_DEBUG=info:tuning",
                             program, ":", "-np", 3, program, env=env)
        expect(code == 0 and "forced by TUTTI_ALGO" in err, name, code, out, err[-2000:])


@test
def the_first_error_handler_may_be_named_on_the_command_line():
    for name, options, env in ways():
        code, out, err = run("-q", "-initial-errhandler", "mpi_errors_return", "-memory-alloc-kinds", "mpi,cuda", *options, "-np", 2, MPI_RANK,
                             "error", env=env)
        expect(code == 0 and err == "", name, code, out, err)
        code, out, err = run("-q", "--initial-errhandler", "mpi_errors_abort", *options, "-np", 2, MPI_RANK, "error", env=env)
        expect(code == 6 and "MPI_Send" in err, name, code, out, err)
    code, out, err = run("-initial-errhandler", "mpi_errors_retrun", "true")
    expect(code == 1 and "TUTTI_ERRHANDLER: \"mpi_errors_retrun\" is none of mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return; "
           "did you mean \"mpi_errors_return\"?" in err, err)


@test
def strict_determinism_gives_the_same_bits_for_any_placement_and_size():
    program = BUILD / "test/mpi/coll_bits"
    if not program.exists(): raise Skip("the MPI tests are not built")
    layouts = [[]] + ([["--fake-nodes", "2"], ["--fake-nodes", "3"], ["--fake-nodes", "2", "--map-by", "node"]]
                      if (BUILD / "lib/libtutti_ucx.so").exists() else [])
    for ranks in 5, 6:
        bits = set()
        for layout in layouts:
            code, out, err = run("-q", *layout, "-np", 1, "-x", "TUTTI_DETERMINISM=strict", program, ":", "-np", ranks - 1, program)
            expect(code == 0, layout, code, out, err)
            bits |= set(re.findall("^bits .*", out, re.M))
        expect(len(bits) == 1, ranks, bits)


@test
def TUTTI_NET_IF_tells_UCX_its_devices_unless_the_user_did():
    if not (BUILD / "lib/libtutti_ucx.so").exists(): raise Skip("built without UCX")
    for env, devices in (({"TUTTI_NET_IF": "lo"}, "lo"), ({"TUTTI_NET_IF": "lo", "UCX_NET_DEVICES": "all"}, "all"), ({}, "")):
        code, out, err = run("-q", "-np", 2, "--fake-nodes", 2, MPI_RANK, "system", "echo devices: $UCX_NET_DEVICES.", env=env)
        expect(code == 0 and out.count(f"devices: {devices}.\n") == 2, env, code, out, err)


def alone(**variables):
    """What a rank started without mpirun says on stderr."""
    for _ in ways(): break              # is skipped where there is no MPI_RANK
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TUTTI_", "PMIX_", "PMI_", "SLURM_"))}
    done = subprocess.run([str(MPI_RANK)], env={**env, **variables}, capture_output=True, text=True, timeout=20)
    expect(done.returncode == 0 and done.stdout.startswith("rank 0 up"), done)
    return done.stderr


@test
def a_launcher_without_PMIx_is_one_warning():
    says = ("tutti: warning: the launcher started 4 processes but speaks no PMIx with them, so each is a world of its own: "
            "use tutti's mpirun, srun --mpi=pmix or prterun\n")
    expect(alone(PMI_SIZE="4", PMI_RANK="0") == says, alone(PMI_SIZE="4", PMI_RANK="0"))
    expect(alone(SLURM_STEP_NUM_TASKS="4", SLURM_PROCID="0") == says)
    expect(alone(PMI_SIZE="4", PMI_RANK="1") == "" and alone(PMI_SIZE="1", PMI_RANK="0") == "")


@test
def without_mpirun_a_wrong_variable_is_one_warning():
    expect(alone() == "", alone())
    for variables, says in (({"TUTTI_TRANSPROT": "x"}, "unknown variable TUTTI_TRANSPROT; did you mean TUTTI_TRANSPORT?"),
                            ({"TUTTI_ALGO": "bcast=rign"}, 'TUTTI_ALGO: unknown algorithm of bcast "rign"; did you mean "ring"?')):
        expect(alone(**variables) == f"tutti: rank 0: warning: {says}\n", alone(**variables))
    text = alone(TUTTI_TRANSPROT="x", TUTTI_ALGO="bcast=rign")
    expect(text.count("\n") == 1 and text.endswith(" (and 1 more)\n"), text)


if __name__ == "__main__": main()
