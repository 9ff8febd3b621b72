"""What is said: immutable values that actors send one another."""
