"""Reads and prints the fragment of SMT-LIB that policies use.

`read` takes a whole policy file, `read_term` one rule, `read_answer` the facts
and the claim of an answer; each raises ReadError with every problem found, by
line and column. `print_model` and `print_term` write strictly well-sorted
SMT-LIB 2.6, the same bytes each time. Only this output ever reaches a solver.
"""

from policywright.smtlib.printer import print_model, print_symbol, print_term
from policywright.smtlib.reader import Answer, Fact, read, read_answer, read_term

__all__ = [
    "Answer",
    "Fact",
    "print_model",
    "print_symbol",
    "print_term",
    "read",
    "read_answer",
    "read_term",
]
