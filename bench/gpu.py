"""Times serrate on a GPU beside hand-written kernels and CuPy: ./dev gpu-bench [NAME].

A case is a dict: what is called is timed, "timed" are microseconds; "floor" are the seconds that a
copy of as many bytes takes, and "percent" of the copy rate or "aim_us" what is aimed at. "within"
times what is named "than" is another aim, and so is a time "times_slower" of what is "slower".
"""

import json
import sys

import gpu_adl
import gpu_apply
import gpu_cases
import gpu_first
import gpu_flat
import gpu_outer_axes
import gpu_ragged
import gpu_structure
import gpu_transfers
import gpu_vectors
from gpu_timing import RATE, synchronised

CASES = gpu_cases.CASES | gpu_ragged.CASES | gpu_structure.CASES | gpu_first.CASES
CASES |= gpu_outer_axes.CASES | gpu_vectors.CASES | gpu_transfers.CASES
CASES |= gpu_apply.CASES | gpu_adl.CASES | gpu_flat.CASES


def line(row, case):
    """One line of the table; what follows from the times is added to the row."""
    text = "  ".join(f"{k} {v:.1f} us" for k, v in row.items())
    ours = row["ours"]
    if case.get("aim_us"):
        text += f"  (aim {case['aim_us']} us)"
    if "floor" in case:
        row["percent"] = 100 * case["floor"] / (ours / 1e6)
        text += f"  {row['percent']:.0f} % of the copy rate (aim {case['percent']} %)"
    if "within" in case:
        row["times"] = ours / row[case["than"]]
        text += f"  {row['times']:.2f}x {case['than']} (aim {case['within']}x)"
    if "slower" in case:
        row["times"] = row[case["slower"]] / ours
        text += f"  {case['slower']} takes {row['times']:.0f}x (aim {case['times_slower']}x)"
    return text


def main():
    only = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1][0] != "-" else ""
    results = {"copy_TB_s": RATE / 1e12}
    print(f"device copy {RATE / 1e12:.2f} TB/s")
    for name, make in CASES.items():
        if not any(part in name for part in only.split(",")):
            continue
        try:
            case = make()
            row = {k: synchronised(f) * 1e6 for k, f in case.items() if callable(f)}
            row |= case.get("timed", {})
        except Exception as e:
            print(f"{name:22} failed: {type(e).__name__}: {str(e)[:300]}", flush=True)
            continue
        print(f"{name:22} {line(row, case)}", flush=True)
        results[name] = {k: float(f"{v:.4g}") for k, v in row.items()}
        if "--json" in sys.argv:
            with open(sys.argv[-1], "w") as f:
                json.dump(results, f, indent=1)


if __name__ == "__main__":
    main()
