"""Z3 and cvc5 as strangers would use them: a text in, an answer out."""

from __future__ import annotations

import cvc5
import z3

_LIMIT_MS = 2_000


def z3_answer(text: str, *, limit_ms: int = _LIMIT_MS) -> str:
    """`sat`, `unsat` or `unknown`; Z3Exception if Z3 does not accept the text."""
    solver = z3.Solver(ctx=z3.Context())
    solver.set("timeout", limit_ms)
    solver.from_string(text)
    return str(solver.check())


def cvc5_answer(text: str, *, limit_ms: int = _LIMIT_MS) -> str:
    """`sat`, `unsat` or `unknown`; AssertionError if cvc5 does not accept the text."""
    solver = cvc5.Solver(cvc5.TermManager())
    solver.setOption("tlimit-per", str(limit_ms))
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "policy")
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        answer = command.invoke(solver, symbols)
        assert "error" not in answer, answer
    result = solver.checkSat()
    return "sat" if result.isSat() else "unsat" if result.isUnsat() else "unknown"
