"""Error for every refusal of the web."""

from __future__ import annotations


class WebError(Exception):
    """Failure without a usable result; the text is for the model, without `Error:` and without parentheses."""
