"""Settings: what the operator decided, and secrets; each mistake is refused with file, line, key and rule.

Read first `schema.py` (every setting with its default and its rule; `operating.py` beside it has those of what an
operator looks at, `table.py` what both are made of), then `load.py` (file, environment and command line
become one frozen value), then `secret.py` (tokens and keys, which leave the environment).
No module here writes a file.
`rule.py`, `problem.py`, `audit.py`, `render.py`, `frozen_map.py` and `toml_lines.py` are pure.
"""

from __future__ import annotations
