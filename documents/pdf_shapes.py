"""The lines, boxes and pictures that are drawn on a PDF page, in points as it is displayed."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as raw

# A page with more straight lines than this is a drawing, in which no table is looked for.
MAX_EDGES = 20_000

# A box thinner than this, in points, is a line.
_THIN = 3.0

# How far from straight a line of a table may be, in points.
_STRAIGHT = 1.0


@dataclass(slots=True)
class Box:
    """A filled or stroked shape, or a picture, from the lower left corner of the page."""

    left: float
    bottom: float
    right: float
    top: float
    filled: bool = False

    @property
    def is_thin(self) -> bool:
        return min(self.right - self.left, self.top - self.bottom) < _THIN

    @property
    def area(self) -> float:
        return max(self.right - self.left, 0) * max(self.top - self.bottom, 0)


@dataclass(slots=True)
class Edge:
    """A straight line, `upright` or level: where it is, and from where to where it goes."""

    upright: bool
    at: float
    start: float
    end: float


@dataclass(slots=True)
class Shapes:
    """What is drawn on a page. `crowded` is true where there are too many edges to keep."""

    boxes: list[Box] = field(default_factory=list)
    pictures: list[Box] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    crowded: bool = False

    def forget_lines(self) -> None:
        """Drop what only tables and hidden text are found by, so that a long file stays small."""
        self.boxes.clear()
        self.edges.clear()


@dataclass(slots=True)
class Frame:
    """How the page is turned for display: maps points of the file to points on display."""

    left: float
    bottom: float
    right: float
    top: float
    rotation: int

    def point(self, x: float, y: float) -> tuple[float, float]:
        if self.rotation == 90:
            return y - self.bottom, self.right - x
        if self.rotation == 180:
            return self.right - x, self.top - y
        if self.rotation == 270:
            return self.top - y, x - self.left
        return x - self.left, y - self.bottom

    def box(self, left: float, bottom: float, right: float, top: float) -> Box:
        one, two = self.point(left, bottom), self.point(right, top)
        return Box(
            min(one[0], two[0]), min(one[1], two[1]), max(one[0], two[0]), max(one[1], two[1])
        )


def read_shapes(page: pdfium.PdfPage, frame: Frame) -> Shapes:
    """Everything drawn on a page but its text; of what is white, only lines."""
    shapes = Shapes()
    for one in page.get_objects(filter=[raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE]):
        matrix = _placing(one)
        try:
            box = frame.box(*matrix.on_rect(*one.get_bounds()))
        except pdfium.PdfiumError:
            continue  # a shape without bounds covers nothing
        if one.type == raw.FPDF_PAGEOBJ_IMAGE:
            shapes.pictures.append(box)
            continue
        fill, stroke = ctypes.c_int(), ctypes.c_int()
        raw.FPDFPath_GetDrawMode(one, fill, stroke)
        light = is_light(read_color(raw.FPDFPageObj_GetFillColor, one))
        box.filled = bool(fill.value) and not light
        if box.filled or stroke.value:
            shapes.boxes.append(box)
        elif not (fill.value and box.is_thin):
            continue  # a thin white box may be the line between two rows
        for edge in _edges(one, one.get_matrix().multiply(matrix), frame):
            if len(shapes.edges) == MAX_EDGES:
                shapes.crowded = True
                break
            shapes.edges.append(edge)
    return shapes


def _placing(one: pdfium.PdfObject) -> pdfium.PdfMatrix:
    """Where the drawings around a shape are placed on the page, all taken together."""
    matrix = pdfium.PdfMatrix()
    around = one.container
    while around is not None:
        matrix = matrix.multiply(around.get_matrix())
        around = around.container
    return matrix


def _edges(path: pdfium.PdfObject, matrix: pdfium.PdfMatrix, frame: Frame) -> Iterator[Edge]:
    """The level and upright lines of a path; a thin box counts as its outline."""
    x, y = ctypes.c_float(), ctypes.c_float()
    first = last = (math.nan, math.nan)
    for index in range(raw.FPDFPath_CountSegments(path)):
        segment = raw.FPDFPath_GetPathSegment(path, index)
        raw.FPDFPathSegment_GetPoint(segment, x, y)
        point = frame.point(*matrix.on_point(x.value, y.value))
        kind = raw.FPDFPathSegment_GetType(segment)
        if kind == raw.FPDF_SEGMENT_MOVETO:
            first = point
        elif kind == raw.FPDF_SEGMENT_LINETO:
            yield from _straight(last, point)
        last = point
        if raw.FPDFPathSegment_GetClose(segment):
            yield from _straight(last, first)
            last = first


def _straight(one: tuple[float, float], two: tuple[float, float]) -> Iterator[Edge]:
    across, up = abs(one[0] - two[0]), abs(one[1] - two[1])
    if across < _STRAIGHT < up:
        yield Edge(True, (one[0] + two[0]) / 2, min(one[1], two[1]), max(one[1], two[1]))
    elif up < _STRAIGHT < across:
        yield Edge(False, (one[1] + two[1]) / 2, min(one[0], two[0]), max(one[0], two[0]))


def read_color(get: Callable[..., int], thing: object) -> tuple[int, int, int, int]:
    """The red, green, blue and opacity, 0 to 255, that a function of PDFium gives."""
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    found = get(thing, red, green, blue, alpha)
    return (red.value, green.value, blue.value, alpha.value) if found else (0, 0, 0, 255)


def is_light(color: tuple[int, int, int, int]) -> bool:
    """True for a colour that cannot be told from white paper."""
    return min(color[:3]) >= 250 or color[3] < 8
