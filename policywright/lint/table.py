"""The checks, in order: later ones leave out what earlier ones have settled.

Codes are stable: an owner's silence is bound to them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from policywright.lint import (
    bare,
    circles,
    conflict,
    constant,
    contradiction,
    division,
    domains,
    enumerations,
    idle,
    implied,
    measures,
    near_names,
    nonlinear,
    one_sided,
    reach,
    sources,
    thresholds,
    unfit,
    unused,
    words,
)
from policywright.lint.diagnostic import Diagnostic, Severity
from policywright.lint.scan import Scan

Check: TypeAlias = Callable[[Scan], Iterator[Diagnostic]]


@dataclass(frozen=True)
class Lint:
    """One check; `explanation` is one sentence that says why it matters.

    `of_part`: it asks nothing but what rules that share variables say together, and is asked of
    each part of a policy by itself; the others are cheap, and asked of the whole every time.
    """

    code: str
    severity: Severity
    explanation: str
    check: Check
    of_part: bool = False


_ERROR, _WARNING, _NOTE = Severity.ERROR, Severity.WARNING, Severity.NOTE

LINTS: tuple[Lint, ...] = (
    Lint(
        contradiction.CODE,
        _ERROR,
        "Rules that cannot all hold, whatever the case, make every answer IMPOSSIBLE.",
        contradiction.contradictions,
        of_part=True,
    ),
    Lint(
        conflict.CODE,
        _ERROR,
        "Rules that cannot all hold in some case answer IMPOSSIBLE to whoever is in it.",
        conflict.conflicts,
        of_part=True,
    ),
    Lint(
        division.CODE,
        _ERROR,
        "A quotient whose divisor is zero means nothing, whatever a solver makes of it.",
        division.zero_divisors,
        of_part=True,
    ),
    Lint(
        unfit.TYPED,
        _ERROR,
        "A rule that does not fit its declarations is in no policy, and checks nothing.",
        unfit.ill_typed,
    ),
    Lint(
        unfit.NAMES,
        _ERROR,
        "A name that stands for two things names neither.",
        unfit.duplicate_names,
    ),
    Lint(
        words.DUPLICATE,
        _ERROR,
        "Where two things are said in the same words, a reader approves the one and means the "
        "other.",
        words.duplicate_phrases,
    ),
    Lint(
        reach.CODE,
        _WARNING,
        "A rule that can never apply looks like protection, and is none.",
        reach.never_applying,
        of_part=True,
    ),
    Lint(
        implied.CODE,
        _WARNING,
        "A rule that the others imply is read, approved and kept for nothing, or one of them says "
        "too much.",
        implied.implied_rules,
        of_part=True,
    ),
    Lint(
        idle.CODE,
        _WARNING,
        "A part that changes nothing is often one that was meant to.",
        idle.idle_parts,
        of_part=True,
    ),
    Lint(
        constant.CODE,
        _WARNING,
        "A variable with one possible value asks nothing of a case, and hides a rule that says "
        "too much.",
        constant.constant_variables,
        of_part=True,
    ),
    Lint(
        one_sided.CODE,
        _WARNING,
        "An outcome of which one side can never be proved leaves every such case open.",
        one_sided.one_sided_outcomes,
        of_part=True,
    ),
    Lint(
        bare.CODE,
        _WARNING,
        "A duty written as a fact makes a true report of a breach look impossible.",
        bare.bare_assertions,
    ),
    Lint(
        domains.CODE,
        _WARNING,
        "A number without a range brings forth cases that nobody will ever see.",
        domains.missing_domains,
        of_part=True,
    ),
    Lint(
        near_names.CODE,
        _WARNING,
        "What is said of one of two variables for the same thing does not reach the other.",
        near_names.near_duplicates,
    ),
    Lint(
        enumerations.NO_OTHER,
        _WARNING,
        "A list without a value for anything else forces an answer into one of those listed.",
        enumerations.without_other,
    ),
    Lint(
        enumerations.TOGETHER,
        _WARNING,
        "Values of a list exclude each other; what can hold together is no such list.",
        enumerations.values_together,
    ),
    Lint(
        measures.MIXED,
        _WARNING,
        "Numbers in different units are compared as if they were in one.",
        measures.mixed_units,
    ),
    Lint(
        measures.SHARE,
        _WARNING,
        "A percentage taken for a share is a hundred times too much.",
        measures.shares_above_one,
    ),
    Lint(
        thresholds.TOUCH,
        _WARNING,
        "At a value where two rules apply, nobody can tell which was meant.",
        thresholds.touching_thresholds,
        of_part=True,
    ),
    Lint(
        thresholds.GAP,
        _WARNING,
        "Between two thresholds that do not meet, no rule speaks.",
        thresholds.gaps,
        of_part=True,
    ),
    Lint(
        circles.CODE,
        _WARNING,
        "What is defined by itself is not defined.",
        circles.circular_definitions,
    ),
    Lint(
        nonlinear.CODE,
        _WARNING,
        "No solver decides every question about products of variables.",
        nonlinear.non_linear,
    ),
    Lint(
        sources.NO_SOURCE,
        _WARNING,
        "A rule without a sentence is somebody's idea, and a quote without a place may be made up.",
        sources.without_source,
    ),
    Lint(
        sources.HIDDEN,
        _WARNING,
        "Characters that nobody sees make a person approve another sentence than was read.",
        sources.hidden_characters,
    ),
    Lint(
        words.UNCLEAR,
        _WARNING,
        "A phrase that can be taken for something else makes rules hard to read.",
        words.unclear_phrases,
    ),
    Lint(
        unused.VARIABLE,
        _NOTE,
        "A variable that no rule uses may belong to a rule that is missing.",
        unused.unused_variables,
    ),
    Lint(
        unused.DATATYPE,
        _NOTE,
        "A datatype that no variable has may belong to a variable that is missing.",
        unused.unused_datatypes,
    ),
    Lint(
        unused.VALUE,
        _NOTE,
        "A value that no rule names may belong to a rule that is missing.",
        unused.unused_values,
    ),
    Lint(
        unused.SEPARATE,
        _NOTE,
        "Rules that share no variable never meet, even where they speak of one thing.",
        unused.separate_rules,
    ),
)
