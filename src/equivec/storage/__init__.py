"""Plumbing: files that are written whole, and how damage to them is seen."""
