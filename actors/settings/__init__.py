"""Settings: the operator's decisions, and secrets; each mistake is refused with file, line, key and rule.

Read first `schema.py` (every setting with its default and rule; `operating.py` beside it has the settings of the
operator's machine, `table.py` the base of both), then `load.py` (file, environment and command line become one frozen
value), then `secret.py` (tokens and keys, which leave the environment). No module here writes a file. `rule.py`,
`problem.py`, `audit.py`, `render.py`, `frozen_map.py` and `toml_lines.py` are pure.
"""

from __future__ import annotations
