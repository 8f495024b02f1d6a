"""Models and measured quantities of `dong`: drawn and measured, never computed from its theory."""
