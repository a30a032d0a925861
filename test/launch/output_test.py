#!/usr/bin/env python3
"""What ranks print and read: whole lines, tags, files, standard input, terminals."""
import os
import pty
import signal
import subprocess
import sys
import time

from launch import MPI_RANK, MPIRUN, Job, expect, folder, main, matches, python, run, state, test, until, ways

PIECES = """
import os, sys
rank = os.environ["PMIX_RANK"]
for i in range(200):
    for piece in ("<", rank * 20, "|", rank * 30, ">\\n"):
        os.write(1 if i % 2 else 2, piece.encode())
"""


@test
def lines_of_different_ranks_are_never_mixed():
    code, out, err = run("-q", "-np", 4, *python(PIECES))
    expect(code == 0)
    for text in (out, err):
        lines = text.splitlines()
        expect(len(lines) == 400, len(lines))
        for line in lines: expect(line in {f"<{r * 20}|{r * 30}>" for r in "0123"}, line)


@test
def stdout_and_stderr_stay_apart():
    code, out, err = run("-np", 1, "sh", "-c", "echo one; echo two >&2")
    expect((code, out, err) == (0, "one\n", "two\n"), code, out, err)


@test
def the_bytes_of_one_rank_arrive_as_they_were():
    for text in ("no newline at the end", "a\n\nb\n\n", "x" * 300_000 + "\nend", "\0\1\2\n\r\n"):
        code, out, err = run("-np", 1, *python("import sys; sys.stdout.write(sys.stdin.read()); sys.stdout.flush()"), input=text)
        expect(code == 0 and out == text, len(out), len(text), err)


@test
def an_unfinished_line_is_closed_before_another_ranks_line():
    code, out, err = run("-q", "-np", 2, "sh", "-c", "if [ $PMIX_RANK = 1 ]; then printf unfinished; else sleep 0.3; echo whole; fi")
    expect(out == "unfinished\nwhole\n", out)


@test
def much_output_with_a_slow_reader_arrives_complete():
    job = Job("-q", "-np", 2, *python("import sys\nfor i in range(60000): sys.stdout.write('%07d' % i + 'y' * 40 + '\\n')"))
    time.sleep(0.5)
    code, out, err = job.end()
    expect(code == 0 and len(out) == 2 * 60000 * 48, code, len(out))


@test
def a_reader_that_leaves_ends_the_job():
    job = Job("-q", "-np", 2, "yes", "line")
    job.read_until("line")
    job.process.stdout.close()
    job.process.stdout = None
    code = job.process.wait(10)
    expect(code != 0 and not job.alive(), code)


@test
def tags_name_the_rank_and_the_stream():
    code, out, err = run("-q", "-np", 3, "--tag-output", "sh", "-c", "echo a b; echo c >&2")
    expect(sorted(out.splitlines()) == ["[0] a b", "[1] a b", "[2] a b"], out)
    expect(sorted(err.splitlines()) == ["[0 stderr] c", "[1 stderr] c", "[2 stderr] c"], err)
    expect(run("-l", "-np", 1, "echo", "hi")[1] == "[0] hi\n")


@test
def time_stamps_come_first():
    code, out, err = run("-np", 1, "--timestamp-output", "--tag-output", "echo", "hi")
    matches(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} \[0\] hi$", out)


@test
def output_goes_to_files_too():
    with folder() as here:
        code, out, err = run("-q", "-np", 2, "--output-dir", here + "/logs", "sh", "-c", "echo out $PMIX_RANK; echo err >&2")
        expect(code == 0 and sorted(out.splitlines()) == ["out 0", "out 1"], code, out, err)
        expect(sorted(os.listdir(here + "/logs")) == ["rank-0.err", "rank-0.out", "rank-1.err", "rank-1.out"])
        expect(open(here + "/logs/rank-1.out").read() == "out 1\n")
        expect(open(here + "/logs/rank-0.err").read() == "err\n")
        code, out, err = run("-q", "-np", 2, "--output-dir", here + "/only:nocopy", "sh", "-c", "echo out $PMIX_RANK")
        expect(code == 0 and out == "" and open(here + "/only/rank-0.out").read() == "out 0\n", out)
        code, out, err = run("-np", 1, "--output-dir", "/proc/none", "true")
        expect(code == 1 and err.startswith("mpirun: --output-dir /proc/none: "), code, err)


