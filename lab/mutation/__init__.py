"""Mutation of the rules and of the durable path: one small fault at a time, which a test must notice.

Read `mutants.py` first (which faults there are in a module), then `targets.py` (which modules, and the tests that guard
them), `reasons.py` (which mutants nothing can notice), `loading.py` (how a process comes to run a faulty module),
`tester.py` (the process that tests them; its own side is `tests/mutant_tester.py`) and `campaign.py` (all of them, and
the report).
Nothing on the disk is changed: a mutant lives in the memory of the process that tests it. Only `tester.py` starts
processes. Pure: `mutants.py`, `targets.py`, `reasons.py`.
"""
