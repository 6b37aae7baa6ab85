"""The playground: some facts are chosen, and it is told what follows of every outcome.

Each with the fewest rules it rests on; of what stays open, which further fact matters most.
`policywright.playground.play` asks a solver; what it found is here, apart, for those who
only read it.
"""

from policywright.playground.played import (
    A_PAGE,
    DEADLINE_S,
    Clash,
    Edge,
    Matter,
    Names,
    Outcome,
    Played,
    Settling,
    State,
    given_to_json,
    played_from_json,
    played_to_json,
)

__all__ = [
    "A_PAGE",
    "DEADLINE_S",
    "Clash",
    "Edge",
    "Matter",
    "Names",
    "Outcome",
    "Played",
    "Settling",
    "State",
    "given_to_json",
    "played_from_json",
    "played_to_json",
]
