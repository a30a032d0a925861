#!/usr/bin/env python3
"""Runs the same binary on several MPI libraries, by turns, and shows them side by side.

Needs a build of tutti and libraries that have the MPI-5.0 standard ABI (libmpi_abi.so.1), for example from PyPI:

  python3 -m venv ~/mpich && ~/mpich/bin/pip install mpich==5.0.2
  python3 -m venv ~/impi && ~/impi/bin/pip install --no-deps impi-rt==2021.19.0

Examples:

  bench/compare.py ops --peers mpich=~/mpich --np 2,4 --ops latency,allreduce,bcast
  bench/compare.py ops --peers mpich=~/mpich impi=~/impi --variant impi-heap=impi:I_MPI_SHM_HEAP=1 \\
                   --max 4M -- --memory alloc --rewrite --rotate-root
  bench/compare.py start --peers mpich=~/mpich --np 2,16 --launches 20
  bench/compare.py memory --peers mpich=~/mpich

Launches take turns (A, B, A, B, ...), so that a busy spell of the machine falls on
all. A ratio is a peer's median over the first library's: above 1, the first one is
faster (or smaller).
"""

import argparse
import json
import pathlib
import re
import statistics
import sys
import tempfile
import time

import peers as libraries
import report

ROOT = pathlib.Path(__file__).resolve().parents[1]


def turns(options, per_launch):
    """Yields (np, peer) in interleaved order, with a progress bar; per_launch names what is being run."""
    plan = [(np, peer) for np in options.np for _ in range(options.launches)
            for peer in libraries.with_throttle(options.libraries, np)]
    progress = report.Progress(len(plan))
    try:
        for np, peer in plan:
            progress.step(f"{per_launch} on {peer.name}, {np} ranks")
            yield np, peer
    finally:
        progress.close()


def names(options, np):
    return [peer.name for peer in libraries.with_throttle(options.libraries, np)]


def median_and_min(samples):
    """{key: [(median, min) per launch]} -> the median of medians and the least of minima."""
    return {key: (statistics.median(m for m, _ in values), min(least for _, least in values)) for key, values in samples.items()}


def compare_ops(options):
    """tutti_bench: microseconds a call, per operation and size."""
    samples, seen = {}, {}
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "result.json"
        args = ["--ops", options.ops, "--min", options.min, "--max", options.max, "--time", options.time, "--json", file, *options.rest]
        for np, peer in turns(options, "tutti_bench"):
            peer.run(np, options.build / "bin/tutti_bench", args, options.timeout)
            result = json.loads(file.read_text())
            seen[peer.name] = result["library"]
            for row in result["results"]:
                samples.setdefault((np, row["op"], row["bytes"], peer.name), []).append((row["median_us"], row["min_us"]))
    tables = {}
    for (np, op, count, name), value in median_and_min(samples).items():
        tables.setdefault(np, {}).setdefault(op, {}).setdefault(count, {})[name] = value
    for name, library in seen.items(): print(f"{name}: {library}")
    for np, ops in tables.items():
        for op, rows in ops.items():
            report.print_table(f"{op}, {np} ranks, us", "bytes", names(options, np),
                               [(report.size(count), cells) for count, cells in sorted(rows.items())])
        image = options.out / f"ops-np{np}.png"
        print("\n" + report.plot(image, f"{np} ranks, median time of a call", names(options, np), ops))
    return [{"np": np, "op": op, "bytes": count, "peer": name, "median_us": m, "min_us": least}
            for np, ops in tables.items() for op, rows in ops.items() for count, cells in rows.items()
            for name, (m, least) in cells.items()]


def compare_single(options, what, unit, first_column, measure):
    """One number a launch: `measure(peer, np)` gives it."""
    samples = {}
    for np, peer in turns(options, what):
        value = measure(peer, np)
        samples.setdefault((np, peer.name), []).append((value, value))
    values = median_and_min(samples)
    every = [name for name in dict.fromkeys(name for _, name in values)]
    rows = [(str(np), {name: values[np, name] for name in every if (np, name) in values}) for np in options.np]
    report.print_table(f"{what}, {unit}", first_column, every, rows)
    return [{"np": np, "peer": name, "median": m, "min": least} for (np, name), (m, least) in values.items()]


