"""Moved to `elect.words`."""

from elect.words import listed

__all__ = ["listed"]
