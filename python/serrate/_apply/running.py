"""Compiled loops over blocks of lists, in other threads: the one that asked for them waits, so it
hears Ctrl-C, and has them stop."""

import os
from concurrent.futures import ThreadPoolExecutor, wait

from serrate import _core

_pool = None


def _threads():
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(_core._num_threads(), "serrate-apply")
    return _pool


def _forget():
    """A forked process has none of the threads."""
    global _pool
    _pool = None


os.register_at_fork(after_in_child=_forget)


def run(tasks):
    """[task() for task in tasks], by threads. What the first of them raises; KeyboardInterrupt
    when all have stopped."""
    work = _core._NumbaRun()

    def one(task):
        work.begin()
        try:
            return task()
        finally:
            work.end()

    futures = [_threads().submit(one, task) for task in tasks]
    try:
        wait(futures)
    except BaseException:
        work.stop()
        for f in futures:
            f.cancel()
        _wait_for_all(futures)
        raise
    return [f.result() for f in futures]


def _wait_for_all(futures):
    """Whatever is pressed meanwhile: they end soon, and write to memory until then."""
    while True:
        try:
            wait(futures)
            return
        except BaseException:
            continue
