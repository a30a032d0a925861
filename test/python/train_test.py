#!/usr/bin/env python3
"""Training gives the same curve on any number of ranks and nodes.

    train_test.py BUILD [--mpirun PROGRAM]

BUILD/bin holds train and mpirun; --mpirun names another library's launcher, whose
environment the caller sets. Closes with "N passed, N failed, N skipped"; exits with 1 if one failed.
"""

import argparse
import csv
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

TIMEOUT_S = 240


class Skip(Exception):
    pass


class Train:
    def __init__(self, build, mpirun, folder):
        self.program, self.mpirun, self.folder = build / "bin/train", mpirun or build / "bin/mpirun", folder
        self.alone = None

    def run(self, np, *args, launcher=()):
        command = [self.mpirun, "-n", str(np), *launcher, self.program, *args]
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)

    def curve(self, np, launcher=()):
        """Trains with the default options, demands what must hold for every run, and returns the losses."""
        file = self.folder / "curve.csv"
        file.unlink(missing_ok=True)
        done = self.run(np, "--csv", file, launcher=launcher)
        assert done.returncode == 0, f"exit code {done.returncode}:\n{done.stdout[-1500:]}{done.stderr[-1500:]}"
        assert f"all {np} ranks hold bit-identical parameters" in done.stdout, done.stdout[-1500:]
        accuracy = float(re.search(r"test accuracy +([\d.]+) %", done.stdout)[1])
        assert accuracy >= 95, f"test accuracy is {accuracy} %"
        return [float(row["loss"]) for row in csv.DictReader(file.open())]

    def same_as_alone(self, np, launcher=()):
        if self.alone is None: self.alone = self.curve(1)
        losses = self.curve(np, launcher)
        assert len(losses) == len(self.alone), f"{len(losses)} epochs, not {len(self.alone)}"
        for epoch, (loss, wanted) in enumerate(zip(losses, self.alone), 1):
            assert abs(loss - wanted) <= 1e-6 * wanted, f"epoch {epoch}: loss is {loss}, on one rank it is {wanted}"


def test_one_rank_learns_the_digits(train):
    losses = train.curve(1)
    assert losses[-1] < losses[0] / 10, f"loss went from {losses[0]} to {losses[-1]} only"
    train.alone = losses


def test_two_ranks_give_the_curve_of_one(train): train.same_as_alone(2)
def test_three_ranks_with_uneven_shards_give_the_curve_of_one(train): train.same_as_alone(3)
def test_four_ranks_give_the_curve_of_one(train): train.same_as_alone(4)


def test_four_ranks_on_two_nodes_give_the_curve_of_one(train):
    help_text = subprocess.run([train.mpirun, "--help"], capture_output=True, text=True, timeout=60).stdout
    if "--fake-nodes" not in help_text: raise Skip(f"{train.mpirun} has no --fake-nodes")
    train.same_as_alone(4, ["--fake-nodes", "2"])


def test_two_runs_give_the_same_bits(train):
    def outcome(): return re.findall(r"final loss.*|hash \w+", train.run(3, "--quiet", "--epochs", "3", "--require", "0").stdout)
    first, second = outcome(), outcome()
    assert len(first) == 2 and first == second, f"first {first}, then {second}"


def test_too_low_an_accuracy_fails(train):
    done = train.run(2, "--epochs", "1", "--require", "99.9")
    assert done.returncode == 1 and "FAILED: test accuracy is" in done.stderr, f"{done.returncode}: {done.stderr}"


def test_more_ranks_than_images_in_a_batch_are_refused(train):
    done = train.run(3, "--batch", "2")
    assert done.returncode == 2 and "use at most 2 ranks, or --batch 3 or more" in done.stderr, f"{done.returncode}: {done.stderr}"


def test_a_missing_data_file_is_named_once(train):
    done = train.run(3, "--data", "/nonexistent/digits.csv")
    assert done.returncode == 2 and done.stderr.count("cannot read /nonexistent/digits.csv") == 1, f"{done.returncode}: {done.stderr}"


def test_a_broken_line_of_data_is_named_by_its_number(train):
    file = train.folder / "broken.csv"
    good = ",".join(["3"] * 64 + ["7"])
    file.write_text("\n".join([good, good, good.replace("3", "17", 1), good]) + "\n")
    done = train.run(2, "--data", file)
    assert done.returncode == 2 and f"{file}:3: not 64 grey levels" in done.stderr, f"{done.returncode}: {done.stderr}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--mpirun")
    options = parser.parse_args()
    counts = {"passed": 0, "failed": 0, "skipped": 0}
    with tempfile.TemporaryDirectory() as folder:
        train = Train(options.build.resolve(), options.mpirun, pathlib.Path(folder))
        for name, test in [(n, t) for n, t in globals().items() if n.startswith("test_")]:
            try:
                test(train)
                outcome, why = "passed", ""
            except Skip as skip:
                outcome, why = "skipped", f": {skip}"
            except Exception as error:
                outcome, why = "failed", f": {error}" if isinstance(error, AssertionError) else ":\n" + traceback.format_exc()
            counts[outcome] += 1
            print(f"{outcome:8} {name.removeprefix('test_').replace('_', ' ')}{why}", flush=True)
    print(", ".join(f"{count} {outcome}" for outcome, count in counts.items()))
    return int(counts["failed"] > 0)


if __name__ == "__main__": sys.exit(main())
