"""Text as people, terminals and models see it: splitting, escaping, cutting.

Read first `splitting.py` with `discord/` and `characters.py` (one text in many messages), second `long_answer.py` and
`running_text.py` (an answer that is too long, and one that is being written), third `output_tail.py` with
`terminal_text.py` (the output of commands). `lines.py` makes text of bytes and lines of text, and `markdown/` knows
which lines of a markdown file are text. `secret_look.py` knows the shapes of secrets, and `secret_scrub.py` finds the
agent's own and takes these out. `imitation.py` knows every line that the runtime writes among other people's words, and
with `lookalike.py` marks imitations. `presentable.py` shows invisible characters, `brief.py` words foreign values for
errors, `token_estimate.py` weighs texts by their tokens, `wish.py` is a model's line in place of an answer, and
`patience.py` matches the lines of two texts. `answer/` reads what a model answered. All pure: text
in, text out; nothing here is stored.
"""

from __future__ import annotations
