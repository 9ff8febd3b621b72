"""A model server on loopback, in OpenAI's form."""

from __future__ import annotations
