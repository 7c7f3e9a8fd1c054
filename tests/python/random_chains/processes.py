# Workers as seen by the parent: started, listened to with a time limit, and buried.
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent


class Dead(Exception):
    """A worker crashed or hung; the text says how."""


class Worker:
    def __init__(self, threads=1, perturb=False, backend="cpu", limit=60):
        environment = dict(os.environ, SERRATE_NUM_THREADS=str(threads))
        path = [str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])]
        environment["PYTHONPATH"] = os.pathsep.join(path)
        environment.pop("SERRATE_EAGER", None)
        environment.pop("MALLOC_PERTURB_", None)
        if perturb:
            environment["MALLOC_PERTURB_"] = "165"
        extra = ["--no-limit"] if backend != "cpu" else []
        self.limit = limit
        self.heard = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "random_chains.worker", *extra],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
        )

    def ask(self, task):
        self.process.stdin.write(json.dumps(task).encode() + b"\n")
        self.process.stdin.flush()

    def listen(self):
        """The next message; Dead if there will be none. A worker hangs that computes for too long,
        or waits for ten times as long: on a busy machine time passes without it."""
        began, used = time.monotonic(), self.seconds()
        while b"\n" not in self.heard:
            ready, _, _ = select.select([self.process.stdout], [], [], min(self.limit, 1))
            if not ready:
                waited = time.monotonic() - began
                if self.seconds() - used > self.limit or waited > 10 * self.limit:
                    self.stop()
                    raise Dead(f"hang: nothing for {waited:.0f} s")
                continue
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                code = self.process.wait()
                how = signal.Signals(-code).name if code < 0 else f"exit status {code}"
                raise Dead(f"crash: {how}")
            self.heard += got
        line, self.heard = self.heard.split(b"\n", 1)
        return json.loads(line)

    def seconds(self):
        """Of the processor, that the worker has used."""
        try:
            text = Path(f"/proc/{self.process.pid}/stat").read_text()
        except OSError:
            return 0.0
        user, system = text.rpartition(")")[2].split()[11:13]
        return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(BrokenPipeError):
                pipe.close()


class Runner:
    """Asks one worker, and starts another when it has died."""

    def __init__(self, **options):
        self.options = options
        self.worker = None

    def messages(self, task):
        if self.worker is None:
            self.worker = Worker(**self.options)
        try:
            self.worker.ask(task)
            while True:
                message = self.worker.listen()
                if message.get("restart"):
                    self.stop()
                yield message
                if (
                    "restart" in message
                    or "done" in message
                    or ("chain" in task and "outcome" in message)
                ):
                    return
        except (Dead, BrokenPipeError) as e:
            self.stop()
            yield {"dead": str(e) or "crash"}

    def outcome(self, chain, number, role="all", backend="cpu", awkward=True):
        """(kind, text) of one chain on one data set."""
        task = {"chain": chain, "set": number, "role": role, "backend": backend, "awkward": awkward}
        stage = ""
        for message in self.messages(task):
            if "dead" in message:
                return message["dead"], f"while {stage}", ""
            if "outcome" in message:
                o = message["outcome"]
                return o["kind"], f"{o['at']}: {o['text']}", o["digest"]
            stage = message.get("stage", stage)
        return "", "", ""

    def stop(self):
        if self.worker is not None:
            self.worker.stop()
            self.worker = None
