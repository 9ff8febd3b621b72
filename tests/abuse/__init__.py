"""What a hostile command tries, told from its side: see `docs/operations.md` for what it is meant to be kept from."""