@test
def rank_0_gets_our_input_and_the_others_see_its_end():
    code, out, err = run("-q", "-np", 3, "--tag-output", "cat", input="one\ntwo\n")
    expect((code, out) == (0, "[0] one\n[0] two\n"), code, out, err)


@test
def another_rank_may_get_our_input_or_none():
    code, out, err = run("-q", "-np", 3, "--tag-output", "--stdin", "2", "cat", input="one\n")
    expect((code, out) == (0, "[2] one\n"), code, out)
    code, out, err = run("-q", "-np", 3, "--stdin", "none", "cat", input="one\n")
    expect((code, out) == (0, ""), code, out)
    code, out, err = run("-np", 2, "--stdin", "2", "cat")
    expect(code == 1 and err == "mpirun: --stdin 2: there are ranks 0..1\n", code, err)


@test
def input_that_no_rank_reads_is_left_to_others():
    shell = f"{MPIRUN} -np 2 true; cat"
    done = subprocess.run(["sh", "-c", shell], input="kept\n", capture_output=True, text=True, timeout=20)
    expect(done.stdout == "kept\n", done.stdout, done.stderr)


@test
def a_prompt_without_newline_is_shown():
    job = Job("-np", 2, "--tag-output", "sh", "-c", "[ $PMIX_RANK = 1 ] && exit; printf 'name? '; read name; echo hello $name", stdin=subprocess.PIPE)
    job.read_until("name? ")
    code, out, err = job.end(b"you\n")
    expect(code == 0 and out == "hello you\n", code, out)


