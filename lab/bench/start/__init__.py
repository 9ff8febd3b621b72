"""Benchmark of the agent's start: time to the first answer on a data root with many logs, and with many events.

Read `run.py`, the starter and timer of the real agent; `lab/load/prepared_logs.py` makes the logs.
"""
