"""What a batch depends on: source code and environment."""
