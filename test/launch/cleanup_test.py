#!/usr/bin/env python3
"""Nothing is left behind: no process, no file, however mpirun and its ranks end."""
import os
import signal

from launch import (Job, MPI_RANK, PMIX_RANK, SOON_S, expect, folder, litter, main, names_of, python, run, test, until,
                    ways)

DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in (0, 1, 2): os.close(fd)
        time.sleep(100)
    os._exit(0)
os.wait()
print("up")
time.sleep(float(sys.argv[1]))
"""
CHILD = "import subprocess, sys; subprocess.run(sys.argv[1:], start_new_session=%s)"
UP = ["sh", "-c", "echo up; sleep 100; true"]


def dies_with_mpirun(count, *command, how=signal.SIGKILL):
    """Two ranks of this kind, then mpirun is killed: at least `count` processes of the job must be gone soon."""
    job = Job("-q", "-np", 2, *command)
    job.read_until("up", 2)
    until(lambda: len(job.alive()) >= count + 1, 10, lambda: "only " + names_of(job.alive()))
    job.signal(how)
    job.process.wait()
    until(lambda: not job.alive(), SOON_S, lambda: "left: " + names_of(job.alive()))


@test
def plain_ranks_die_when_mpirun_is_killed():
    dies_with_mpirun(2, "sh", "-c", "echo up; exec sleep 100")


@test
def ranks_that_speak_PMIx_die_when_mpirun_is_killed():
    job = Job("-q", "-np", 3, PMIX_RANK, "wait")
    job.read_until("ready\n", 3)
    until(lambda: len(job.alive()) == 4, 10, lambda: names_of(job.alive()))
    job.signal(signal.SIGKILL)
    job.process.wait()
    until(lambda: not job.alive(), SOON_S, lambda: "left: " + names_of(job.alive()))


@test
def ranks_behind_sh_die_when_mpirun_is_killed():
    dies_with_mpirun(4, *UP)


@test
def ranks_behind_timeout_die_when_mpirun_is_killed():
    dies_with_mpirun(6, "timeout", "100", *UP)


@test
def ranks_behind_python_die_when_mpirun_is_killed():
    dies_with_mpirun(6, *python(CHILD % "False", *UP))


@test
def ranks_in_a_session_of_their_own_die_when_mpirun_is_killed():
    dies_with_mpirun(6, *python(CHILD % "True", *UP))


@test
def ranks_that_ignore_signals_die_when_mpirun_is_killed():
    dies_with_mpirun(2, "sh", "-c", "trap '' INT TERM HUP; echo up; while :; do sleep 1; done")


@test
def stopped_ranks_die_when_mpirun_is_killed():
    dies_with_mpirun(2, "sh", "-c", "echo up; kill -STOP $$")


@test
def daemons_die_when_mpirun_is_killed():
    dies_with_mpirun(4, *python(DAEMON, "100"))


@test
def daemons_die_when_mpirun_crashes_itself():
    dies_with_mpirun(4, *python(DAEMON, "100"), how=signal.SIGABRT)


@test
def daemons_die_when_all_ranks_have_ended():
    job = Job("-q", "-np", 2, *python(DAEMON, "0"))
    code, out, err = job.end()
    expect(code == 0 and out == "up\nup\n", code, out, err)
    until(lambda: not job.alive(), SOON_S, lambda: "left: " + names_of(job.alive()))


@test
def daemons_die_when_a_rank_fails():
    job = Job("-q", "-np", 2, *python(DAEMON + "\nif os.environ['PMIX_RANK'] == '1': sys.exit(6)\ntime.sleep(100)", "0.2"))
    code, out, err = job.end()
    expect(code == 6, code, err)
    until(lambda: not job.alive(), SOON_S, lambda: "left: " + names_of(job.alive()))


@test
def daemons_die_when_the_guard_is_killed():
    job = Job("-q", "-np", 2, *python(DAEMON, "100"))
    job.read_until("up\n", 2)
    guard = [p for p in job.alive() if open(f"/proc/{p}/comm").read().strip() == "tutti-guard"]
    os.kill(guard[0], signal.SIGKILL)
    code, out, err = job.end(timeout=5)
    expect(code != 0, code)
    until(lambda: not job.alive(), SOON_S, lambda: "left: " + names_of(job.alive()))


@test
def a_kill_of_all_that_is_called_mpirun_leaves_the_guard_to_clean_up():
    job = Job("-q", "-np", 2, *python(DAEMON, "100"))
    job.read_until("up\n", 2)
    for pid in job.alive(): expect("mpirun" not in open(f"/proc/{pid}/cmdline").read(), names_of([pid]))
    job.signal(signal.SIGKILL)
    job.process.wait()
    until(lambda: not job.alive(), SOON_S, lambda: "left: " + names_of(job.alive()))


@test
def a_background_process_that_holds_stdout_does_not_hold_up_the_end():
    job = Job("-q", "-np", 2, "sh", "-c", "sleep 100 & echo done")
    code, out, err = job.end(timeout=10)
    expect(code == 0 and out == "done\ndone\n", code, out, err)
    expect(job.alive() == [], names_of(job.alive()))


@test
def no_file_is_written():
    before = litter()
    with folder() as empty:
        run("-q", "-np", 4, PMIX_RANK, cwd=empty, env={"TMPDIR": empty, "HOME": empty})
        run("-q", "-np", 4, PMIX_RANK, "crash", cwd=empty, env={"TMPDIR": empty, "HOME": empty})
        job = Job("-q", "-np", 2, PMIX_RANK, "wait", cwd=empty, env={"TMPDIR": empty, "HOME": empty})
        job.read_until("ready")
        during = litter() - before
        job.kill()
        until(lambda: not job.alive(), SOON_S, "left")
        expect(os.listdir(empty) == [], os.listdir(empty))
        expect(not during, during)
    expect(litter() <= before, litter() - before)


@test
def MPI_ranks_have_no_file_in_dev_shm_that_a_kill_could_leave():
    for name, options, env in ways():
        job = Job("-q", *options, "-np", 2, MPI_RANK, "recv", env=env)
        job.read_until(" up ", 2)
        for pid in job.alive():
            with open(f"/proc/{pid}/maps") as maps: files = [line for line in maps if "/dev/shm/" in line]
            expect(not files, name, files)
        job.kill()


@test
def mpirun_works_where_nothing_can_be_written():
    code, out, err = run("-q", "-np", 2, PMIX_RANK, cwd="/proc", env={"TMPDIR": "/proc", "HOME": "/proc"})
    expect(code == 0 and out.count("ready") == 2, code, out, err)


if __name__ == "__main__": main()
