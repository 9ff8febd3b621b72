"""Rules of a channel's workspace."""
