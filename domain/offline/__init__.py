"""The offline model: fixed rules in the place of a language model."""

from __future__ import annotations
