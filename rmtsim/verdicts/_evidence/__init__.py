"""What was measured: moments, joint sets, sequences, e-values."""
