"""Benchmark of windows on hosts: how much a link carries, and what a host that is killed costs the others.

Read `run.py` first (what is measured), then `link_rate.py` (a head and one host on Ray, in a process of its own), then
`killed_host.py` (the real agent with two hosts, of which one is killed with a turn in flight in every window).
"""

from __future__ import annotations
