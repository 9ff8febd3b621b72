"""Hostile servers of the Model Context Protocol, as data.

Read `row.py`, then the rows: `streams.py` (floods, answers that fit no request, values that JSON does not have),
`lists.py` (names, schemas, pages, changes), `hosts.py` (crashes, and what a process can try on its machine),
`words.py` (text that is meant for a model) and `web.py` (servers over HTTP). `table.py` has all of them.
"""
