"""Benchmark of the agent's start: how soon it answers on a data root with many logs, and with many events.

Read first `run.py` (starts the real agent and takes the times), then `data.py` (makes the logs).
"""
