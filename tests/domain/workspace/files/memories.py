"""Files of memory of all kinds, and entries to be added to them."""

from __future__ import annotations

from hypothesis import strategies as st

from domain.workspace.files.memory_file import SECTIONS, MemoryEntry

lines = st.sampled_from(
    (
        *(
            "# Memory",
            "## Constraints",
            "## Decisions",
            "## Mine",
            "## Update 2026-01-01T00:00:00Z",
            "- a rule",
            "- another",
        ),
        *("- Constraints: ask Kim", "words", "", "```", "<!--", "- kept <!-- m:0123456789ab -->", "  more", "\xff"),
    )
)
files = st.builds(
    lambda parts, end: end.join(parts).encode("utf-8", "surrogateescape"),
    st.lists(lines, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
)
entries = st.lists(
    st.builds(
        MemoryEntry, st.sampled_from(SECTIONS), st.sampled_from(["a rule", "new one", "ask Kim", "Tea at four: always"])
    ),
    max_size=4,
)
