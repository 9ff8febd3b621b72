"""Rules that people set: lines found without a model in which something should hold, in several languages.

`directives.py` scores lines and chooses among many; `english.py`, `policies.py`, `german.py` and `languages.py` are the
phrases that it looks for, `english_talk.py` what only sounds like them.
"""

from __future__ import annotations
