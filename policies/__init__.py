"""Keeps what a team owns: people, documents, the draft, versions, audit, jobs."""
