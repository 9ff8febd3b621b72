"""The error that every refusal of the web is."""

from __future__ import annotations


class WebError(Exception):
    """Nothing usable came back; the text is for the model, without `Error:` and without parentheses."""
