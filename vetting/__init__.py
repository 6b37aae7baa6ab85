"""Judges: review and decisions, questions, publishing, checks."""
