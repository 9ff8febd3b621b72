"""Slash and context commands: acknowledged at once, asked of the actor that owns the matter, answered to the asker."""
