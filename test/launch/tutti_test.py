#!/usr/bin/env python3
"""The tutti command."""
import os
import subprocess

from launch import BUILD, expect, main, matches, test


def tutti(*arguments, **env):
    done = subprocess.run([str(BUILD / "bin/tutti"), *arguments], capture_output=True, text=True, timeout=20, env={**os.environ, **env})
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


@test
def topo_shows_the_CPUs_we_may_use():
    code, out, err = tutti("topo")
    allowed = os.sched_getaffinity(0)
    matches(rf"^CPUs we may use: \S+ \({len(allowed)}\); cores: \d+$", out)
    for cpu in allowed: matches(rf"PU cpu {cpu}$", out)


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
            (["topo", "x"], 'tutti topo takes no argument "x"')]:
        expect(tutti(*words) == (2, "", f"tutti: {text}\n"), words, tutti(*words))


@test
def output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(BUILD / "bin/tutti"), "info"], stdout=full, stderr=subprocess.PIPE, text=True, timeout=20)
    expect(done.returncode == 1 and done.stderr == "tutti: cannot write to stdout: No space left on device\n", done)


if __name__ == "__main__": main()
