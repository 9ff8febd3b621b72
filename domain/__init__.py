"""What is right: pure rules; the same arguments give the same answer."""
