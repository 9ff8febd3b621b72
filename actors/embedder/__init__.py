"""The embedder: turns text into vectors, with Google, a local model, or hashed words."""