@test
def what_is_typed_at_a_terminal_reaches_rank_0():
    master, slave = pty.openpty()
    job = Job("-q", "-np", 2, "--tag-output", "cat", stdin=slave, start_new_session=True,
              preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    os.write(master, b"typed\n")
    job.read_until("[0] typed\n")
    os.write(master, b"more\n\x04")
    code, out, err = job.end(timeout=10)
    expect(code == 0 and out == "[0] more\n", code, out, err)
    os.close(master)
    os.close(slave)


@test
def a_job_in_the_background_of_a_terminal_is_not_stopped_by_it():
    script = f"set -m; {MPIRUN} -q -np 2 sh -c 'sleep 0.2; echo $PMIX_RANK-ended' & wait $!; echo code $?"
    pid, master = pty.fork()
    if pid == 0: os.execvp("bash", ["bash", "-c", script])
    seen, end = b"", time.monotonic() + 20
    while b"code" not in seen and time.monotonic() < end:
        try: seen += os.read(master, 1000)
        except OSError: break
    os.close(master)
    os.waitpid(pid, 0)
    expect(b"code 0" in seen and b"0-ended" in seen and b"1-ended" in seen, seen)


@test
def closed_standard_descriptors_do_no_harm():
    done = subprocess.run(["sh", "-c", f"{MPIRUN} -q -np 2 sh -c 'echo fine' <&- 2>&-"], capture_output=True, text=True, timeout=20)
    expect((done.returncode, done.stdout) == (0, "fine\nfine\n"), done)
    done = subprocess.run(["sh", "-c", f"{MPIRUN} -q -np 2 true <&- >&- 2>&-"], timeout=20)
    expect(done.returncode == 0, done)


@test
def a_closed_stdout_takes_what_ranks_print_nowhere():
    done = subprocess.run(["sh", "-c", f"{MPIRUN} -q -np 2 echo fine >&-"], capture_output=True, text=True, timeout=20)
    expect((done.returncode, done.stderr) == (0, ""), done)


@test
def a_full_disk_is_told_once_and_is_never_success():
    for ranks, code in (("echo fine", 1), ("sh -c 'echo fine; exit 4'", 4)):
        done = subprocess.run(["sh", "-c", f"{MPIRUN} -q -np 2 {ranks} >/dev/full"], capture_output=True, text=True, timeout=20)
        expect(done.returncode == code, done)
        expect(done.stderr.count("mpirun: cannot write to stdout: No space left on device; what ranks print there is lost\n") == 1, done)
    done = subprocess.run(["sh", "-c", f"{MPIRUN} -q -np 2 sh -c 'echo lost >&2; echo fine' 2>/dev/full"], capture_output=True, text=True, timeout=20)
    expect((done.returncode, done.stdout) == (1, "fine\nfine\n"), done)
    for option in ("--show-map", "--help", "--version"):
        done = subprocess.run(["sh", "-c", f"{MPIRUN} {option} >/dev/full"], capture_output=True, text=True, timeout=20)
        expect(done.returncode == 1, option, done)


@test
def ranks_go_on_when_the_disk_is_full():
    with folder() as here:
        script = "i=0; while [ $i -lt 3000 ]; do echo $i; i=$((i+1)); done; touch done-$PMIX_RANK"
        done = subprocess.run(["sh", "-c", f"{MPIRUN} -q -np 2 sh -c '{script}' >/dev/full"], cwd=here, capture_output=True, timeout=20)
        expect(done.returncode == 1 and sorted(os.listdir(here)) == ["done-0", "done-1"], done, os.listdir(here))


@test
def output_that_nobody_reads_is_never_success():
    reader, writer = os.pipe()
    os.close(reader)
    job = Job("-q", "-np", 2, "echo", "fine", stdout=writer)
    os.close(writer)
    code, out, err = job.end()
    expect(code == 141 and err.count("\n") == 1 and "Broken pipe" in err, code, err)


@test
def a_reader_that_never_reads_holds_up_no_signal():
    reader, writer = os.pipe()
    job = Job("-q", "-np", 2, "yes", "line", stdout=writer)
    os.close(writer)
    asleep = lambda: state(job.pid) == "S" and all(state(p) == "S" for p in job.alive())
    until(lambda: len(job.alive()) == 3 and asleep(), 10, lambda: [state(p) for p in job.alive()])
    job.signal(signal.SIGINT)
    until(lambda: not job.alive() or job.process.poll() is not None, 5, "the ranks do not end")
    job.signal(signal.SIGINT)               # gives up what nobody took
    code, out, err = job.end(timeout=5)
    expect(code == 130, code, err)
    os.close(reader)


@test
def much_output_of_many_ranks_arrives_complete():
    lines = 262144                          # 100 MB in all
    with folder() as here:
        for _ in ways(): break
        with open(here + "/all", "wb") as file: job = Job("-q", "-np", 4, MPI_RANK, "print", lines, 99, stdout=file)
        code, out, err = job.end(timeout=100)
        counts = {}
        with open(here + "/all", "rb") as file:
            for line in file: counts[line] = counts.get(line, 0) + 1
    expect(code == 0 and counts == {letter * 99 + b"\n": lines for letter in (b"a", b"b", b"c", b"d")}, code, len(counts), err)


@test
def very_long_lines_lose_nothing():
    for _ in ways(): break
    code, out, err = run("-q", "-np", 4, MPI_RANK, "print", 3, 2_000_000)
    expect(code == 0 and [out.count(letter) for letter in "abcd"] == [6_000_000] * 4, code, len(out), err)
    for line in out.splitlines(): expect(line == "" or line.count(line[0]) == len(line), line[:20])


@test
def ranks_can_print_while_one_prompts():
    job = Job("-q", "-np", 2, "sh", "-c", "if [ $PMIX_RANK = 1 ]; then sleep 0.4; echo other; else printf 'go? '; read x; fi", stdin=subprocess.PIPE)
    seen = job.read_until("other")
    code, out, err = job.end(b"\n")
    expect((seen + out) == "go? \nother\n", seen + out)


if __name__ == "__main__": main()
