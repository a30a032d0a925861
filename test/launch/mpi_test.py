#!/usr/bin/env python3
"""MPI ranks that die, leave or wait: one line says what happened, in which call, and the exit code tells."""
import os
import signal

from launch import BUILD, Job, SOON_S, Skip, expect, main, matches, names_of, run, test, until

MPI_RANK = BUILD / "test/launch/mpi_rank"
OTHERS = r"; the other 2 ranks were ended$"


def job(how, *more):
    if not MPI_RANK.exists(): raise Skip("the MPI library is not built")
    return run("-q", *more, "-np", 3, MPI_RANK, how)


@test
def a_good_job_returns_0_and_all_it_printed():
    code, out, err = job("good")
    expect(code == 0 and sorted(out.splitlines()) == ["rank 0 up", "rank 1 up", "rank 2 up"] and err == "", code, out, err)


@test
def MPI_Abort_gives_its_code():
    code, out, err = job("abort")
    expect(code == 7, code, err)
    matches(r"^mpirun: rank 1 \(pid \d+, \S+\) aborted the job with code 7: MPI_Abort on MPI_COMM_WORLD" + OTHERS, err)


@test
def exit_without_MPI_Finalize_is_never_success():
    code, out, err = job("exit")
    expect(code == 1, code, err)
    matches(r"^mpirun: rank 1 \(pid \d+, \S+\) exited with code 0 but without MPI_Finalize, after MPI_Barrier" + OTHERS, err)


@test
def a_code_without_MPI_Finalize_is_returned():
    code, out, err = job("code")
    expect(code == 3, code, err)
    matches(r"^mpirun: rank 1 .* exited with code 3 after MPI_Barrier" + OTHERS, err)


@test
def a_crash_or_kill_names_signal_and_call():
    for how, number, name in (("crash", 11, "Segmentation fault"), ("kill", 9, "Killed")):
        code, out, err = job(how)
        expect(code == 128 + number, code, err)
        matches(rf"^mpirun: rank 1 .* was killed by signal {number} \({name}\) after MPI_Barrier(, core dumped)?" + OTHERS, err)


@test
def a_deadlock_is_shown_as_one():
    code, out, err = job("recv", "--timeout", "1.5")
    expect(code == 124, code, err)
    matches(r"^ +0 +\d+ +\S+ +sleeping \(S\) +MPI_Recv +\d+\.\d s +rank 1, tag 5$", err)
    matches(r"^  deadlock: ranks wait for one another: 0 -> 1 -> 2 -> 0$", err)


@test
def a_rank_that_never_calls_MPI_Init_ends_the_job():
    if not MPI_RANK.exists(): raise Skip("the MPI library is not built")
    code, out, err = run("-q", "-np", 2, MPI_RANK, "good", ":", "-np", 1, "true")
    expect(code == 1, code, err)
    matches(r"^mpirun: rank 2 .* ended without calling MPI_Init, but rank [01] called it", err)


@test
def MPI_ranks_die_with_mpirun():
    if not MPI_RANK.exists(): raise Skip("the MPI library is not built")
    for wrapper in ([], ["sh", "-c", '"$@"; true', "sh"], ["timeout", "100"]):
        running = Job("-q", "-np", 2, *wrapper, MPI_RANK, "recv")
        running.read_until("up\n", 2)
        os.kill(running.pid, signal.SIGKILL)
        running.process.wait()
        until(lambda: not running.alive(), SOON_S, lambda: "left: " + names_of(running.alive()))


if __name__ == "__main__": main()
