"""Benchmark of windows on hosts: the throughput of a link, and the effect of a killed host on other hosts.

Read `run.py` first (the measurements), then `link_rate.py` (a head and one host on Ray, in a separate process), then
`killed_host.py` (the real agent with two hosts, of which one is killed with a turn in flight in every window).
"""

from __future__ import annotations
