"""EmbedderActor: text into vectors, by a provider or by the model on this machine."""
