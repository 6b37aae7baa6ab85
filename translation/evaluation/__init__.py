"""How good a formalizer is: its rules for gold policies, compared with gold by the solver.

Nothing here touches a database, and nothing is kept.
"""
