"""Files that a campaign is resumed from."""
