"""Cluster: windows on further processes, hosts, which Ray starts here or on other machines; the rest on the head.

The head is the process of `agent run`: Discord, memory, embedder, scheduler, layers and the feed live there, and
messages to these actors stay there. A host has the windows assigned to the host, and for them actors of its own:
`model` and `shell` for their calls and commands, `socket` for those commands' sockets (a socket is bound into a
sandbox, so the socket is on the sandbox's machine), `skills` and `web` (which answer turns and commands, and keep
nothing). All other messages on a host go to the head. Objects and callbacks shared within a process (settings, the
menu, listeners for the bot's status) never cross: each side makes its own from the same settings.

Read first `shared.py` (the actors of a host), second `link.py` (messages cross in order and once), third
`head.py` (placement of windows, and the fate of a lost host's windows). `host_life.py` drives one host, `host.py` is
its other end, `ledger.py` keeps the messages owed to a lost host's windows, `lease.py` and `fence.py` keep two hosts
from one log, `storage.py` a host from another folder at the data root's path, `wire.py` is the encoding. `ray_pool.py`
is the only module that imports Ray, behind `pool.py`, `ray_folder.py` has its folder, and `watch.py` checks that Ray
lives. `part.py` and `actor.py` speak for the hosts in `/status`. `actors/hosting.py` composes a host's process.

Writes only `hosts.lock` in the data root, which names the run and is held while a host lives; Ray has its sockets and
logs in a folder below the system's temporary folder. Pure are `lease.py`, `ledger.py`, `link.py`,
`placement.py`, `shared.py` and `wire.py`.
"""
