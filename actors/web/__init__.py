"""Web: searches and reads pages for commands, since commands have neither the network nor the search engine's key.

Read `actor.py` first (the order of requests), then `permission.py` (the addresses allowed to a window, and the bound
on outgoing data) and `address.py` (the reachable hosts), then `page.py` and `article.py` (a page becomes markdown) and
`brave.py` (the search engine). Only writers: no module writes files; `page.py` and `brave.py` own
the connections, `address.py` makes pages' sockets, `names.py` the threads for the look-up of names. Pure:
`config.py`, and `article.py` apart from its clock.
"""
