"""Simulation side of `liu`: networks are drawn, trained and measured here, without any theory of the paper."""
