"""What a sentence leans on: clauses it refers to, terms it uses, what 'Otherwise' follows."""

from __future__ import annotations

import time

import pytest

from documents import ReadDocument
from tests.documents.reference import quotes, read_shared, read_text

LAW = """# 4 Leave

4.1 Staff may take leave.

4.2 Leave is granted if:

(a) staff ask; or

(b) the manager:

(i) agrees; and

(ii) signs.

# 5 Cost

5.1 Leave is paid.
"""


def leads(document: ReadDocument, words: str) -> list[str]:
    """The sentences that the reference with these words leads to."""
    (found,) = [one for one in document.references if document.text[one.start : one.end] == words]
    return [quotes(document)[target] for target in found.targets]


@pytest.mark.parametrize(
    ("sentence", "words", "first", "count"),
    [
        ("5.2 This is subject to section 4.2.", "section 4.2", "Leave is granted if:", 5),
        ("5.2 See clause 4.2(b)(ii).", "clause 4.2(b)(ii)", "signs.", 1),
        ("5.2 See clauses 4.1 and 5.1.", "clauses 4.1 and 5.1", "Staff may take leave.", 2),
        ("5.2 See sections 4.1 to 4.2(a).", "sections 4.1 to 4.2(a)", "Staff may take leave.", 2),
        ("5.2 As Article 4 says, pay.", "Article 4", "Staff may take leave.", 6),
        ("5.2 See § 4.2(a).", "§ 4.2(a)", "staff ask; or", 1),
    ],
)
def test_a_reference_leads_to_the_sentences_of_its_clause(
    sentence: str, words: str, first: str, count: int
) -> None:
    document = read_text(f"{LAW}\n{sentence}\n", "a.md")
    found = leads(document, words)
    assert (found[0], len(found)) == (first, count)
    last = document.sentences[-1]
    assert len(last.pointed) == count


def test_a_clause_is_found_in_the_part_that_it_is_said_to_be_of() -> None:
    document = read_text(
        "# Article I\n\n## Section 1\n\nAnn asks.\n\n# Article II\n\n## Section 1\n\nBo waits.\n\n"
        "# Article III\n\n## Section 1\n\nSee Section 1 of Article II.\n",
        "a.md",
    )
    assert leads(document, "Section 1 of Article II") == ["Bo waits."]
    law = read_text(f"{LAW}\n5.2 See point (b) of section 4.2.\n", "a.md")
    assert leads(law, "point (b) of section 4.2") == ["the manager:", "agrees; and", "signs."]


def test_a_clause_is_looked_for_beside_its_own_place_first() -> None:
    document = read_text(
        LAW.replace("signs.", "signs, but not if (i) or clause (a) holds; see item (i).")
        + "\n(a) Trains are free.\n",
        "a.md",
    )
    assert leads(document, "clause (a)") == ["staff ask; or"]
    assert leads(document, "item (i)") == ["agrees; and"]


def test_a_reference_to_nothing_is_kept_without_a_target() -> None:
    document = read_text(f"{LAW}\n5.2 See section 9.9 and item 77.\n", "a.md")
    assert leads(document, "section 9.9") == []
    assert len(document.references) == 1


@pytest.mark.parametrize(
    "words",
    [
        "under Article 4 of Directive 2004/38",
        "under section 5 of the Passenger Act",
        "under 15 U.S.C. § 4.1",
        "as the preceding paragraph says",
        "with the articles of the company",
        "for scheduled flights",
        "on chapter one",
    ],
)
def test_other_texts_and_other_words_are_no_reference(words: str) -> None:
    assert not read_text(f"{LAW}\n5.2 Staff pay {words}.\n", "a.md").references


def test_a_link_to_a_heading_of_a_markdown_file_counts() -> None:
    document = read_text("Ask as [told below](#how-to-ask).\n\n## How to ask\n\nBy mail.\n", "a.md")
    assert leads(document, "told below") == ["By mail."]
    assert document.sentences[0].pointed == (1,)


