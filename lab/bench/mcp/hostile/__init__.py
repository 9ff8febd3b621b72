"""Hostile servers of the Model Context Protocol, as data.

Read `row.py`, then the rows: `streams.py` (floods, answers without a request, values foreign to JSON),
`lists.py` (names, schemas, pages, changes), `hosts.py` (crashes, and a process's attacks on the machine),
`words.py` (text aimed at a model) and `web.py` (servers over HTTP). `table.py` has all rows.
"""
