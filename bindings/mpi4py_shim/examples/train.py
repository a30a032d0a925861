"""Trains a small network on handwritten digits; the ranks share each step's images and average their gradients.

mpirun -np 4 python train.py [--csv FILE]

The losses are those of one rank, within rounding: batches do not depend on the number of ranks. Exits with 1 when the
network recognises fewer than 95 % of the digits that it has not seen.
"""
import argparse
import pathlib
import sys

import numpy
from mpi4py import MPI

DIGITS = pathlib.Path(__file__).resolve().parents[3] / "bench/data/digits.csv"
EPOCHS, BATCH, HIDDEN, RATE, MOMENTUM = 20, 64, 64, 0.1, 0.9


def digits(comm, file):
    """Images to learn and to test, as (pixels 0..1, labels); rank 0 reads, everyone gets them."""
    table = None
    if comm.rank == 0:
        try: table = numpy.loadtxt(file, delimiter=",", comments="#")
        except OSError as fault: print(f"train.py: {fault}", file=sys.stderr); comm.Abort(2)
        table = numpy.random.default_rng(1).permutation(table)
    table = comm.bcast(table)
    images, labels, tested = table[:, :64] / 16, table[:, 64].astype(int), len(table) // 5
    return (images[tested:], labels[tested:]), (images[:tested], labels[:tested])


class Net:
    """64 pixels, one hidden layer, 10 digits. Its parameters are views of one array, so one Allreduce sums all gradients."""
    SHAPES = [(64, HIDDEN), (HIDDEN,), (HIDDEN, 10), (10,)]

    def __init__(self):
        self.all = numpy.concatenate([numpy.zeros(numpy.prod(s)) for s in self.SHAPES])
        self.speed = numpy.zeros_like(self.all)

    def parts(self, flat):
        ends = numpy.cumsum([numpy.prod(s) for s in self.SHAPES])
        return [part.reshape(shape) for part, shape in zip(numpy.split(flat, ends[:-1]), self.SHAPES)]

    def randomise(self, seed):
        random = numpy.random.default_rng(seed)
        for part in self.parts(self.all)[::2]: part[:] = random.normal(0, len(part) ** -0.5, part.shape)

    def forward(self, images):
        w1, b1, w2, b2 = self.parts(self.all)
        hidden = numpy.maximum(images @ w1 + b1, 0)
        scores = hidden @ w2 + b2
        odds = numpy.exp(scores - scores.max(axis=1, keepdims=True))
        return hidden, odds / odds.sum(axis=1, keepdims=True)

    def gradient(self, images, labels):
        """(gradient, loss), both summed over these images."""
        flat, rows = numpy.empty_like(self.all), numpy.arange(len(labels))
        hidden, odds = self.forward(images)
        loss = -numpy.log(odds[rows, labels]).sum()
        odds[rows, labels] -= 1
        behind = (odds @ self.parts(self.all)[2].T) * (hidden > 0)
        g1, c1, g2, c2 = self.parts(flat)
        g1[:], c1[:], g2[:], c2[:] = images.T @ behind, behind.sum(axis=0), hidden.T @ odds, odds.sum(axis=0)
        return flat, loss

    def step(self, gradient):
        self.speed *= MOMENTUM
        self.speed -= RATE * gradient
        self.all += self.speed

    def percent_right(self, images, labels):
        return 100 * numpy.mean(self.forward(images)[1].argmax(axis=1) == labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", default=DIGITS, help="the digits (bench/data/digits.csv)")
    parser.add_argument("--csv", help="write the loss of each epoch there")
    options = parser.parse_args()
    comm = MPI.COMM_WORLD
    (images, labels), test = digits(comm, options.data)
    net, losses = Net(), []
    if comm.rank == 0: net.randomise(seed=2)
    comm.Bcast(net.all)
    for epoch in range(EPOCHS):
        order, loss = numpy.random.default_rng(epoch).permutation(len(labels)), 0.0
        for begin in range(0, len(order), BATCH):
            batch = order[begin:begin + BATCH]
            gradient, part = net.gradient(images[batch[comm.rank::comm.size]], labels[batch[comm.rank::comm.size]])
            comm.Allreduce(MPI.IN_PLACE, gradient)
            net.step(gradient / len(batch))
            loss += part
        losses.append(comm.allreduce(loss) / len(labels))
        right = net.percent_right(*test)
        if comm.rank == 0: print(f"epoch {epoch + 1:2}  loss {losses[-1]:.6f}  {right:.2f} % of the unseen digits right", flush=True)
    if comm.rank == 0 and options.csv: numpy.savetxt(options.csv, losses)
    return 0 if right >= 95 else 1


sys.exit(main())
