"""Turns spans into policy units with formalizers, and keeps what is open as questions."""
