"""Every compiled routine's twin in NumPy, as on the blackboard: slow, plain, one row at a time where that is clearest.

`TWINS` names them by the routine's name in `parzen.compute.native.SIGNATURES`. A twin is written from the textbook's
formula and imports nothing of the library; it takes what the routine's Python function takes.
"""

from tests.oracle.cells import cell_moments, cell_select, cell_spread, cell_values
from tests.oracle.codes import first_bad_code, lookup, places, tally
from tests.oracle.column_choice import held_cells, held_choice, known_rows
from tests.oracle.columns import (
    add_places,
    bin_lookup,
    bin_places,
    different,
    likeliest_power,
    mass_lookup,
    mass_places,
    power_forward,
    side_by_side,
    student,
    text_codes,
)
from tests.oracle.cubes import cube_bounds, cube_moments, cube_sweep, cube_values
from tests.oracle.descent import descend, descend_columns
from tests.oracle.em import em, em_diagonal, em_full, em_missing, em_missing_diagonal, em_shared
from tests.oracle.gaussian import (
    covariances,
    expected,
    expected_moments,
    gaussian_diagonal,
    gaussian_log_density,
    gaussian_separate,
    gaussian_shared,
    missing_expected,
    missing_squares,
    student_log_density,
)
from tests.oracle.hmm import hidden_counts, hidden_filter, hidden_follow, hidden_path, hidden_smooth, over_all_paths
from tests.oracle.kernel_sums import (
    KERNELS,
    mean_squares,
    tree_moments,
    tree_values,
    window_ladder,
    window_sums,
)
from tests.oracle.kmeans import centres, csr_distances, distances, nearest, point_table
from tests.oracle.local_sums import local_averages, local_regression
from tests.oracle.markov import chain_count, chain_score
from tests.oracle.memberships import dense
from tests.oracle.metric_sums import metric_sums
from tests.oracle.moments import moments, moments_diagonal, moments_full, sums
from tests.oracle.nets import best_change, bitmaps, family_likelihoods, pairs, propagate
from tests.oracle.order import copy_rows, kd_order
from tests.oracle.partitions import em_run, kmeans_partition, merged_partition
from tests.oracle.posterior import largest, normalise, posterior
from tests.oracle.softmax import csr_softmax, csr_softmax_product, linear, logit_run, softmax
from tests.oracle.sparse import bits, csr_product, csr_sums
from tests.oracle.tails import pareto_sums

__all__ = [
    "KERNELS",
    "TWINS",
    "covariances",
    "dense",
    "em",
    "expected_moments",
    "first_bad_code",
    "gaussian_log_density",
    "local_regression",
    "mean_squares",
    "moments",
    "nearest",
    "over_all_paths",
    "posterior",
    "student_log_density",
]

TWINS = {
    # junction.cpp
    "propagate": propagate,
    "pairs": pairs,  # codes.cpp
    # families.cpp
    "bitmaps": bitmaps,
    "family_likelihoods": family_likelihoods,
    "best_change": best_change,
    # moments.cpp
    "moments_diagonal": moments_diagonal,
    "moments_full": moments_full,
    "sums": sums,
    # gaussian.cpp, missing.cpp
    "gaussian_separate": gaussian_separate,
    "gaussian_shared": gaussian_shared,
    "gaussian_diagonal": gaussian_diagonal,
    "missing_squares": missing_squares,
    "missing_expected": missing_expected,
    # expected.cpp
    "expected": expected,
    # em.cpp, em_missing.cpp, centres.cpp, csr_centres.cpp
    "em_full": em_full,
    "em_diagonal": em_diagonal,
    "em_shared": em_shared,
    "em_missing": em_missing,
    "em_missing_diagonal": em_missing_diagonal,
    "centres": centres,
    "distances": distances,
    "point_table": point_table,
    "csr_distances": csr_distances,
    # partitions.cpp, em_run.cpp
    "kmeans_partition": kmeans_partition,
    "merged_partition": merged_partition,
    "em_run": em_run,
    # codes.cpp, sparse.cpp
    "tally": tally,
    "lookup": lookup,
    "places": places,
    "bits": bits,
    "csr_sums": csr_sums,
    "csr_product": csr_product,
    # text.cpp, student.cpp, steps.cpp, power.cpp
    "side_by_side": side_by_side,
    "text_codes": text_codes,
    "student": student,
    "bin_lookup": bin_lookup,
    "mass_lookup": mass_lookup,
    "bin_places": bin_places,
    "different": different,
    "add_places": add_places,
    "mass_places": mass_places,
    "power_forward": power_forward,
    "likeliest_power": likeliest_power,
    "pareto_sums": pareto_sums,  # tails.cpp
    # held_cells.cpp, choice.cpp
    "known_rows": known_rows,
    "held_cells": held_cells,
    "held_choice": held_choice,
    # posterior.cpp, softmax.cpp, logit_run.cpp
    "largest": largest,
    "normalise": normalise,
    "linear": linear,
    "softmax": softmax,
    "logit_run": logit_run,
    "csr_softmax": csr_softmax,
    "csr_softmax_product": csr_softmax_product,
    # descent.cpp
    "descend": descend,
    "descend_columns": descend_columns,
    # windows.cpp, metric_windows.cpp, ladder.cpp, local.cpp, tree.cpp
    "window_sums": window_sums,
    "metric_sums": metric_sums,
    "window_ladder": window_ladder,
    "local_averages": local_averages,
    "tree_moments": tree_moments,
    "tree_values": tree_values,
    # cells.cpp, cubes.cpp, order.cpp
    "cell_moments": cell_moments,
    "cell_values": cell_values,
    "cell_spread": cell_spread,
    "cell_select": cell_select,
    "cube_moments": cube_moments,
    "cube_sweep": cube_sweep,
    "cube_values": cube_values,
    "cube_bounds": cube_bounds,
    "copy_rows": copy_rows,
    "kd_order": kd_order,
    # chain.cpp, hidden.cpp, hidden_counts.cpp
    "chain_count": chain_count,
    "chain_score": chain_score,
    "hidden_smooth": hidden_smooth,
    "hidden_filter": hidden_filter,
    "hidden_counts": hidden_counts,
    "hidden_follow": hidden_follow,
    "hidden_path": hidden_path,
}
