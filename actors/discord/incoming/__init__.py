"""What people do, on its way into the windows."""

from __future__ import annotations
