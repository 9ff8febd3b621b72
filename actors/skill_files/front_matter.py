"""Front matter of a markdown file by any author: the values of its YAML, or the reason against reading."""

from __future__ import annotations

from typing import Any

import yaml
from yaml.composer import ComposerError
from yaml.constructor import ConstructorError

from domain.turn.skill import on_one_line

LONGEST_FRONT_MATTER = 16_384
"""Characters."""
MOST_BRACKETS = 100
"""YAML's reader takes seconds over a thousand nested brackets."""
_LONGEST_PROBLEM = 200
"""Most characters of a message by YAML's reader, since the message may quote the file."""
_MERGE = "tag:yaml.org,2002:merge"


def front_matter_fields(text: str) -> object:
    """Value of a front matter's YAML, of any type, in time proportional to its length.

    Args:
        text: Text between the two lines of `---`.

    Raises:
        ValueError: the text cannot be used; names the rule, and the line of the file if known.
    """
    if len(text) > LONGEST_FRONT_MATTER:
        raise ValueError(f"front matter of {len(text)} characters: at most {LONGEST_FRONT_MATTER} are allowed")
    if (brackets := text.count("[") + text.count("{")) > MOST_BRACKETS:
        raise ValueError(f"front matter with {brackets} brackets: at most {MOST_BRACKETS} are allowed")
    try:
        return _load_yaml(text)
    except Exception as error:  # noqa: BLE001  # an odd value, such as `!!int ''`, fails in any way; it is the file's fault
        raise ValueError(_fault(error)) from None


class _Loader(yaml.SafeLoader):
    """Reader of plain data without aliases and merges, since a few lines of those could mean gigabytes."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose a value; anchors and aliases are refused."""
        event: Any = self.peek_event()  # type: ignore[no-untyped-call]
        if getattr(event, "anchor", None) is not None:
            raise ComposerError(None, None, "anchors (&) and aliases (*) are not allowed here", event.start_mark)
        return super().compose_node(parent, index)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Look for merges, and refuse any."""
        for key, _ in node.value:
            if key.tag == _MERGE:
                raise ConstructorError(None, None, "merges (<<) are not allowed here", key.start_mark)
        super().flatten_mapping(node)


def _load_yaml(text: str) -> object:
    loader = _Loader(text)
    try:
        return loader.get_single_data()
    finally:
        loader.dispose()


def _fault(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    line = f"line {mark.line + 2}: " if mark is not None else ""
    if isinstance(error, yaml.YAMLError):
        problem = getattr(error, "problem", None) or str(error)
    elif isinstance(error, RecursionError):
        problem = "it is nested too deeply"
    elif isinstance(error, ValueError):
        problem = str(error)
    else:
        problem = f"a value has the wrong type ({type(error).__name__})"
    words = on_one_line(problem or type(error).__name__)[:_LONGEST_PROBLEM]
    return f"{line}the front matter is not YAML: {words} (quote values that hold `: ` or start with a sign)"
