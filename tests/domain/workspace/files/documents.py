"""Markdown of all kinds, sound and odd."""

from __future__ import annotations

from hypothesis import strategies as st

PIECES = ["# A", "## B", "# Own", "### C", "- x", "  - y", "* z", "1. n", "words", "", "```", "~~~~", "<!-- c -->"]
MARKS = ["<!--", "-->", "---", "# A #", "    - deep", "\ufeff# A", "# ", "\xff", "- <!-- m -->"]
documents = st.builds(
    lambda lines, end: end.join(lines).encode("utf-8", "surrogateescape"),
    st.lists(st.sampled_from(PIECES + MARKS), max_size=14),
    st.sampled_from(["\n", "\r\n"]),
)
