"""Sphinx settings: Markdown pages, nothing loaded from elsewhere."""

project = "Policywright"
author = "The Policywright authors"
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
html_theme = "alabaster"
