"""Driver: acts of tests and tools on a running playground, from any thread, in plain values.

Read `calls.py` first (how a call gets onto the server's loop and its result back), then `people.py`, then
`observer.py`. `interactions.py` opens commands and forms, `faults.py` makes the network misbehave. `PlaygroundServer`
combines all modules. No module has state of its own; no module is pure.
"""

from __future__ import annotations
