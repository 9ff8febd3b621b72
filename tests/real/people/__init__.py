"""Cases of what people send and undo."""
