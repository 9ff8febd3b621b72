"""Cluster: windows on further processes, hosts, which Ray starts here or on other machines; the rest on the head.

The head is the process of `agent run`: Discord, memory, embedder, scheduler, layers and the feed live there, and what
they are told stays there. A host has the windows that it is given, and beside them, each its own: `model` and `shell`
for their calls and commands, `socket` for those commands' doors (a socket is bound into a sandbox, so it is on the
machine where that runs), `skills` and `web` (which answer turns and commands, and keep nothing). All else that is told
on a host goes to the head. What is handed around in one process as an object or a callback (settings, the menu, who is
told that the bot is online) each side has its own of, made from the same settings; nothing of that crosses.

Read first `shared.py` (which actors a host has), second `link.py` (how messages cross, in order and once), third
`head.py` (which window is where, and what becomes of a host's windows when it is lost). `host_life.py` drives one host,
`host.py` is its other end, `ledger.py` knows what is owed to a lost one's windows, `lease.py` and `fence.py` keep two
hosts from one log, `storage.py` a host from another folder at the data root's path, `wire.py` is how all of it is
written. `ray_pool.py` is the only module that imports Ray, behind `pool.py`, and `watch.py` looks whether Ray lives.
`part.py` and `actor.py` speak for the hosts in `/status`. `actors/hosting.py` composes a host's process.

Writes nothing of its own but `hosts.lock` in the data root, which names the run and is held while a host lives; Ray has
its sockets and logs in a folder below the system's temporary one. Pure are `lease.py`, `ledger.py`, `link.py`,
`placement.py`, `shared.py` and `wire.py`.
"""
