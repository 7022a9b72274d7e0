"""The published SemVec figures as tables: score_5 in percent, as printed.

All are from Gangwar & Kani 2023 (section 5.3 and appendix); its columns EqNet and EqNet-L
repeat Allamanis et al. 2017 and Liu et al. 2022. None: not published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Figures = dict[str, dict[str, float | None]]  # a dataset to a column to a score

WIDTHS = ("StructEmb-32", "StructEmb", "StructEmb-128")  # of 32, 64 and 128


def _figures(columns: Sequence[str], rows: Mapping[str, Sequence[float | None]]) -> Figures:
    return {name: dict(zip(columns, row, strict=True)) for name, row in rows.items()}


PUBLISHED_UNSEEN = _figures(
    ("EqNet", "EqNet-L", "StructEmb", "SemEmb"),
    {
        "Bool8": (58.1, None, 30.6, 100.0),
        "oneV-Poly13": (90.4, None, 38.7, 99.6),
        "SimpPoly10": (99.3, None, 40.1, 99.8),
        "SimpBool8": (97.4, None, 36.9, 99.4),
        "Bool10": (71.4, None, 10.8, 91.3),
        "SimpBool10": (99.1, None, 24.4, 95.5),
        "BoolL5": (75.2, None, 38.3, 36.0),
        "Poly8": (86.2, 87.1, 32.7, 87.3),
        "SimpPoly8": (98.9, 98.0, 47.6, 98.9),
        "SimpBoolL5": (85.0, 72.1, 55.1, 71.1),
        "oneV-Poly10": (81.3, 80.0, 59.8, 74.1),
        "Bool5": (65.8, 73.7, 36.4, 57.7),
        "Poly5": (55.3, None, 5.7, 45.2),
        "SimpPoly5": (65.6, 56.3, 28.1, 20.8),
    },
)

# How many examples a setting is trained on: expressions of StructEmb, ordered pairs of SemEmb.
PUBLISHED_SIZES: Mapping[str, tuple[int, int]] = {
    "Bool8": (146_488, 16_143_072),
    "oneV-Poly13": (60_128, 9_958_406),
    "SimpPoly10": (31_143, 6_731_858),
    "SimpBool8": (21_604, 4_440_450),
    "Bool10": (25_560, 3_041_640),
    "SimpBool10": (13_081, 1_448_804),
    "BoolL5": (23_219, 552_642),
    "Poly8": (6_785, 257_190),
    "SimpPoly8": (1_934, 113_660),
    "SimpBoolL5": (6_009, 66_876),
    "oneV-Poly10": (767, 25_590),
    "Bool5": (712, 17_934),
    "Poly5": (352, 1_350),
    "SimpPoly5": (156, 882),
}

PUBLISHED_VALIDATION = _figures(
    (*WIDTHS, "SemEmb"),
    {
        "Bool8": (36.2, 36.3, 35.5, 100.0),
        "oneV-Poly13": (38.3, 39.0, 38.5, 99.9),
        "SimpPoly10": (37.5, 31.5, 34.0, 99.9),
        "SimpBool8": (42.3, 46.7, 44.5, 99.8),
        "Bool10": (9.6, 9.9, 9.1, 93.9),
        "SimpBool10": (23.2, 26.6, 27.2, 96.3),
        "BoolL5": (47.4, 47.6, 47.7, 98.2),
        "Poly8": (36.4, 36.5, 36.0, 98.6),
        "SimpPoly8": (36.5, 35.4, 34.6, 99.8),
        "SimpBoolL5": (75.0, 76.1, 74.4, 99.5),
        "oneV-Poly10": (42.1, 46.3, 42.5, 83.0),
        "Bool5": (42.4, 42.1, 35.4, 81.0),
        "Poly5": (11.6, 9.5, 7.4, 43.2),
        "SimpPoly5": (20.0, 28.8, 32.5, 43.8),
    },
)

PUBLISHED_SEEN = _figures(
    (*WIDTHS, "SemEmb"),
    {
        "Bool8": (36.1, 36.1, 35.5, 100.0),
        "oneV-Poly13": (38.0, 38.5, 38.1, 99.9),
        "SimpPoly10": (37.7, 32.2, 34.5, 99.9),
        "SimpBool8": (41.6, 46.1, 43.5, 99.8),
        "Bool10": (9.6, 9.8, 8.9, 94.0),
        "SimpBool10": (23.0, 26.8, 27.3, 96.5),
        "BoolL5": (40.5, 42.0, 42.2, 68.7),
        "Poly8": (34.9, 35.0, 34.5, 95.2),
        "SimpPoly8": (38.5, 36.7, 36.1, 99.6),
        "SimpBoolL5": (58.2, 59.3, 58.3, 80.9),
        "oneV-Poly10": (36.1, 39.6, 37.9, 77.3),
        "Bool5": (41.1, 43.2, 34.6, 80.2),
        "Poly5": (14.7, 8.2, 4.2, 46.2),
        "SimpPoly5": (30.9, 32.6, 42.2, 47.9),
    },
)

PUBLISHED_UNSEEN_BY_WIDTH = _figures(
    WIDTHS,
    {
        "Bool8": (31.1, 30.6, 25.9),
        "oneV-Poly13": (37.7, 38.7, 38.4),
        "SimpPoly10": (47.4, 40.1, 44.9),
        "SimpBool8": (33.1, 36.9, 34.1),
        "Bool10": (10.7, 10.8, 8.6),
        "SimpBool10": (20.5, 24.4, 25.4),
        "BoolL5": (35.6, 38.3, 38.2),
        "Poly8": (32.2, 32.7, 32.1),
        "SimpPoly8": (50.4, 47.6, 47.3),
        "SimpBoolL5": (55.2, 55.1, 54.9),
        "oneV-Poly10": (58.3, 59.8, 59.7),
        "Bool5": (36.7, 36.4, 28.1),
        "Poly5": (14.9, 5.7, 6.6),
        "SimpPoly5": (18.8, 28.1, 17.7),
    },
)

# SemEmb trained on the first dataset, scored on the unseen classes of the second.
PUBLISHED_COMPOSITIONALITY: Mapping[tuple[str, str], float] = {
    ("Bool5", "Bool10"): 12.5,
    ("Bool5", "Bool8"): 32.5,
    ("BoolL5", "Bool8"): 29.3,
    ("oneV-Poly10", "oneV-Poly13"): 29.8,
    ("Poly5", "Poly8"): 32.9,
    ("Poly5", "SimpPoly10"): 45.1,
    ("Poly8", "oneV-Poly13"): 29.9,
    ("Poly8", "SimpPoly10"): 58.9,
    ("Poly8", "SimpPoly8"): 98.9,
    ("SimpPoly5", "SimpPoly10"): 45.5,
    ("SimpPoly8", "SimpPoly10"): 65.9,
}


def best_published(dataset: str) -> float:
    """The highest published score on a dataset's unseen classes: the goal.

    >>> best_published("SimpBool10")
    99.1
    """
    return max(value for value in PUBLISHED_UNSEEN[dataset].values() if value is not None)
