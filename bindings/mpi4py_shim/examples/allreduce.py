"""Sums NumPy arrays of the ranks, checks the sums and prints how long it takes.

mpirun -np 4 python allreduce.py [LARGEST]     LARGEST: elements of the longest array (1048576)
"""
import sys

import numpy
from mpi4py import MPI

comm = MPI.COMM_WORLD
largest = int(sys.argv[1]) if len(sys.argv) > 1 else 1 << 20
if comm.rank == 0: print(f"{comm.size} ranks, {MPI.Get_library_version().splitlines()[0]}\n{'elements':>10} {'us':>10}")

elements = 1
while elements <= largest:
    mine = numpy.arange(elements, dtype=numpy.float64) + comm.rank
    total = numpy.empty_like(mine)
    comm.Barrier()
    begin = MPI.Wtime()
    comm.Allreduce(mine, total, op=MPI.SUM)
    slowest = comm.reduce(MPI.Wtime() - begin, op=MPI.MAX)
    # Whole numbers below 2^53: the sum is exact in whatever order it was made.
    wanted = comm.size * numpy.arange(elements, dtype=numpy.float64) + comm.size * (comm.size - 1) // 2
    if not numpy.array_equal(total, wanted): sys.exit(f"rank {comm.rank}: wrong sum of {elements} elements")
    if comm.rank == 0: print(f"{elements:10} {slowest * 1e6:10.1f}")
    elements *= 16
