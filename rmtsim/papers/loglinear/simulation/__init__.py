"""Models and measured quantities of `loglinear`: drawn and measured, never computed from its theory."""
