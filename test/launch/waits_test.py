#!/usr/bin/env python3
"""MPI ranks that wait: for a stopped rank, for a slow one, for nothing that will ever come; and what a wait costs."""
import os
import re
import signal
import subprocess
import time

from launch import BUILD, MPI_RANK, Job, SOON_S, expect, main, matches, names_of, run, state, test, until, ways


def ask(job):
    """Rank 0 answers, unless it waits."""
    job.process.stdin.write(b"?")
    job.process.stdin.flush()


@test
def a_stopped_rank_is_waited_for_and_nothing_is_lost():
    for name, options, env in ways():
        job = Job("-q", *options, "-np", 4, MPI_RANK, "sums", env=env, stdin=subprocess.PIPE)
        victim = int(re.search(r"rank 1 up \(pid (\d+)\)", job.read_until(" up ", 4)).group(1))
        ask(job)
        job.read_until("still here")
        os.kill(victim, signal.SIGSTOP)
        until(lambda: state(victim) == "T", 5, lambda: state(victim))
        job.until_waiting("MPI_(Allreduce|Bcast)", 0)
        ask(job)
        time.sleep(3)
        expect(job.process.poll() is None, name, "the job has ended")
        os.set_blocking(job.process.stdout.fileno(), False)
        early = job.process.stdout.read()
        expect(early is None, name, early)
        os.kill(victim, signal.SIGCONT)
        job.read_until("still here")
        code, out, err = job.end(b"")
        rounds = re.findall(r"^rank \d: (\d+) rounds, 0 wrong$", out, re.M)
        expect(code == 0 and len(rounds) == 4 and len(set(rounds)) == 1 and int(rounds[0]) > 0, name, code, out, err)


@test
def a_wait_of_2_s_costs_less_than_100_ms_of_CPU_time():
    for name, options, env in ways():
        code, out, err = run("-q", *options, "-np", 4, MPI_RANK, "idle", env=env)
        used_ms = [float(ms) for ms in re.findall(r"^rank \d used ([\d.]+) ms$", out, re.M)]
        expect(code == 0 and len(used_ms) == 3 and max(used_ms) < 100, name, code, used_ms, err)


@test
def hello_takes_less_than_15_MiB_of_memory():
    for name, options, env in ways():
        if env: continue
        code, out, err = run("-q", *options, "-np", 4, BUILD / "bench/hello", "--memory")
        peaks_kb = [int(kb) for kb in re.findall(r"peak memory (\d+) kB$", out, re.M)]
        limit_kb = 15 * 1024 if not options else 18 * 1024      # with UCX's own
        expect(code == 0 and len(peaks_kb) == 4 and 0 < max(peaks_kb) < limit_kb, name, code, peaks_kb, err)


@test
def Ctrl_C_SIGTERM_and_SIGHUP_end_ranks_that_wait_in_a_collective():
    for name, options, env in ways():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            job = Job("-q", *options, "-np", 4, MPI_RANK, "absent", env=env)
            job.read_until(" up ", 4)
            job.until_waiting("MPI_Allreduce", 0, 2, 3)
            begin = time.monotonic()
            job.signal(number)
            code, out, err = job.end()
            took_s = time.monotonic() - begin
            expect(code == 128 + number and took_s < SOON_S and not job.alive(), name, code, took_s, names_of(job.alive()))
            matches(rf"^mpirun: rank \d \(pid \d+, [^,]+\) was killed by signal {int(number)} \(\w+\) (in MPI_Allreduce|after MPI_Barrier), "
                    rf"after mpirun passed on signal {int(number)} \(\w+\); the other 3 ranks were ended\n\Z", err)


@test
def a_timeout_tells_which_rank_keeps_the_others_in_a_collective():
    for name, options, env in ways():
        code, out, err = run("-q", "--timeout", "1.5", *options, "-np", 4, MPI_RANK, "absent", env=env)
        expect(code == 124, name, code, err)
        for rank in (0, 2, 3): matches(rf"^ +{rank} +\d+ +\S+ +(sleeping|running) \(.\) +MPI_Allreduce +\d+\.\d s +rank \d$", err)
        matches(r"^ +1 +\d+ +\S+ +sleeping \(S\) +outside MPI, last MPI_Barrier +- +-$", err)
        matches(r"^  ranks? [023](, [023])* waits? for rank 1, which is outside MPI, last MPI_Barrier$", err)


@test
def a_timeout_tells_a_deadlock():
    for name, options, env in ways():
        code, out, err = run("-q", "--timeout", "1.5", *options, "-np", 3, MPI_RANK, "recv", env=env)
        expect(code == 124, name, code, err)
        matches(r"^ +0 +\d+ +\S+ +(sleeping|running) \(.\) +MPI_Recv +\d+\.\d s +rank 1, tag 5$", err)
        matches(r"^  deadlock: ranks wait for one another: 0 -> 1 -> 2 -> 0$", err)


if __name__ == "__main__": main()
