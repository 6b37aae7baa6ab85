"""The words that carry logic, and the words that keep a sentence from being drafted.

`PHRASES` gives each function word or fixed phrase its token; the longest match
wins. A word in `STOP` makes a sentence abstain, because what it does to the
meaning is not modelled: it must never slip into the name of a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from policywright.english.words import word_set

PHRASES: dict[str, str] = {
    "ATLEAST": "at least|no less than|not less than|no fewer than|not fewer than|a minimum of",
    "ATMOST": "at most|no more than|not more than|a maximum of|not exceeding",
    "LATEST": "no later than|not later than|at the latest",
    "CAP": "with a maximum of|up to a maximum of|subject to a maximum of"
    "|not to exceed|with a cap of",
    "FLOOR": "with a minimum of|subject to a minimum of",
    "CAPPED": "is capped at|are capped at|is limited to|are limited to|shall be limited to",
    "LESSER": "the lesser of|the lower of|the smaller of",
    "GREATER": "the greater of|the higher of|the larger of",
    "WHICHLESS": "whichever is less|whichever is lower|whichever is the lesser"
    "|whichever is the lower|whichever is smaller",
    "WHICHMORE": "whichever is greater|whichever is more|whichever is higher"
    "|whichever is the greater|whichever is the higher",
    "BUT": "but",
    "UPTO": "up to",
    "MORE": "more than|greater than|higher than|exceeding|in excess of|older than|longer than",
    "LESS": "less than|fewer than|lower than|younger than|shorter than",
    "OVER": "over|above",
    "UNDER": "under|below",
    "EXACTLY": "exactly",
    "ORMORE": "or more|or over|or above|or older|or longer",
    "ORLESS": "or less|or fewer|or under|or below|or younger|or shorter",
    "EXCEED": "exceeds|exceed",
    "OLD": "old|of age",
    "AGED": "aged",
    "OPEN_AGE": "(age",
    "CLOSE": ")",
    "EXACTLYIF": "if and only if|exactly if|exactly when",
    "ONLYIF": "only if|only when",
    "ONLYONCE": "only once|only after",
    "IF": "if|when|whenever",
    "THEN": ", then|then",
    "ONCE": "once|provided that|as long as|so long as|on condition that",
    "AFTER": "after",
    "BEFORE": "before|until|prior to",
    "WITHIN": "within",
    "PER": "per",
    "UNLESS": "unless|except if|except when|except where",
    "EXCEPT": "except for|except",
    "AND": "and",
    "OR": "or|and/or",
    "COMMA": ",",
    "NO": "no",
    "ALL": "all|every|each|any",
    "NOT": "not",
    "ONLY": "only",
    "MUST": "must|shall|has to|have to|is required to|are required to",
    "MUSTNOT": "must not|shall not",
    "MAY": "may|is allowed to|are allowed to|is permitted to|are permitted to",
    "MAYNOT": "may not|cannot|can not|is not allowed to|are not allowed to|is not permitted to"
    "|are not permitted to",
    "REQUIRES": "requires|require|needs|need",
    "REQUIREDFOR": "is required for|are required for|is needed for|are needed for",
    "GRANT": "qualifies for|qualify for|is entitled to|are entitled to|is eligible for"
    "|are eligible for|gets|get|receives|receive|has the right to|have the right to"
    "|has a right to|have a right to|shall be entitled to|shall be eligible for|shall receive"
    "|shall have the right to|will be entitled to|will be eligible for|will receive",
    "NOGRANT": "shall not be entitled to|shall not be eligible for|will not be entitled to"
    "|will not be eligible for|shall not receive|will not receive|does not qualify for"
    "|do not qualify for|does not receive|do not receive",
    "MUSTGET": "must receive|must get|must qualify for|has to receive|have to receive",
    "WEREFUND": "we refund|we will refund|we shall refund|we reimburse|we will reimburse",
    "THEREBE": "there is|there will be",
    "APPLIES": "applies|apply",
    "COMPLETED": "completed",
    "COSTING": "costing",
    "THAT": "that|who|which",
    "WHOSE": "whose",
    "WEIGHING": "weighing",
    "LASTING": "lasting",
    "FROMON": "on or after",
    "TOON": "on or before",
    "BE": "is|are|was|were|be|will be",
    "HAVE": "has|have|had",
    "DO": "does|do|did",
    "REDUCEDBY": "reduced by",
    "PLUS": "plus",
    "MINUS": "minus|less",
    "DET": "a|an|the",
    "OF": "of",
    "TO": "to|in order to",
    "WITH": "with",
    "PREP": "in|by|for|from|on|at|into|as",
    "THEY": "they",
    "IT": "it",
    "OWNER": "his or her|her or his|his/her|their",
    "AMOUNTINGTO": "amounting to|in the amount of",
    "THATCASE": "in that case|in this case|in such a case|in such cases",
    "OTHERWISE": "otherwise|in all other cases|in any other case",
    "QUOTE": '"|“|”',
    "INCASE": "in case of|in the case of|in the event of",
    # Names that hold a word which would otherwise stop the sentence.
    "WORD": "first day|last day|against your will|against their will|this policy",
    # Conditions that no rule of the grammar takes: they stop it, by name.
    "CONDITION": "in case|with approval|with consent"
    "|with permission|with the approval|with the consent|with the permission|with prior"
    "|with written|subject to|at the discretion of",
}

VAGUE = word_set(
    """
    reasonable reasonably appropriate appropriately adequate adequately suitable sufficient
    sufficiently necessary necessarily promptly prompt timely immediately soon excessive
    excessively significant significantly material materially substantial substantially
    generally normally usually typically ordinarily mainly mostly largely often sometimes rarely
    occasionally regularly frequently occasional good best better proper properly fair
    fairly modest moderate unusual exceptional extraordinary possible possibly practicable feasible
    likely unlikely approximately about around roughly nearly almost careful carefully responsible
    responsibly relevant important essential sensible ideally preferably typical
    """
)
REFERENCE = word_set(
    """
    it its itself they them their themselves he him his she her hers such those these this there
    here above-mentioned aforementioned following former latter same respective respectively
    thereof therein thereto hereby one ones you your yours we our us ours i my me mine
    another other others
    """
) - word_set("you your we our one")
LOGIC = word_set(
    """
    should ought might could would can will cannot recommended encouraged
    unless except only other than without either neither nor both whether but however although
    though while because since therefore thus hence instead rather also even still yet too again
    otherwise else per between among during throughout against despite notwithstanding subject
    provided providing where wherever whichever whatever whoever whom whose what how why
    never always ever nobody nothing none anyone anybody anything everyone everybody someone
    somebody something some many most much few several certain half double twice triple multiple
    maximum minimum additional further extra next previous last first second third
    before after until not no never no-one equal equivalent different depending regardless
    irrespective unlike alternatively additionally more less than fewer
    worth non lack fails fail failed failing refuse refuses denies fake alleged supposed
    must shall may if then and or any every each all
    lasting involving including excluding concerning regarding containing requiring using
    travelling traveling working living starting ending following pending being having lacking
    """
)
STOP = VAGUE | REFERENCE | LOGIC

# A sentence without any of these, and without a number, states no rule.
RULE_WORDS = word_set(
    """
    must shall may only unless except if when whenever where once before until no not never cannot
    require requires required need needs needed allow allowed allows permit permitted permits
    forbid forbidden forbids prohibit prohibited prohibits entitled eligible qualify qualifies
    exceed exceeds exceeding within least most least than should obliged due liable applies apply
    always every each all any nobody none refuse refused grant granted limited
    cap capped reduced plus minus
    mandatory compulsory optional will can get gets receive receives
    """
)

PERSONS = word_set(
    """
    person visitor employee child adult customer passenger member student applicant driver guest
    worker traveller traveler claimant resident citizen patient volunteer contractor user
    parent minor senior pensioner participant buyer tenant candidate speaker player client
    """
)
# Nouns that are amounts themselves: their size is not 'the cost of' them.
AMOUNTS = word_set(
    """
    reimbursement liability rent wage bonus premium contribution
    cost price fee fare amount total sum budget charge rate tax discount salary income expense
    compensation value payment deposit fine penalty allowance credit balance admission surcharge
    """
)

_MONEY = r"(?:[$€£]|[A-Z]{3}\s?\d)"
_AMOUNT = rf"(?:{_MONEY}|\d|half\b|one\b|two\b|three\b|five\b|six\b|ten\b)"
# What is read as the token only before (or behind) what the pattern says.
CONTEXTUAL: dict[str, str] = {
    "PAYS": r"(?i:shall pay|must pay|has to pay|have to pay|pays|pay|is charged|are charged)"
    rf"(?=\s+(?:(?:an?|the)\s+(?:[\w-]+\s+){{1,4}}of\s+)?{_AMOUNT})",
    "BETWEEN": rf"(?i:between)(?=\s+{_AMOUNT})",
    "CAP": rf"(?i:but\s+(?:(?:not|no) more than|at most|not exceeding|only up to))(?=\s+{_MONEY})",
    "FLOOR": rf"(?i:but\s+(?:(?:not|no) less than|at least))(?=\s+{_MONEY})",
    "LASTS": rf"(?i:lasts?|lasted|takes?)(?=\s+(?:{_AMOUNT}|(?i:more|less|longer|shorter|at|over"
    r"|under|up|between|no|not|exactly)\b))",
    "EXTREME": r"(?i:the (?:maximum|minimum))(?=\s+\w)",
    # A condition, not a place: `the country where the trip ends`.
    "IF": r"(?:Where|(?<=,\s)where)(?=\s)",
    "MEANS": r"(?i:means)(?=\s+(?:an?|any)\s)",
}
FRACTIONS = {"half": Fraction(1, 2), "twice": Fraction(2), "double": Fraction(2)}


def phrase_pattern() -> re.Pattern[str]:
    """One pattern that finds the longest phrase at a position; the group is its token."""
    entries = sorted(_entries(), key=lambda entry: len(entry[1]), reverse=True)
    parts = []
    for number, (token, phrase) in enumerate(entries):
        words = re.escape(phrase).replace(r"\ ", r"\s+")
        end = r"(?![\w'’/-])" if phrase[-1].isalnum() else ""
        parts.append(f"(?P<{token}_{number}>{words}{end})")
    return re.compile("|".join(parts), re.IGNORECASE)


def _entries() -> Iterator[tuple[str, str]]:
    for token, phrases in PHRASES.items():
        for phrase in phrases.split("|"):
            yield token, phrase
