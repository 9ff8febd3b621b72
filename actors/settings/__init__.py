"""What the operator decides: one frozen value from `agent.toml`, and the secrets apart from it."""
