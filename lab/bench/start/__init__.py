"""Benchmark of the agent's start: how soon it answers on a data root with many logs, and with many events.

Read `run.py`, which starts the real agent and takes the times; `lab/load/prepared_logs.py` makes the logs.
"""
