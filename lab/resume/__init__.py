"""Files for resuming a campaign."""
