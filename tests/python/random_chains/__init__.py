# Random chains of public functions against Awkward, step by step and in other numbers of threads:
# `./dev random`. The parent (parent.py) gives seeds to workers (worker.py); what differs is shrunk
# (shrink.py) and printed as a test (chain.py).
