"""Laws of sub-agents."""
