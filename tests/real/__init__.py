"""Cases of public reports, tried on the product; each names its report."""
