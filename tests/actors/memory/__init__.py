"""The memory actor: index, searches, and behaviour under faults."""
