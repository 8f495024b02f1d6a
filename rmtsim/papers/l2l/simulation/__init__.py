"""Models and measured quantities of `l2l`: drawn and measured, never computed from its theory."""
