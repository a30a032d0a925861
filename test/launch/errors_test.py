#!/usr/bin/env python3
"""Errors that nobody handles end the job: one line names function, argument, value and rank; the exit code is the class."""
import os
import subprocess

from launch import BUILD, Skip, expect, main, matches, run, test

RANK = BUILD / "test/launch/errors_rank"
OTHER, ARG_RANK, COUNT, TYPE, TRUNCATE = 16, 6, 2, 3, 15       # MPI_ERR_OTHER and so on
WAYS = ({}, ["-np", 3]), ({"TUTTI_TRANSPORT": "ucx"}, ["-np", 3]), ({}, ["-np", 3, "--fake-nodes", 3])


def job(how):
    """Over every carrier: (exit code, stderr)"""
    if not RANK.exists(): raise Skip("the MPI library is not built")
    for env, options in WAYS:
        code, out, err = run("-q", *options, RANK, how, env=env)
        expect(out == "", out)
        expect(err.count("\n") == 1, err)
        yield code, err


def ends(how, wanted, rank, text):
    for code, err in job(how):
        expect(code == wanted, code, err)
        matches(rf"^mpirun: rank {rank} \(pid \d+, \S+\) aborted the job with code \d+: {text}; the other 2 ranks were ended$", err)


@test
def a_call_before_MPI_Init_ends_the_job():
    ends("before", OTHER, r"\d", r"MPI_Comm_rank: called before MPI_Init \(MPI_ERR_OTHER\)")


@test
def a_call_after_MPI_Finalize_ends_the_job():
    ends("after", OTHER, r"\d", r"MPI_Barrier: called after MPI_Finalize \(MPI_ERR_OTHER\)")


@test
def a_rank_alone_is_told_what_it_called_after_MPI_Finalize():
    code, out, err = run("-q", "-np", 1, RANK, "after")
    expect(code == OTHER and out == "", code, out)
    matches(r"^tutti: pid \d+ on \S+: MPI_Barrier: called after MPI_Finalize \(MPI_ERR_OTHER\)$", err)


@test
def what_all_ranks_do_wrong_is_told_once():
    ends("all", ARG_RANK, r"\d", r"MPI_Send on MPI_COMM_WORLD: dest is 99, but MPI_COMM_WORLD has ranks 0\.\.2 .*\(MPI_ERR_RANK\)")


@test
def what_one_rank_does_wrong_ends_all():
    ends("one", COUNT, 1, r"MPI_Bcast on MPI_COMM_WORLD: count is -1, but must be 0 or more \(MPI_ERR_COUNT\)")


@test
def the_communicator_is_named():
    for how in ("part", "abort"): ends(how, ARG_RANK, 1, r"MPI_Send on my part: dest is 3, but my part has ranks 0\.\.0 .*\(MPI_ERR_RANK\)")


@test
def an_error_of_no_communicator_ends_the_job_too():
    ends("type", TYPE, 1, r"MPI_Type_size: datatype is MPI_DATATYPE_NULL \(MPI_ERR_TYPE\)")


@test
def an_error_found_by_a_wait_names_its_message():
    ends("wait", TRUNCATE, 1, r"MPI_Wait on MPI_COMM_WORLD: .*8 bytes.* 4 \(MPI_ERR_TRUNCATE\)")


@test
def a_code_of_the_user_gives_its_text():
    ends("user", 1, 1, r"MPI_Comm_call_errhandler on MPI_COMM_WORLD: error code \d+, out of cheese")


@test
def alone_the_process_tells_itself():
    if not RANK.exists(): raise Skip("the MPI library is not built")
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TUTTI_", "PMIX_"))}
    for how, code, text in (("before", OTHER, "MPI_Comm_rank: called before MPI_Init"),
                            ("after", OTHER, "MPI_Barrier: called after MPI_Finalize"),
                            ("all", ARG_RANK, "MPI_Send on MPI_COMM_WORLD: dest is 99")):
        done = subprocess.run([RANK, how], env=env, capture_output=True, text=True, timeout=30)
        expect(done.returncode == code and done.stdout == "", done)
        matches(rf"\Atutti: .*pid \d+.*: {text}.*\n\Z", done.stderr)


if __name__ == "__main__": main()
