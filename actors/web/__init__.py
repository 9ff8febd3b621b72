"""Web: searches and reads pages for commands, which themselves have neither the network nor the search engine's key.

Read `actor.py` first (which request runs when), then `permission.py` (which addresses a window may have read, and how
much it may send out) and `address.py` (which hosts may be reached at all), then `page.py` and `article.py` (a page
becomes markdown) and `brave.py` (the search engine). Only writers: no module writes files; `page.py` and `brave.py` own
the connections, `address.py` makes pages' sockets, `names.py` the threads in which names are looked up. Pure:
`config.py`, and `article.py` but for the clock that it is given.
"""
