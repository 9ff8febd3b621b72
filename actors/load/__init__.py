"""Drives many threads of a loopback Discord through the whole agent, and counts what comes back."""
