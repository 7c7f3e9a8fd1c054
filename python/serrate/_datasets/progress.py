"""A bar for what takes longer than a second: partitions, rows/s, bytes/s, time left."""

import sys
import time

_AFTER, _EVERY, _WIDTH = 1.0, 0.1, 24


def _wanted(choice):
    if choice is None:
        return sys.stderr.isatty()
    return bool(choice)


def _amount(x):
    for unit in ("", "k", "M", "G"):
        if x < 1000:
            return f"{x:.3g} {unit}"
        x /= 1000
    return f"{x:.3g} T"


def line(done, count, seconds, report):
    """The text of the bar."""
    filled = _WIDTH * done // max(count, 1)
    left = seconds / done * (count - done) if done else 0
    return (
        f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{count} partitions, "
        f"{_amount(report.rows / seconds)}rows/s, {_amount(report.bytes_read / seconds)}B/s, "
        f"{left:.0f} s left"
    )


def shown(steps, count, options):
    """The steps, with a bar on the terminal, or a call of progress(done, count, report)."""
    if callable(options.progress):
        for done, step in enumerate(steps, 1):
            yield step
            options.progress(done, count, options.report)
        return
    if not _wanted(options.progress):
        yield from steps
        return
    begin = last = time.monotonic()
    drawn = False
    for done, step in enumerate(steps, 1):
        yield step
        now = time.monotonic()
        if now - begin > _AFTER and (now - last > _EVERY or done == count):
            text = line(done, count, now - begin, options.report)
            print(f"\r{text}\x1b[K", end="", file=sys.stderr, flush=True)
            last, drawn = now, True
    if drawn:
        print(file=sys.stderr)