def compare_start(options):
    """start: seconds from launch to exit of Init, Barrier, Finalize."""
    def measure(peer, np):
        begun = time.perf_counter()
        peer.run(np, options.build / "bench/start", (), options.timeout)
        return 1e3 * (time.perf_counter() - begun)
    return compare_single(options, "start, barrier, exit", "ms", "ranks", measure)


def compare_memory(options):
    """hello: peak resident memory, the mean of all ranks."""
    def measure(peer, np):
        text = peer.run(np, options.build / "bench/hello", ["--memory"], options.timeout)
        peaks = [int(kb) for kb in re.findall(r"peak memory (\d+) kB", text)]
        if len(peaks) != np: raise libraries.PeerError(f"{peer.name}: {np} ranks ran, but {len(peaks)} told their memory")
        return statistics.mean(peaks) / 1024
    return compare_single(options, "peak memory a rank, hello world", "MiB", "ranks", measure)


MODES = {"ops": compare_ops, "start": compare_start, "memory": compare_memory}
DEFAULT_NP = {"ops": "2", "start": "2,16", "memory": "2"}


def parse(argv):
    argv, rest = (argv[:argv.index("--")], argv[argv.index("--") + 1:]) if "--" in argv else (argv, [])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("mode", choices=MODES, help="ops: tutti_bench; start: start-up time; memory: memory of a rank")
    add("--peers", nargs="+", default=[], metavar="NAME=DIR", help="libraries to compare with, by their folder (with bin/ and lib/)")
    add("--variant", action="append", default=[], metavar="NEW=OLD:KEY=VALUE,...", help="the library OLD once more, with environment variables; may be repeated")
    add("--build", type=pathlib.Path, default=ROOT / "build", metavar="DIR", help="tutti's build tree (build)")
    add("--without-tutti", action="store_true", help="compare only the peers; DIR/bin still has the programs")
    add("--np", metavar="N,N", help="numbers of ranks (2; start: 2,16)")
    add("--launches", type=int, default=5, metavar="N", help="launches of each library (5)")
    add("--ops", default="latency,barrier,bcast,allreduce,allgather,alltoall", help="as for tutti_bench --ops")
    add("--min", default="8", metavar="BYTES", help="smallest size (8)")
    add("--max", default="4M", metavar="BYTES", help="largest size (4M)")
    add("--time", default="0.1", metavar="SECONDS", help="timed calls a size and launch (0.1)")
    add("--timeout", type=float, default=600, metavar="SECONDS", help="give up a launch after that (600)")
    add("--out", type=pathlib.Path, metavar="DIR", help="where JSON and plots go (DIR/compare in the build tree)")
    options = parser.parse_args(argv)
    try:
        options.np = [int(np) for np in (options.np or DEFAULT_NP[options.mode]).split(",")]
    except ValueError:
        parser.error(f"--np is {options.np}, but must be numbers, comma-separated")
    if min(options.np) < 1 or options.launches < 1: parser.error("--np and --launches must be at least 1")
    if rest and options.mode != "ops": parser.error("options after -- are tutti_bench's, so for mode ops only")
    options.rest = rest
    options.build = options.build.resolve()
    options.out = options.out or options.build / "compare"
    return options


def find_libraries(options):
    found = [] if options.without_tutti else [libraries.tutti(options.build)]
    for text in options.peers:
        name, equals, folder = text.partition("=")
        if not equals: raise libraries.PeerError(f"--peers is {text}, but must read NAME=DIR")
        found.append(libraries.from_folder(name, folder))
    for text in options.variant: libraries.add_variant(found, text)
    if not found: raise libraries.PeerError("no library to run on: --peers NAME=DIR")
    doubled = {p.name for p in found if [q.name for q in found].count(p.name) > 1}
    if doubled: raise libraries.PeerError(f"two libraries are called {', '.join(sorted(doubled))}")
    return found


def main():
    options = parse(sys.argv[1:])
    try:
        options.libraries = find_libraries(options)
        options.out.mkdir(parents=True, exist_ok=True)
        results = MODES[options.mode](options)
    except libraries.PeerError as error:
        print(f"compare.py: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    file = options.out / f"{options.mode}.json"
    file.write_text(json.dumps({"mode": options.mode, "launches": options.launches, "results": results}, indent=1) + "\n")
    print(f"results: {file}")
    return 0


if __name__ == "__main__": sys.exit(main())
