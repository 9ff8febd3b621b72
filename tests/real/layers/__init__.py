"""Public reports on prompts, kept beginnings and shortened outputs, tried on the layers."""
