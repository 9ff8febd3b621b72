"""Mutation of the rules and of the durable path: one small fault at a time, which a test must notice.

Read `mutants.py` first (which faults there are in a module), then `targets.py` (which modules, and the tests that guard
them), `plugin.py` (how a test process comes to run a faulty module) and `campaign.py` (all of them, and the report).
Nothing on the disk is changed: a mutant lives in the memory of the process that tests it. Only `campaign.py` starts
processes. Pure: `mutants.py`, `targets.py`.
"""
