"""Laws of objects."""