@pytest.mark.parametrize(
    ("sentence", "terms"),
    [
        ("“Business day” means a day when banks open.", ["Business day"]),
        ('"Staff", in this policy, means people with a contract.', ["Staff"]),
        ("In this policy, “guest” or “visitor” means anybody else.", ["guest", "visitor"]),
        ("The term “trip” includes a drive.", ["trip"]),
        (
            "The terms “bus,” “train,” “car” and “van” mean a way to go.",
            ["bus", "train", "car", "van"],
        ),
        ("Business day means a day when banks open.", ["Business day"]),
        ("A late request means one after noon.", ["late request"]),
        ("Acme Inc. (the “Company”) pays.", ["Company"]),
        ("Paid time off (“PTO”) is granted.", ["PTO"]),
        ("Staff may use any means.", []),
        ("This means that staff pay.", []),
        ("The sign says “Stop” on each door.", []),
    ],
)
def test_a_definition_is_known_by_its_words(sentence: str, terms: list[str]) -> None:
    document = read_text(f"Hello all.\n\n{sentence}\n")
    assert [one.term for one in document.definitions] == terms
    for one in document.definitions:
        assert document.text[one.start : one.end] == one.term
        assert one.sentence == 1


def test_a_glossary_defines_by_its_layout() -> None:
    table = "| Term | Meaning |\n|---|---|\n| Business day | Banks open. |\n\n"
    document = read_text(
        f"{table}# Definitions\n\n- Guest: a person on a visit.\n\nDone.\n", "a.md"
    )
    assert [one.term for one in document.definitions] == ["Business day", "Guest"]


def test_a_sentence_carries_the_definitions_of_its_terms() -> None:
    document = read_text(
        "“Business day” means:\n\n- a day when banks open; or\n- a Sunday in May.\n\n"
        "Requests are answered within two business days. Days count. We will answer you.\n",
        "a.md",
    )
    assert document.sentences[3].pointed == (0, 1, 2)
    assert document.sentences[0].pointed == ()
    assert document.sentences[4].pointed == ()


def test_a_term_in_capitals_is_used_only_where_it_has_them() -> None:
    document = read_text(
        "Acme Inc. (the “Company”) pays. Each trip of the Company is free. Keep good company."
    )
    assert [one.pointed for one in document.sentences] == [(), (0,), ()]


def test_a_definition_for_one_section_is_used_in_that_section_only() -> None:
    document = read_text(
        "# Leave\n\nFor purposes of this section, “fee” means EUR 5. The fee is due.\n\n"
        "# Cost\n\nThe fee is paid.\n",
        "a.md",
    )
    assert [one.pointed for one in document.sentences] == [(), (0,), ()]


def test_otherwise_carries_what_it_follows() -> None:
    document = read_text(
        "Hello all.\n\nLeave is granted if:\n\n- staff ask; and\n- it is May.\n\n"
        "Otherwise it is refused. Guests pay. Otherwise they wait.\n",
        "a.md",
    )
    assert document.sentences[4].pointed == (1, 2, 3)
    assert document.sentences[6].pointed == (5,)


def test_the_rules_on_cancelled_flights_refer_to_one_another() -> None:
    document = read_shared("corpus", "policies", "eu-261-2004-air-passenger-rights.txt")
    found = {
        (document.text[one.start : one.end], document.sentences[one.sentence].number): {
            document.sentences[target].number for target in one.targets
        }
        for one in document.references
    }
    assert found[("Article 9(1)(a) and 9(2)", "5(1)(b)")] == {"9(1)(a)", "9(2)"}
    assert found[("Article 7", "5(1)(c)")] >= {"7(1)", "7(1)(a)", "7(4)"}
    terms = {one.term for one in document.definitions}
    assert {"air carrier", "denied boarding", "volunteer"} <= terms


@pytest.mark.parametrize(
    "unit",
    [
        "“Fee” means a fee of the fee.\n\n",
        "1. See item 1 and items 1 to 9.\n\n",
        "# 1 Fees\n\nSee section 1 and [it](#1-fees).\n\n",
        "- a fee\n\nOtherwise a fee.\n\n",
        "section 1, 2, 3, 4, 5, ",
        "Of the Act Of the Act Section 9 of A B C D E F G H ",
    ],
)
def test_200_kb_made_to_point_everywhere_are_not_slow(unit: str) -> None:
    before = time.process_time()
    read_text(f"Hello all.\n\n{unit * (200_000 // len(unit))}", "a.md")
    assert time.process_time() - before < 10
