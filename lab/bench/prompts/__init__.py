"""Prompts: the system prompt of every set of layers and rights, as the whole agent sends it.

Read `run.py`: the combinations, and a row of figures for each.
"""
