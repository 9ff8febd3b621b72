"""MemoryActor: the index of everything said, and what of it comes to mind."""
