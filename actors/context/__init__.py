"""One window: its log, its history and its turns."""
