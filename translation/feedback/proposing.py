"""Asks a model to change rules, and keeps of its answer what is typed and about those rules.

What is refused goes back with its cause, for at most MAX_ROUNDS in all or until nothing
changes; what was right is kept. A rule that the model was not given, one that would stay
as it is and one that does not fit are refused with a sentence, and change nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from policywright.model import Datatype, PolicyModel, Variable
from policywright.normal import normal_form
from policywright.terms import Term, symbols
from translation.asking import Asker
from translation.assembling import Assembled, assemble
from translation.connection import Connection
from translation.feedback.given import MAX_RULES, Given, GivenRule
from translation.feedback.prompt import first_messages, schema
from translation.formalizers import Cancelled
from translation.llm_answers import Reply
from translation.llm_errors import LlmBadAnswerError
from translation.models import Purpose
from translation.pieces import Piece
from translation.prompt import repair_messages
from translation.replies import ReplyError, read_json
from translation.whole_replies import ask_whole

MAX_ROUNDS = 3
MAX_NEW_VARIABLES = 5
# With room for some that were not sent, which are refused one by one.
MAX_CHANGES = 2 * MAX_RULES

_FOREIGN = "it is none of the rules that were sent; only those can be changed"
_TWICE = "it is changed twice; give its whole condition once"
_SAME = "it says what it said before; change it, or leave it out"
_MANY = f"it takes more than {MAX_NEW_VARIABLES} new variables; use what is declared"


@dataclass(frozen=True)
class ChangeDraft:
    """One rule as the model would change it; `uid` is empty for a rule that was not sent.

    `term` is None where `problem` says why the change was refused.
    """

    uid: str
    name: str
    smtlib: str
    explanation: str
    term: Term | None
    problem: str = ""


@dataclass(frozen=True)
class ProposalDraft:
    """What a model answered; `reason` is why it would change nothing, in its words.

    The terms name the drafted datatypes and variables by their ids.
    """

    changes: tuple[ChangeDraft, ...]
    datatypes: tuple[Datatype, ...]
    variables: tuple[Variable, ...]
    reason: str


def propose(
    connection: Connection, asker: Asker, given: Given, *, cancelled: Cancelled
) -> ProposalDraft:
    """Raises LlmError or CancelledError: then nothing of it is to be stored."""
    work = _Work(given)
    messages = first_messages(given)
    unread = ""
    for number in range(MAX_ROUNDS):
        before = work.problems() if number else None
        reply = _ask(connection, asker, messages, cancelled)
        try:
            work.take(read_json(reply.text, schema())[0])
            unread, problems = "", work.problems()
        except ReplyError as error:
            unread = str(error)
            problems = [{"problem": unread}]
        if not problems or problems == before:
            break
        messages = [*messages, *repair_messages(reply.text, problems, work.kept())]
    if unread and not work.was_answered:
        raise LlmBadAnswerError(
            f"`{connection.model}` did not answer as asked; {unread}; choose another model"
        )
    return work.finish()


def _ask(
    connection: Connection, asker: Asker, messages: list[dict[str, str]], cancelled: Cancelled
) -> Reply:
    return ask_whole(
        asker,
        connection,
        messages,
        schema(),
        purpose=Purpose.REVISE,
        cancelled=cancelled,
        shorter="speak of fewer rules",
    )


class _Work:
    """The answer while the rounds go on; a later reply speaks for what had problems."""

    def __init__(self, given: Given) -> None:
        self._given: Mapping[str, GivenRule] = {rule.name: rule for rule in given.rules}
        self._known: PolicyModel = given.known
        self._said: list[Mapping[str, Any]] = []
        self._declared: list[Piece] = []
        self._made = Assembled()
        self._reason = ""
        self.was_answered = False

    def take(self, data: Mapping[str, Any]) -> None:
        """Raises ReplyError for more rules than anybody would have changed."""
        if len(data["rules"]) > MAX_CHANGES:
            raise ReplyError(
                f"the reply changes {len(data['rules']):,} rules; "
                "change only those given, and each once"
            )
        refused = {change.name for change in self._changes() if change.problem}
        kept = {one["rule"] for one in self._said if one["rule"] not in refused}
        # What is refused and not said again was taken back; a rule that does not fit is
        # kept with its cause all the same.
        again = {one["rule"] for one in data["rules"]}
        stay = [one for one in self._said if one["rule"] in kept or self._is_lost(one, again)]
        self._said = [*stay, *(one for one in data["rules"] if one["rule"] not in kept)]
        self._declare(data)
        self._made = assemble([*self._declared, *self._rules()], self._known)
        self._reason = data["reason"].strip()
        self.was_answered = True

    def problems(self) -> list[dict[str, str]]:
        """Everything wrong so far, each with what it is about."""
        found = [
            {piece.kind: piece.data["name"], "problem": cause}
            for piece, cause in self._made.refused.items()
            if piece.kind != "rule"
        ]
        for change in self._changes():
            if change.problem:
                found.append({"rule": change.name, "problem": change.problem})
        return found

    def kept(self) -> list[str]:
        """The names of the rules whose change is right."""
        return [change.name for change in self._changes() if not change.problem]

    def finish(self) -> ProposalDraft:
        return ProposalDraft(
            tuple(self._changes()),
            tuple(self._made.datatypes.values()),
            tuple(self._made.variables.values()),
            self._reason,
        )

    def _is_lost(self, said: Mapping[str, Any], again: set[str]) -> bool:
        name = said["rule"]
        return name in self._given and name not in again and self._problem_of(said) != _SAME

    def _declare(self, data: Mapping[str, Any]) -> None:
        """New declarations stand for those of the same name that were refused."""
        new = [Piece("datatype", one, ()) for one in data["datatypes"]]
        new += [Piece("variable", one, ()) for one in data["variables"]]
        keys = {piece.key for piece in new}
        refused = self._made.refused
        stay = [one for one in self._declared if not (one in refused and one.key in keys)]
        self._declared = [*stay, *new]

    def _rules(self) -> list[Piece]:
        return [
            Piece("rule", {"name": one["rule"], "smtlib": one["smtlib"]}, ())
            for one in self._only_once()
        ]

    def _only_once(self) -> Iterable[Mapping[str, Any]]:
        """What is said of the rules that were sent, of each the one thing that is said."""
        names = [one["rule"] for one in self._said]
        return [
            one
            for one in self._said
            if one["rule"] in self._given and names.count(one["rule"]) == 1
        ]

    def _changes(self) -> list[ChangeDraft]:
        return [self._change(one) for one in self._said]

    def _change(self, said: Mapping[str, Any]) -> ChangeDraft:
        name, problem = said["rule"], self._problem_of(said)
        rule = self._given.get(name)
        return ChangeDraft(
            rule.uid if rule else "",
            name,
            said["smtlib"],
            said["explanation"].strip(),
            None if problem else self._term(name),
            problem,
        )

    def _problem_of(self, said: Mapping[str, Any]) -> str:
        name = said["rule"]
        if name not in self._given:
            return _FOREIGN
        if [one["rule"] for one in self._said].count(name) > 1:
            return _TWICE
        for piece, cause in self._made.refused.items():
            if piece.key == ("rule", name):
                return cause
        term = self._term(name)
        if normal_form(term) == normal_form(self._given[name].term):
            return _SAME
        new = {variable.id for variable in self._made.variables.values()}
        if len(new) > MAX_NEW_VARIABLES and new.intersection(one.id for one in symbols(term)):
            return _MANY
        return ""

    def _term(self, name: str) -> Term:
        return next(rule.term for rule in self._made.rules if rule.name == name)
