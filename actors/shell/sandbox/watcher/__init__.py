"""The process that watches over a sandbox that has no namespaces."""

from __future__ import annotations
