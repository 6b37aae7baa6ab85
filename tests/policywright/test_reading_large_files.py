"""Time grows with the file, not with its square, also for files made to hurt."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextlib import suppress

import pytest

from policywright.errors import ReadError
from policywright.smtlib import print_model, read


def rules(count: int) -> str:
    declared = "".join(f"(declare-const x{i} Real)\n" for i in range(count))
    asserted = "".join(f"(assert (! (> x{i} {i}.5) :named r{i}))\n" for i in range(count))
    return declared + asserted


def unknown_names(count: int) -> str:
    declared = "".join(f"(declare-const name{i} Bool)\n" for i in range(count))
    return declared + "".join(f"(assert nam{i})\n" for i in range(count))


def unknown_sorts(count: int) -> str:
    declared = "".join(f"(declare-datatype D{i} ((v{i})))\n" for i in range(count))
    return declared + "".join(f"(declare-const x{i} E{i})\n" for i in range(count))


def chained_definitions(count: int) -> str:
    first = "(declare-const d0 Int)\n"
    chain = (f"(define-fun d{i} () Int (+ d{i - 1} 1))\n" for i in range(1, count))
    return first + "".join(chain) + "(assert (> d0 1))"


def one_value_of_many_datatypes(count: int) -> str:
    declared = (
        f"(declare-datatype D{i} ((none) (v{i})))\n(declare-const x{i} D{i})\n"
        for i in range(count)
    )
    used = (f"(assert (= x{i} (as none D{i})))\n(assert (= x{i} none))\n" for i in range(count))
    return "".join(declared) + "".join(used)


def one_large_datatype(count: int) -> str:
    values = " ".join(f"(v{i})" for i in range(count))
    used = "".join(f"(assert (distinct x v{i}))\n" for i in range(count))
    return f"(declare-datatype D ({values}))\n(declare-const x D)\n{used}"


def decimals_for_whole_numbers(count: int) -> str:
    declared = "".join(f"(declare-const n{i} Int)\n" for i in range(count))
    return declared + "".join(f"(assert (> n{i} 1.5))\n" for i in range(count))


def names_used_twice(count: int) -> str:
    return "(declare-const a Bool)\n" + "(assert (! a :named r))\n" * count


def comments(count: int) -> str:
    noted = '; source: {"quote": "q"}\n; aside\n' * count
    return f"(declare-const a Bool)\n{noted}(assert a) ; behind\n" + "; last\n" * count


def one_wide_rule(count: int) -> str:
    return f"(declare-const a Int)\n(assert (< {' '.join(['a'] * count)}))"


def brackets_that_close_nothing(count: int) -> str:
    return "(declare-const a Bool)\n(assert a)" + ")" * count


def one_long_string(count: int) -> str:
    return f'(set-info :a "{"x" * count}\n""")(declare-const a Bool)(assert a)'


FILES: Mapping[str, Callable[[int], str]] = {
    made.__name__: made
    for made in (
        rules, unknown_names, unknown_sorts, chained_definitions, one_value_of_many_datatypes,
        one_large_datatype, decimals_for_whole_numbers, names_used_twice, comments, one_wide_rule,
        brackets_that_close_nothing, one_long_string,
    )
}  # fmt: skip

SMALL, TIMES = 700, 8


@pytest.mark.parametrize("name", FILES)
def test_eight_times_the_file_costs_nowhere_near_sixty_four_times_the_time(name: str) -> None:
    small, large = FILES[name](SMALL), FILES[name](SMALL * TIMES)
    # Processor time, the best of several runs: another process beside this one does not count.
    fastest_small = min(seconds_to_read(small) for _ in range(5))
    fastest_large = min(seconds_to_read(large) for _ in range(2))
    assert fastest_large < 30 * max(fastest_small, 0.002)


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("name", FILES)
def test_five_megabytes_of_anything_are_read_in_linear_time(name: str) -> None:
    made = FILES[name]
    a_piece = len(made(2_000)) / 2_000
    count = int(5_000_000 / a_piece)
    tenth, whole = made(count // 10), made(count)
    in_a_tenth = min(seconds_to_read(tenth) for _ in range(2))
    in_all = seconds_to_read(whole)
    print(f"{name}: {len(whole) / 1e6:.1f} MB in {in_all:.1f} s, a tenth in {in_a_tenth:.2f} s")
    assert in_all < 30 * max(in_a_tenth, 0.05)


def test_a_large_policy_makes_the_trip() -> None:
    model = read(rules(3_000))
    assert read(print_model(model)) == model


def seconds_to_read(text: str) -> float:
    started = time.process_time()
    with suppress(ReadError):
        read(text)
    return time.process_time() - started
