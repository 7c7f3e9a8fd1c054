"""What `import serrate` adds to `import numpy`, in fresh processes."""

import subprocess
import sys

from harness import Case, Required

CODE = """
import time, numpy
start = time.{clock}()
import {module}
print(time.{clock}() - start)
"""


def fresh(module: str):
    import harness

    code = CODE.format(clock=harness.CLOCK, module=module)

    def seconds() -> float:
        done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        return float(done.stdout)

    return seconds


def imports() -> Case:
    contestants = {"serrate": fresh("serrate"), "awkward": fresh("awkward")}
    return Case(contestants, None, [Required(at_most=0.060)], self_timed=True)


CASES = {"import": imports}
