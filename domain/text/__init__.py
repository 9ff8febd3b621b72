"""Text as people, terminals and models see it: splitting, escaping, cutting.

Read first `splitting.py` with `markdown_block.py` (one text in many messages), second `long_answer.py` and
`running_text.py` (an answer that is too long, and one that is being written), third `output_tail.py` with
`terminal_text.py` (the output of commands). `imitation.py` knows every line that the runtime writes among other
people's words, and with `lookalike.py` marks what passes for one. `presentable.py` shows what would be invisible,
`secret_scrub.py` takes secrets out, and `brief.py` words for an error what others made.
`token_estimate.py` weighs texts by the tokens that they take; `wish.py` is a model's line in place of an answer.
`patience.py` matches the lines of two texts.

`markdown_lines.py` says which lines of a markdown file are text; with `code_blocks.py` and `nesting.py` (a note's
code, as CommonMark has it), `code_fences.py` (the fences of a file of memory) and `comments.py`. All pure: text in,
text out; nothing here is stored.
"""

from __future__ import annotations
