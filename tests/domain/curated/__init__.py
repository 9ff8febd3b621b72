"""Laws of curated memory."""
