#!/usr/bin/env python3
"""What becomes of a job: exit codes, the line that explains them, signals, time-outs."""
import os
import signal
import time

from launch import Job, PMIX_RANK, expect, folder, main, matches, python, run, state, test, until

FOREVER = "while :; do sleep 0.1; done"


def one_does(what, otherwise=FOREVER, np=3):
    """Rank 1 does `what`, in a shell; the others go on."""
    return ["-q", "-np", np, "sh", "-c", f'if [ "$PMIX_RANK" = 1 ]; then {what}; fi; {otherwise}']


@test
def a_job_whose_ranks_all_succeed_returns_0_and_says_nothing():
    expect(run("-np", 2, "true") == (0, "", ""))


@test
def the_exit_code_of_the_failing_rank_is_returned_and_the_others_end():
    code, out, err = run(*one_does("exit 3"))
    expect(code == 3, code, err)
    matches(r"^mpirun: rank 1 \(pid \d+, \S+\) exited with code 3; the other 2 ranks were ended$", err)
    expect(err.count("\n") == 1, err)


@test
def a_segmentation_fault_returns_139_and_is_named():
    code, out, err = run(*one_does("kill -SEGV $$"))
    expect(code == 139, code, err)
    matches(r"^mpirun: rank 1 \(pid \d+, \S+\) was killed by signal 11 \(Segmentation fault\); the other 2 ranks were ended$", err)


@test
def a_rank_that_is_killed_returns_137():
    code, out, err = run(*one_does("kill -KILL $$"))
    expect(code == 137, code)
    matches(r"rank 1 .* was killed by signal 9 \(Killed\)", err)


@test
def a_rank_that_ignores_SIGTERM_is_killed_after_a_grace():
    begin = time.monotonic()
    code, out, err = run(*one_does("exit 4", "trap '' TERM; " + FOREVER))
    expect(code == 4, code)
    expect(time.monotonic() - begin < 10, "took too long")


@test
def the_others_may_clean_up_on_SIGTERM():
    code, out, err = run(*one_does("sleep 0.3; exit 4", "trap 'echo cleaned; exit 0' TERM; " + FOREVER))
    expect(code == 4 and out.count("cleaned") == 2, code, out, err)


@test
def a_program_that_is_not_found_returns_127():
    code, out, err = run("-np", 2, "no-such-program")
    expect(code == 127 and err == 'mpirun: cannot find the program "no-such-program" in PATH\n', code, err)
    code, out, err = run("-np", 2, "./no-such-program")
    expect(code == 127 and err == "mpirun: cannot run ./no-such-program: No such file or directory\n", code, err)


@test
def a_program_in_this_folder_is_pointed_out():
    with folder() as here:
        os.symlink("/bin/true", here + "/solver")
        code, out, err = run("solver", cwd=here)
        expect(code == 127 and err.endswith("; did you mean ./solver?\n"), code, err)


@test
def what_cannot_be_executed_returns_126():
    with folder() as here:
        open(here + "/data", "w").write("no program")
        code, out, err = run("-np", 2, here + "/data")
        expect(code == 126 and err == f"mpirun: cannot run {here}/data: Permission denied (chmod +x?)\n", code, err)
        os.chmod(here + "/data", 0o755)
        code, out, err = run("-q", "-np", 2, here + "/data")
        expect(code == 126 and "neither a program for this machine nor a script that begins with #!" in err, code, err)
        code, out, err = run("-np", 2, here)
        expect(code == 126 and err == f"mpirun: cannot run {here}: it is a folder\n", code, err)


@test
def a_script_without_its_interpreter_returns_127_and_says_so():
    with folder() as here:
        open(here + "/script", "w").write("#!/no/such/interpreter\n")
        os.chmod(here + "/script", 0o755)
        code, out, err = run("-q", "-np", 2, here + "/script")
        expect(code == 127 and "the interpreter that it names" in err and err.count("\n") == 1, code, err)


@test
def a_rank_that_finalizes_succeeds():
    code, out, err = run("-q", "-np", 3, PMIX_RANK)
    expect(code == 0 and err == "" and out.count("ready") == 3, code, out, err)


@test
def a_rank_that_leaves_with_0_but_without_finalize_is_a_failure():
    code, out, err = run("-q", "-np", 2, PMIX_RANK, "leave")
    expect(code == 1, code, err)
    matches(r"^mpirun: rank \d \(pid \d+, \S+\) exited with code 0 but without MPI_Finalize", err)


@test
def a_code_after_finalize_is_returned():
    code, out, err = run("-q", "-np", 2, PMIX_RANK, "finalize-exit", 5)
    expect(code == 5, code, err)


@test
def an_abort_returns_its_code_and_names_the_rank():
    code, out, err = run("-q", "-np", 3, PMIX_RANK, "abort", 7)
    expect(code == 7, code, err)
    matches(r"^mpirun: rank 1 \(pid \d+, \S+\) aborted the job with code 7: on purpose; the other 2 ranks were ended$", err)


@test
def an_abort_with_code_0_or_256_is_never_success():
    for abort_code in (0, 256):
        code, out, err = run("-q", "-np", 3, PMIX_RANK, "abort", abort_code)
        expect(code == 1, code, err)


