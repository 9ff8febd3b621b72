"""Cases of public reports about gateways and memories."""
