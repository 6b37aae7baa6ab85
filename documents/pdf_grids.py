"""Finds the cells that straight lines of a page enclose, table by table.

Lines that nearly coincide are one; where an upright and a level line meet is a point;
a cell is the smallest box between four points that lines join.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from documents.pdf_shapes import Box, Edge

# Lines nearer to each other than this, in points, are one; shorter ones are none.
_NEAR = 3.0

_Point = tuple[float, float]


def find_grids(edges: Sequence[Edge]) -> list[list[Box]]:
    """The cells of each table, a table being cells that share corners."""
    upright = _merge(edge for edge in edges if edge.upright)
    level = _merge(edge for edge in edges if not edge.upright)
    return _group(_cells(_meetings(upright, level)))


def _merge(edges: Iterable[Edge]) -> list[Edge]:
    """Edges of one direction, with those that nearly coincide or touch made one."""
    by_place = sorted(edges, key=lambda edge: edge.at)
    groups: list[list[Edge]] = []
    for edge in by_place:
        if groups and edge.at - groups[-1][-1].at <= _NEAR / 2:
            groups[-1].append(edge)
        else:
            groups.append([edge])
    merged: list[Edge] = []
    for group in groups:
        at = sum(edge.at for edge in group) / len(group)
        for number, edge in enumerate(sorted(group, key=lambda one: one.start)):
            if number and edge.start <= merged[-1].end + _NEAR:
                merged[-1].end = max(merged[-1].end, edge.end)
            else:
                merged.append(Edge(edge.upright, at, edge.start, edge.end))
    return [edge for edge in merged if edge.end - edge.start > _NEAR]


def _meetings(upright: Sequence[Edge], level: Sequence[Edge]) -> dict[_Point, tuple[int, int]]:
    """Each point where lines meet, with the numbers of its upright and its level line."""
    heights = [edge.at for edge in level]  # in order, since `_merge` sorts
    points: dict[_Point, tuple[int, int]] = {}
    for number, line in enumerate(upright):
        first = bisect_left(heights, line.start - _NEAR)
        last = bisect_right(heights, line.end + _NEAR)
        for other in range(first, last):
            across = level[other]
            if across.start - _NEAR <= line.at <= across.end + _NEAR:
                points[(line.at, across.at)] = (number, other)
    return points


def _cells(points: dict[_Point, tuple[int, int]]) -> list[Box]:
    rights: dict[int, list[float]] = defaultdict(list)
    tops: dict[int, list[float]] = defaultdict(list)
    for x, y in sorted(points):
        upright, level = points[(x, y)]
        tops[upright].append(y)
        rights[level].append(x)
    cells: list[Box] = []
    for (x, y), (upright, level) in points.items():
        above = tops[upright][bisect_right(tops[upright], y) :]
        beside = rights[level][bisect_right(rights[level], x) :]
        cell = _smallest(points, (x, y), beside, above)
        if cell is not None:
            cells.append(cell)
    return cells


def _smallest(
    points: dict[_Point, tuple[int, int]],
    corner: _Point,
    beside: Sequence[float],
    above: Sequence[float],
) -> Box | None:
    """The smallest cell whose lower left corner is `corner`."""
    for top in above:
        for right in beside:
            far = points.get((right, top))
            if far is None:
                continue
            if far[0] == points[(right, corner[1])][0] and far[1] == points[(corner[0], top)][1]:
                return Box(corner[0], corner[1], right, top)
    return None


def _group(cells: Sequence[Box]) -> list[list[Box]]:
    """Cells that share corners, directly or through others, together."""
    homes: dict[_Point, list[int]] = defaultdict(list)
    for number, cell in enumerate(cells):
        for x in (cell.left, cell.right):
            for y in (cell.bottom, cell.top):
                homes[(x, y)].append(number)
    leaders = list(range(len(cells)))

    def leader(number: int) -> int:
        while leaders[number] != number:
            leaders[number] = leaders[leaders[number]]
            number = leaders[number]
        return number

    for numbers in homes.values():
        for one, two in pairwise(numbers):
            leaders[leader(two)] = leader(one)
    groups: dict[int, list[Box]] = defaultdict(list)
    for number, cell in enumerate(cells):
        groups[leader(number)].append(cell)
    return list(groups.values())