@test
def a_crash_between_ranks_that_wait_ends_the_job():
    code, out, err = run("-q", "-np", 4, PMIX_RANK, "crash")
    expect(code == 139, code, err)
    matches(r"^mpirun: rank 1 .* the other 3 ranks were ended$", err)


@test
def a_timeout_shows_every_rank_and_returns_124():
    for arguments, env in ((["--timeout", "0.5"], {}), ([], {"MPIEXEC_TIMEOUT": "0.5"})):
        code, out, err = run("-q", *arguments, "-np", 2, "sleep", 100, env=env)
        expect(code == 124, code, err)
        matches(r"^mpirun: time-out after 0.5 s; what each rank was doing:$", err)
        matches(r"^ +rank +pid +node +state +MPI call +waits since +waits for$", err)
        for rank in (0, 1): matches(rf"^ +{rank} +\d+ +\S+ +sleeping \(S\) +no MPI call yet", err)
        matches(r"^mpirun: time-out after 0.5 s; 2 ranks were ended$", err)


@test
def a_stopped_rank_is_named_as_stopped():
    code, out, err = run("-q", "--timeout", 1, *one_does("kill -STOP $$")[1:])
    expect(code == 124, code, err)
    matches(r"^ +1 +\d+ +\S+ +stopped \(T\)", err)


@test
def SIGQUIT_shows_what_ranks_do_and_the_job_goes_on():
    job = Job("-q", "-np", 1, "sh", "-c", "echo up; sleep 0.5; echo went on")
    job.read_until("up")
    job.signal(signal.SIGQUIT)
    code, out, err = job.end()
    expect(code == 0 and "went on" in out, code, out)
    matches(r"^mpirun: what each rank is doing:$", err)
    matches(r"^ +0 +\d+ +\S+ +sleeping", err)


CATCHER = """
import signal, sys, time
def caught(number, frame):
    print("caught", signal.Signals(number).name)
    sys.exit(0)
signal.signal(getattr(signal, sys.argv[1]), caught)
print("up")
time.sleep(100)
"""


@test
def signals_are_passed_on_and_a_clean_reaction_is_success():
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2"):
        job = Job("-q", "-np", 2, *python(CATCHER, name))
        seen = job.read_until("up\n", 2)
        job.signal(getattr(signal, name))
        code, out, err = job.end()
        expect(code == 0 and out.count("caught " + name) == 2, name, code, seen, out, err)


@test
def ranks_that_die_of_a_passed_on_signal_return_128_plus_signal():
    for number in (signal.SIGINT, signal.SIGTERM):
        job = Job("-q", "-np", 2, "sh", "-c", "echo up; exec sleep 100")
        job.read_until("up\n", 2)
        job.signal(number)
        code, out, err = job.end()
        expect(code == 128 + number, code, err)
        matches(rf"after mpirun passed on signal {int(number)}", err)


@test
def SIGINT_ends_a_job_that_a_script_started_in_the_background():
    deaf = lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)       # as sh does for `mpirun ... &`
    job = Job("-q", "-np", 2, "sh", "-c", "echo up; exec sleep 60", preexec_fn=deaf)
    job.read_until("up\n", 2)
    job.signal(signal.SIGINT)
    code, _, err = job.end()
    expect(code == 130 and job.alive() == [], code, err)


@test
def a_second_SIGINT_kills():
    job = Job("-q", "-np", 2, "sh", "-c", "trap '' INT TERM; echo up; " + FOREVER)
    job.read_until("up\n", 2)
    job.signal(signal.SIGINT)
    time.sleep(0.2)
    expect(job.process.poll() is None, "the first SIGINT already ended it")
    job.signal(signal.SIGINT)
    code, out, err = job.end(timeout=5)
    expect(code == 130 and job.alive() == [], code, err)
    matches(r"^mpirun: signal 2 \(Interrupt\) came a second time; 2 ranks were killed$", err)


@test
def ranks_stop_and_go_on_with_mpirun():
    job = Job("-q", "-np", 2, "sh", "-c", "echo up $$; " + FOREVER)
    lines = job.read_until("\n", 2)
    pids = [int(word) for word in lines.split() if word.isdigit()]
    job.signal(signal.SIGTSTP)
    until(lambda: all(state(p) == "T" for p in [job.pid, *pids]), 5, lambda: [state(p) for p in [job.pid, *pids]])
    job.signal(signal.SIGCONT)
    until(lambda: all(state(p) != "T" for p in [job.pid, *pids]), 5, lambda: [state(p) for p in [job.pid, *pids]])
    job.signal(signal.SIGTERM)
    expect(job.end()[0] == 143)


@test
def a_stopped_rank_does_not_hold_up_the_end():
    code, out, err = run(*one_does("sleep 0.3; exit 9", "kill -STOP $$"))
    expect(code == 9, code, err)


@test
def a_guard_that_is_killed_takes_the_job_with_it():
    job = Job("-q", "-np", 2, "sh", "-c", "echo up; exec sleep 100")
    job.read_until("up\n", 2)
    guard = [p for p in job.alive() if open(f"/proc/{p}/comm").read().strip() == "tutti-guard"]
    expect(len(guard) == 1, guard)
    os.kill(guard[0], signal.SIGKILL)
    code, out, err = job.end(timeout=5)
    expect(code != 0 and job.alive() == [], code, err)
    matches(r"guard process", err)


if __name__ == "__main__": main()
