"""Which variables, datatypes and rules may be one and the same: proposals, never decisions.

Nothing here knows a database. `candidates` finds what looks alike, `contrasts` says
what tells it apart, `values` pairs the values of two datatypes, `duplicates` finds
rules that say the same, `splitting` takes one apart.
"""
