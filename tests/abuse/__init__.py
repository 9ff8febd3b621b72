"""What a hostile command tries, told from its side: see `docs/sandbox.md` for what it is meant to be kept from."""
