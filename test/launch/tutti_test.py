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
def bad_use_says_what_there_is():
    code, out, err = tutti()
    expect(code == 1 and "info" in err and "topo" in err, code, err)
    code, out, err = tutti("inof")
    expect(code == 1 and out == "", code, out)
    matches(r"\Atutti: .*inof.*tutti --help tells what there is\n\Z", err)


if __name__ == "__main__": main()
