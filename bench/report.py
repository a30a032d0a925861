"""Tables and plots of compare.py's results."""

import math
import sys
import time


class Progress:
    """A bar on stderr for work of `total` equal parts; silent where stderr is no terminal."""

    def __init__(self, total):
        self.total, self.done, self.begun, self.shown = total, 0, time.monotonic(), sys.stderr.isatty()

    def step(self, what):
        """Shows what is being done now; the part before it is finished."""
        if self.shown:
            filled = 24 * self.done // self.total
            left = (time.monotonic() - self.begun) / self.done * (self.total - self.done) if self.done else None
            rest = "" if left is None else f", {left:.0f} s left" if left < 120 else f", {left / 60:.0f} min left"
            print(f"\r\033[K[{'#' * filled}{'.' * (24 - filled)}] {self.done + 1}/{self.total} {what}{rest}", end="", file=sys.stderr, flush=True)
        self.done += 1

    def close(self):
        if self.shown: print("\r\033[K", end="", file=sys.stderr, flush=True)


def number(value):
    """Three significant digits, no exponent."""
    if value == 0 or not math.isfinite(value): return f"{value:g}"
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{min(digits, 3)}f}"


def size(count):
    for unit, letter in ((1 << 30, "G"), (1 << 20, "M"), (1 << 10, "K")):
        if count >= unit and count % unit == 0: return f"{count // unit}{letter}"
    return str(count)


def print_table(title, first_column, peers, rows):
    """rows: (label, {peer: (median, min)}). The first peer is what the others are held against."""
    base = peers[0]
    print(f"\n{title}")
    head = f"{first_column:>10}"
    for peer in peers: head += f" | {peer + ' median':>19} {'min':>8}" + ("" if peer == base else f" {'/' + base:>7}")
    print(head)
    for label, cells in rows:
        line = f"{label:>10}"
        for peer in peers:
            if peer not in cells:
                line += f" | {'-':>19} {'-':>8}" + ("" if peer == base else f" {'-':>7}")
                continue
            median, least = cells[peer]
            line += f" | {number(median):>19} {number(least):>8}"
            if peer != base: line += f" {number(median / cells[base][0]):>7}" if base in cells and cells[base][0] else f" {'-':>7}"
        print(line)
    sys.stdout.flush()


def plot(path, title, peers, tables):
    """One log-log panel per operation: size over median time. tables: {op: {bytes: {peer: (median, min)}}}."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as pyplot
    except ImportError:
        return "no plot: matplotlib is not installed (pip install matplotlib)"
    curves = {op: rows for op, rows in tables.items() if len(rows) > 1}
    if not curves: return "no plot: it takes two sizes to draw a curve"
    columns = min(4, len(curves))
    lines = math.ceil(len(curves) / columns)
    figure, axes = pyplot.subplots(lines, columns, figsize=(4.2 * columns, 3.4 * lines + 0.7), squeeze=False,
                                   layout="constrained")
    for axis, (op, rows) in zip(axes.flat, curves.items()):
        for peer, marker in zip(peers, "osv^Dx+*"):
            points = [(count, cells[peer][0]) for count, cells in sorted(rows.items()) if peer in cells and count > 0]
            if points: axis.plot(*zip(*points), marker=marker, markersize=3.5, linewidth=1.2, label=peer)
        axis.set_xscale("log", base=2)
        axis.set_yscale("log")
        ticks = sorted(rows)[:: max(1, len(rows) // 5)]
        axis.set_xticks(ticks, [size(count) for count in ticks])
        axis.minorticks_off()
        axis.set_title(op)
        axis.set_xlabel("bytes")
        axis.set_ylabel("us")
        axis.grid(alpha=0.3)
    for axis in axes.flat[len(curves):]: axis.axis("off")
    axes.flat[0].legend(fontsize=8)
    figure.suptitle(title)
    figure.savefig(path, dpi=110)
    pyplot.close(figure)
    return f"plot: {path}"
