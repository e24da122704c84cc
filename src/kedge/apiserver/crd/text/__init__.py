"""Texts as Go reads them: patterns, and the formats that schemas name."""
