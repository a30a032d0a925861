#!/usr/bin/env python3
"""What mpirun tells from the ranks' recorder slots: calls, waits, deadlocks, deaths within MPI."""
import signal
import time

from launch import BUILD, Job, expect, main, matches, run, test

SLOT_RANK = BUILD / "test/launch/slot_rank"


def job(*what, timeout=None, more=()):
    limit = ["--timeout", timeout] if timeout else []
    return run("-q", *limit, *more, "-np", len(what), SLOT_RANK, *what)


@test
def a_timeout_shows_call_peer_and_tag():
    code, out, err = job("recv:1:7", "init", timeout=1)
    expect(code == 124, code, err)
    matches(r"^ +0 +\d+ +\S+ +sleeping \(S\) +MPI_Recv +\d+\.\d s +rank 1, tag 7$", err)
    matches(r"^ +1 +\d+ +\S+ +sleeping \(S\) +MPI_Init +- +-$", err)


@test
def wildcards_are_named():
    code, out, err = job("recv:-1:-2", "recv:-3:0", timeout=1)
    matches(r"MPI_Recv +\d+\.\d s +any rank, any tag$", err)
    matches(r"MPI_Recv +\d+\.\d s +several ranks$", err)


@test
def ranks_that_wait_for_one_another_are_a_deadlock():
    code, out, err = job("recv:1:0", "recv:2:0", "recv:0:0", "recv:0:5", timeout=1)
    expect(code == 124 and err.count("deadlock") == 1, err)
    matches(r"^  deadlock: ranks wait for one another: 0 -> 1 -> 2 -> 0$", err)


@test
def who_waits_for_a_finished_rank_is_told():
    code, out, err = job("recv:1:0", "finish", timeout=1)
    matches(r"^  rank 0 waits for rank 1, which is ended, code 0$", err)
    matches(r"^ +1 +\d+ +\S+ +ended, code 0", err)


@test
def nonsense_in_a_slot_is_no_danger():
    code, out, err = job("recv:99:-77", "recv:-50:3", timeout=1)
    expect(code == 124, code, err)


@test
def a_death_within_MPI_names_the_call():
    code, out, err = job("crash", "recv:0:1", "recv:0:1")
    expect(code == 139, code, err)
    matches(r"^mpirun: rank 0 \(pid \d+, \S+\) was killed by signal 11 \(Segmentation fault\) in MPI_Bcast(, core dumped)?; the other 2 ranks were ended$", err)


@test
def leaving_MPI_without_finalize_names_the_last_call():
    code, out, err = job("recv:1:1", "exit")
    expect(code == 1, code, err)
    matches(r"^mpirun: rank 1 .* exited with code 0 but without MPI_Finalize, after MPI_Barrier; the other rank was ended$", err)


@test
def an_abort_that_only_the_slot_tells_gives_its_code():
    code, out, err = job("recv:1:1", "abort:9")
    expect(code == 9, code, err)
    matches(r"^mpirun: rank 1 .* aborted the job with code 9 in MPI_Abort; the other rank was ended$", err)


@test
def a_rank_that_never_calls_init_does_not_hang_the_others():
    for other in ("init", "recv:1:0"):
        code, out, err = job(other, "absent", other)
        expect(code == 1, code, err)
        matches(r"^mpirun: rank 1 .* ended without calling MPI_Init, but rank [02] called it; the other 2 ranks were ended$", err)


@test
def fake_nodes_have_slots_of_their_own():
    code, out, err = job("recv:2:0", "recv:3:0", "recv:1:0", "crash", more=["--fake-nodes", "2"])
    expect(code == 139, code, err)
    matches(r"^mpirun: rank 3 \(pid \d+, \S+#1\) was killed by signal 11 .* in MPI_Bcast", err)


@test
def SIGQUIT_shows_the_same_table():
    running = Job("-q", "-np", 2, SLOT_RANK, "recv:1:7", "recv:0:8")
    running.read_until("up\n", 2)
    time.sleep(0.3)
    running.signal(signal.SIGQUIT)
    time.sleep(0.3)
    running.signal(signal.SIGTERM)
    code, out, err = running.end()
    expect(code == 143, code, err)
    matches(r"^  deadlock: ranks wait for one another: 0 -> 1 -> 0$", err)


if __name__ == "__main__": main()
