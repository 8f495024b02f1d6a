"""Closed forms of `dong`."""
