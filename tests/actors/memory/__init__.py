"""The memory actor: its index, its searches, and what it does when things break."""
