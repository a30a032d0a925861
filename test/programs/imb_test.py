#!/usr/bin/env python3
"""Intel's MPI benchmarks, as PyPI's impi-rt brings them, built for Intel MPI, run unchanged on our libmpi.so.12.

imb_test.py BUILD [--full]      --full: 4 ranks too, messages up to 4 MiB
"""
import re
import sys

from programs import FULL, MPIRUN, environment, main, run, test

# Options; benchmarks that must report.
PROGRAMS = {
    "IMB-MPI1": ("Allgather Allgatherv Allreduce Alltoall Alltoallv Barrier Bcast Exchange Gather Gatherv PingPing PingPong Reduce "
                 "Reduce_local Reduce_scatter Reduce_scatter_block Scatter Scatterv Sendrecv"),
    "IMB-NBC": ("Iallgather Iallgatherv Iallreduce Ialltoall Ialltoallv Ibarrier Ibcast Igather Igatherv Ireduce Ireduce_scatter "
                "Iscatter Iscatterv"),
    "IMB-P2P": "Birandom Corandom PingPing PingPong SendRecv_Replace Unirandom",
    "IMB-MT": "AllReduceMT BarrierMT BcastMT BiBandMT ExchangeMT PingPingMT PingPongMT ReduceMT SendRecvMT UniBandMT",
}


def runs_to_its_end(program, options, threads=1):
    folder = environment("impi", "--no-deps", "impi-rt==2021.19.0")
    for ranks in [2, 4] if FULL else [2]:
        code, out = run(MPIRUN, "-q", "--timeout", 250, "-np", ranks, "-x", f"OMP_NUM_THREADS={threads}", folder / "bin" / program, *options)
        reported = set(re.findall(r"^# Benchmarking (\w+)", out, re.M))
        assert code == 0, f"{ranks} ranks: exit code {code}\n{out[-3000:]}"
        missing = set(PROGRAMS[program].split()) - reported
        assert not missing, f"{ranks} ranks: nothing from {' '.join(sorted(missing))}\n{out[-3000:]}"


SIZES = ["-iter", 20, "-msglog", "0:22" if FULL else "0:12"]


@test
def IMB_MPI1(): runs_to_its_end("IMB-MPI1", SIZES)
@test
def IMB_NBC(): runs_to_its_end("IMB-NBC", SIZES)
@test
def IMB_P2P(): runs_to_its_end("IMB-P2P", [*SIZES, "-pause", 0])
@test
def IMB_MT(): runs_to_its_end("IMB-MT", ["-count", "1,16,1024", "-repeat", 20])
@test
def IMB_MT_with_two_threads(): runs_to_its_end("IMB-MT", ["-thread_level", "multiple", "-count", "1,1024", "-repeat", 10], threads=2)


sys.exit(main())
