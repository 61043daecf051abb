"""Exact and learned voting rules."""
