"""The compiled routines: the types of their arguments, and the cell types that each is compiled for.

A routine ``name`` is exported as ``parzen_name_suffix`` for each of its suffixes and returns a status. The order of the
arguments is that of ``native/*.cpp``.
"""

import ctypes
from typing import Any

POINTER, INTEGER, NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double
ROWS = (POINTER, INTEGER, INTEGER, INTEGER)  # X, n, d, stride
MEMBERS = (POINTER, POINTER, POINTER, INTEGER)  # codes, weights, dense, groups
CSR = (POINTER, POINTER, POINTER, INTEGER, INTEGER, INTEGER)  # data, indices, indptr, n, columns, stored

TILES = (
    *(INTEGER,) * 3,
    *(POINTER,) * 12,
)  # count, size, d, and the arrays of compute/tiles.py's Tiles, with queries

FLOATS = ("f32", "f64")
CODES = ("u8", "i32", "i64", *FLOATS)
CELLS = ("u8", "i64", *FLOATS)

#: Argument types of each routine, and its suffixes.
SIGNATURES: dict[str, tuple[tuple[Any, ...], tuple[str, ...]]] = {
    "moments_diagonal": ((*ROWS, *MEMBERS, *(POINTER,) * 4), FLOATS),
    "moments_full": ((*ROWS, *MEMBERS, *(POINTER,) * 4), FLOATS),
    "sums": ((*ROWS, *MEMBERS, POINTER, POINTER), FLOATS),
    "gaussian_separate": ((*ROWS, INTEGER, *(POINTER,) * 3, INTEGER, POINTER), FLOATS),
    "gaussian_shared": ((*ROWS, INTEGER, *(POINTER,) * 3, INTEGER, POINTER), FLOATS),
    "gaussian_diagonal": ((*ROWS, INTEGER, *(POINTER,) * 3, INTEGER, POINTER), FLOATS),
    "em_full": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 9), FLOATS),
    "em_diagonal": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 9), FLOATS),
    "em_shared": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 9), FLOATS),
    "em_missing_diagonal": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 10), FLOATS),
    "em_missing": ((*ROWS, POINTER, INTEGER, INTEGER, *(POINTER,) * 12), FLOATS),
    "em_run": (
        (*ROWS, *(POINTER,) * 2, *(INTEGER,) * 2, *(NUMBER,) * 2, INTEGER, *(NUMBER,) * 2, *(POINTER,) * 4),
        ("f64",),
    ),
    "kmeans_partition": ((*ROWS, *(POINTER,) * 2, *(INTEGER,) * 5, *(POINTER,) * 2), ("f64",)),
    "merged_partition": ((*ROWS, *(POINTER,) * 2, *(INTEGER,) * 3, POINTER), ("f64",)),
    "centres": ((*ROWS, POINTER, INTEGER, *(POINTER,) * 6), FLOATS),
    "distances": ((*ROWS, INTEGER, *(POINTER,) * 3), FLOATS),
    "point_table": ((*(INTEGER,) * 3, *(POINTER,) * 4), ("f64",)),
    "csr_distances": ((*CSR, *(INTEGER,) * 2, *(POINTER,) * 7), FLOATS),
    "missing_squares": (
        (POINTER, *(INTEGER,) * 4, POINTER, POINTER, POINTER, POINTER, INTEGER, POINTER, POINTER),
        FLOATS,
    ),
    "missing_expected": (
        (*ROWS, *MEMBERS, INTEGER, POINTER, POINTER, POINTER, POINTER, INTEGER, *(POINTER,) * 5),
        FLOATS,
    ),
    "expected": ((*ROWS, *MEMBERS, INTEGER, *(POINTER,) * 11), FLOATS),
    "tally": ((*ROWS, INTEGER, *MEMBERS, POINTER, POINTER), CODES),
    "lookup": ((*ROWS, *(INTEGER,) * 2, POINTER, POINTER, INTEGER, POINTER), CODES),
    "text_codes": ((*(POINTER,) * 3, *(INTEGER,) * 2, *(POINTER,) * 3), ("i32", "i64", "view")),
    "side_by_side": ((*(POINTER,) * 4, *(INTEGER,) * 2, POINTER), FLOATS),
    "bin_lookup": ((POINTER, INTEGER, INTEGER, POINTER, INTEGER, INTEGER, POINTER, NUMBER, POINTER), ("f64",)),
    "mass_lookup": ((POINTER, INTEGER, INTEGER, POINTER, INTEGER, INTEGER, POINTER, POINTER), ("f64",)),
    "different": ((POINTER, *(INTEGER,) * 3, *(POINTER,) * 2), ("f64", "i32", "i64")),
    "add_places": ((POINTER, *(INTEGER,) * 2, *(POINTER,) * 2), ("f64",)),
    "bin_places": ((POINTER, INTEGER, INTEGER, POINTER, INTEGER, NUMBER, NUMBER, POINTER), ("f64",)),
    "mass_places": ((POINTER, INTEGER, INTEGER, POINTER, INTEGER, POINTER, POINTER), ("f64",)),
    "power_forward": ((POINTER, INTEGER, INTEGER, *(NUMBER,) * 4, POINTER, POINTER), ("f64",)),
    "student": ((*ROWS, INTEGER, *(POINTER,) * 5), FLOATS),
    "likeliest_power": (
        (*(POINTER,) * 4, INTEGER, INTEGER, POINTER, POINTER, INTEGER, NUMBER, NUMBER, POINTER),
        ("f64",),
    ),
    "pareto_sums": ((POINTER, POINTER, INTEGER, POINTER, INTEGER, POINTER, POINTER), ("f64",)),
    "known_rows": ((POINTER, *(INTEGER,) * 2, POINTER), ("f64",)),
    "held_cells": (
        (
            POINTER,
            *(INTEGER,) * 2,
            POINTER,
            *(INTEGER,) * 2,
            *(POINTER,) * 2,
            *(INTEGER,) * 2,
            POINTER,
            INTEGER,
            *(POINTER,) * 6,
        ),
        ("f64",),
    ),
    "held_choice": (
        (
            *(POINTER,) * 4,
            *(INTEGER,) * 3,
            *(POINTER,) * 2,
            INTEGER,
            *(POINTER,) * 3,
            INTEGER,
            POINTER,
            INTEGER,
            NUMBER,
            INTEGER,
            POINTER,
            INTEGER,
            *(NUMBER,) * 2,
            *(POINTER,) * 2,
        ),
        ("f64",),
    ),
    "bits": ((POINTER, INTEGER, NUMBER, POINTER), CELLS),
    "propagate": (
        (INTEGER, *(POINTER,) * 12, INTEGER, INTEGER, POINTER, POINTER, *(INTEGER,) * 3, *(POINTER,) * 4),
        ("f64",),
    ),
    "bitmaps": ((POINTER, *(INTEGER,) * 2, *(POINTER,) * 2), ("i32",)),
    "family_likelihoods": (
        (POINTER, INTEGER, *(POINTER,) * 2, *(INTEGER,) * 3, POINTER, INTEGER, *(POINTER,) * 4),
        ("i32",),
    ),
    "best_change": ((INTEGER, *(POINTER,) * 5, INTEGER, POINTER, INTEGER, NUMBER, *(POINTER,) * 3), ("f64",)),
    "pairs": ((POINTER, *(INTEGER,) * 2, *(POINTER,) * 2, INTEGER, *(POINTER,) * 3), ("i32",)),
    "places": ((POINTER, *(INTEGER,) * 3, POINTER, POINTER), ("i32", "i64")),
    "csr_sums": ((*CSR, *MEMBERS, POINTER, POINTER), CELLS),
    "csr_product": ((*CSR, INTEGER, POINTER, POINTER), CELLS),
    "largest": ((POINTER, INTEGER, INTEGER, POINTER, POINTER), ("f64",)),
    "normalise": ((POINTER, INTEGER, INTEGER, POINTER, INTEGER, POINTER), ("f64",)),
    "linear": ((*ROWS, INTEGER, *(POINTER,) * 4), FLOATS),
    "softmax": ((*ROWS, POINTER, POINTER, INTEGER, *(POINTER,) * 7, NUMBER, POINTER), FLOATS),
    "logit_run": (
        (*ROWS, *(POINTER,) * 5, INTEGER, *(NUMBER,) * 4, INTEGER, *(POINTER,) * 5),
        FLOATS,
    ),
    "csr_softmax": ((*CSR, POINTER, POINTER, INTEGER, *(POINTER,) * 6), FLOATS),
    "csr_softmax_product": ((*CSR, INTEGER, *(POINTER,) * 4), FLOATS),
    "descend": ((INTEGER, POINTER, POINTER, NUMBER, INTEGER, *(POINTER,) * 3), ("f64",)),
    "descend_columns": (
        (
            *(POINTER,) * 3,
            *(INTEGER,) * 3,
            *(POINTER,) * 3,
            INTEGER,
            *(POINTER,) * 3,
            NUMBER,
            INTEGER,
            *(POINTER,) * 3,
        ),
        ("f64",),
    ),
    "window_sums": (
        (*TILES, INTEGER, *(POINTER,) * 2, *(NUMBER,) * 3, *(INTEGER,) * 2, *(NUMBER,) * 3, *(POINTER,) * 2),
        FLOATS,
    ),
    "metric_sums": (
        (
            *(INTEGER,) * 3,
            *(POINTER,) * 6,
            INTEGER,
            *(POINTER,) * 2,
            *(NUMBER,) * 3,
            *(INTEGER,) * 2,
            NUMBER,
            INTEGER,
            *(NUMBER,) * 3,
            POINTER,
        ),
        ("f64",),
    ),
    "local_averages": (
        (
            *(INTEGER,) * 3,
            *(POINTER,) * 9,
            *(INTEGER,) * 2,
            *(POINTER,) * 2,
            INTEGER,
            POINTER,
            INTEGER,
            *(POINTER,) * 3,
            *(NUMBER,) * 5,
            *(INTEGER,) * 2,
            *(POINTER,) * 2,
        ),
        ("f64",),
    ),
    "window_ladder": ((*(INTEGER,) * 3, *(POINTER,) * 5, INTEGER, *(POINTER,) * 3), ("f64",)),
    "chain_count": ((*(POINTER,) * 3, *(INTEGER,) * 4, POINTER), ("u8", "i32", "i64")),
    "chain_score": ((*(POINTER,) * 2, *(INTEGER,) * 3, *(POINTER,) * 2), ("u8", "i32", "i64")),
    "hidden_smooth": ((INTEGER, *(POINTER,) * 5, INTEGER, *(POINTER,) * 4), ("f64",)),
    "hidden_filter": ((INTEGER, *(POINTER,) * 4, INTEGER, *(POINTER,) * 2), ("f64",)),
    "hidden_follow": ((INTEGER, *(POINTER,) * 3, INTEGER, *(POINTER,) * 2), ("f64",)),
    "hidden_counts": (
        (*ROWS, *(POINTER,) * 2, *(INTEGER,) * 4, *(POINTER,) * 4, INTEGER, NUMBER, *(POINTER,) * 4),
        ("f64",),
    ),
    "hidden_path": ((INTEGER, *(POINTER,) * 4, INTEGER, *(POINTER,) * 2), ("f64",)),
    "kd_order": ((POINTER, *(INTEGER,) * 3, POINTER), ("f64",)),
    "copy_rows": ((POINTER, INTEGER, INTEGER, *(POINTER,) * 3), ("f64",)),
    "cell_moments": ((POINTER, *(INTEGER,) * 3, *(POINTER,) * 5), ("f64",)),
    "cell_values": ((POINTER, *(INTEGER,) * 3, *(POINTER,) * 6), ("f64",)),
    "cell_spread": ((POINTER, *(INTEGER,) * 3, POINTER, *(INTEGER,) * 3, POINTER), ("f64",)),
    "cell_select": ((POINTER, INTEGER, INTEGER, *(POINTER,) * 6), ("f64",)),
    "cube_moments": ((*(POINTER,) * 8, *(INTEGER,) * 2, POINTER), ("f64",)),
    "cube_sweep": ((*(POINTER,) * 2, *(INTEGER,) * 2, POINTER, INTEGER, POINTER), ("f64",)),
    "cube_values": ((*(POINTER,) * 7, *(INTEGER,) * 2, POINTER), ("f64",)),
    "cube_bounds": ((POINTER, INTEGER, *(POINTER,) * 3, *(INTEGER,) * 5, *(POINTER,) * 3), ("f64",)),
    "tree_moments": ((POINTER, POINTER, NUMBER, *(INTEGER,) * 3, POINTER, INTEGER, POINTER, POINTER), ("f64",)),
    "tree_values": (
        (POINTER, POINTER, NUMBER, *(INTEGER,) * 3, POINTER, INTEGER, *(POINTER,) * 3, INTEGER, POINTER),
        ("f64",),
    ),
}
