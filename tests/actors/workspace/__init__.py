"""Laws of the workspace."""
