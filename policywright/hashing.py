"""Content hashes: what an approval is bound to.

SHA-256 over canonical JSON with a scheme tag. A rule's hash covers its term in
normal form; of every symbol it uses, through definitions, the sort, unit, role,
description and phrases; of every datatype its description, values and their
phrases (where no phrase is given the name is what a reader sees, and counts);
its sources with the context shown beside them; of a default its outcome, choice
and the rules it rests on. Names, offsets and printing style are not in it:
renaming or moving a rule voids nothing. A golden test pins it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from policywright.model import Datatype, Definition, PolicyModel, Rule, Source, Variable
from policywright.normal import canonical, normal_form
from policywright.terms import Literal, Symbol, Term, subterms

SCHEME = "pw1"


def content_hash(content: Any) -> str:
    """`pw1:` and the hash of anything that JSON can hold, keys sorted, no spaces."""
    text = json.dumps(
        {"scheme": SCHEME, "content": content},
        sort_keys=True,
        ensure_ascii=False,
        separators=(",", ":"),
        allow_nan=False,
    )
    return f"{SCHEME}:{hashlib.sha256(text.encode()).hexdigest()}"


def rule_hash(model: PolicyModel, rule: Rule) -> str:
    return content_hash(rule_content(model, rule))


def rule_content(model: PolicyModel, rule: Rule) -> dict[str, Any]:
    """What `rule_hash` covers, as a dictionary: compare two to say what changed."""
    content: dict[str, Any] = {
        "kind": rule.kind.value,
        "term": canonical(normal_form(rule.term)),
        "symbols": {},
        "datatypes": {},
        "sources": [source_content(source) for source in rule.sources],
    }
    if rule.choice is not None:
        content["default"] = [rule.outcome, rule.choice.value, sorted(rule.rests_on)]
    pending: list[Term] = [rule.term]
    if rule.outcome:
        pending.append(model.declared(rule.outcome).symbol)
    while pending:
        for node in subterms(pending.pop()):
            if isinstance(node, Symbol) and node.id not in content["symbols"]:
                declared = model.declared(node.id)
                content["symbols"][node.id] = _symbol_content(declared)
                if isinstance(declared, Definition):
                    pending.append(declared.term)
            if isinstance(node, (Symbol, Literal)) and node.sort.is_enumeration:
                datatype = model.datatype_by_id[node.sort.key]
                content["datatypes"][datatype.id] = _datatype_content(datatype)
    return content


def declared_content(model: PolicyModel, uid: str) -> dict[str, Any] | None:
    """What a hash covers of a variable, a definition or a datatype by id; None for none of these.

    Of a variable that is one of a list of values, the list as well.
    """
    if uid in model.datatype_by_id:
        return _datatype_content(model.datatype_by_id[uid])
    declared = model.variable_by_id.get(uid) or model.definition_by_id.get(uid)
    if declared is None:
        return None
    values = model.datatype_by_id.get(declared.sort.key)
    content = _symbol_content(declared)
    return content if values is None else {**content, "values": _datatype_content(values)}


def source_content(source: Source) -> dict[str, Any]:
    return {"quote": source.quote, "context": list(source.context)}


def _symbol_content(declared: Variable | Definition) -> dict[str, Any]:
    content: dict[str, Any] = {
        "sort": declared.sort.key,
        "description": declared.description,
        "phrases": [declared.phrases.text or declared.name, declared.phrases.negative],
    }
    if isinstance(declared, Definition):
        return content | {"term": canonical(normal_form(declared.term))}
    return content | {"role": declared.role.value, "unit": declared.unit}


def _datatype_content(datatype: Datatype) -> dict[str, Any]:
    values = [{"id": value.id, "phrase": value.phrase or value.name} for value in datatype.values]
    return {"description": datatype.description, "values": values}
