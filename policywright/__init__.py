"""A written policy as logic that a solver can check."""
