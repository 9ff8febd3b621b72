"""Files of curated memory for properties: whatever people, programs and hostile repositories put into them."""

from __future__ import annotations

from hypothesis import strategies as st

LINES = (
    b"# Index",
    b"## Build",
    b"## build ##",
    b"### Linux",
    b"#### Build",
    b"## Remembered",
    b"# Remembered",
    b"#hashtag",
    b"##",
    b"- sccache breaks -Werror",
    b"- [Build quirks](build.md) \xe2\x80\x94 sccache",
    b"* another sign <!-- confirmed 2026-01-02 -->",
    b"+ a third",
    b"  - nested",
    b"\tindented",
    b"- ",
    b"- - -",
    b"prose",
    b"",
    b"  ",
    b"```",
    b"```sh",
    b"````",
    b"  ```",
    b"~~~",
    b"``` ` ```",
    b"\r",
    b"\xef\xbb\xbf",
    b"\xff\xfe\0",
    b"\xe2\x80\xa8",
    "Grüße".encode(),
)
ENDS = (b"\n", b"\n", b"\n", b"\r\n", b"")
markdown = st.builds(
    lambda mark, parts: mark + b"".join(line + end for line, end in parts),
    st.sampled_from([b"", b"", b"\xef\xbb\xbf"]),
    st.lists(st.tuples(st.sampled_from(LINES), st.sampled_from(ENDS)), max_size=14),
)
anything = st.one_of(markdown, st.binary(max_size=200))
"""Also what is no text."""
words = st.text(st.sampled_from("aB 1#-*`~[]().!é\u3000"), min_size=1, max_size=20)
