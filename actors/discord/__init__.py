"""The agent in Discord: what people say becomes messages, what the agent says is posted."""
