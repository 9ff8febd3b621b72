"""What stands between a command and the machine: bubblewrap, else Landlock, and the process that watches over both."""

from __future__ import annotations
