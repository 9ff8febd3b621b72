"""Text for people, terminals and models: splitting, escaping, cutting.

Read first `splitting.py` with `discord/` and `characters.py` (one text in many messages), second `long_answer.py` and
`running_text.py` (a too long answer, and an answer in progress), third `output_tail.py` with `terminal_text.py` (the
output of commands). `lines.py` makes text of bytes and lines of text, and `markdown/` knows the text lines of a
markdown file. `secret_look.py` knows the shapes of secrets, and `secret_scrub.py` finds and removes the agent's own
secrets. `imitation.py` knows every line that the runtime writes among other people's words, and with `lookalike.py`
marks imitations. `presentable.py` shows invisible characters, `brief.py` words foreign values for errors,
`token_estimate.py` weighs texts by their tokens, `wish.py` is a model's line in place of an answer, and `patience.py`
matches the lines of two texts. `answer/` reads a model's answers. All pure: text in, text out; no text is stored here.
"""

from __future__ import annotations
