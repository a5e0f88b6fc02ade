"""Kernel densities, histograms and bandwidth rules of sources: constant memory, to a stated error."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from parzen import BayesClassifier, DensityEstimator, HistogramDensity, Kernel, KernelDensity, load, scan
from parzen.densities.summed_kernels import PrecisionWarning
from parzen.smoothing.summed_cells import WIDTHS, SummedCells, cell_moments

N = 30_000


@pytest.fixture(scope="module")
def line():
    rng = np.random.default_rng(0)
    rows = np.concatenate([rng.normal(size=N), rng.normal(5.0, 0.3, size=N), rng.normal(size=40_000) * 2 + 100])
    rng.shuffle(rows)
    return rows[:, None]


@pytest.fixture(scope="module")
def plane():
    rng = np.random.default_rng(1)
    return rng.normal(size=(N, 2)) @ np.array([[1.0, 0.0], [0.5, 2.0]])


def source(rows, *columns):
    table = np.column_stack([rows, *columns])
    return scan([table[:7000], table[7000:]], batch_rows=9000)


def exact_log_sums(z, w, Q):
    exponents = -0.5 * ((Q[:, None] - z) ** 2).sum(axis=2)
    return np.logaddexp.reduce(exponents + np.log(w), axis=1)


@pytest.mark.parametrize("d", [1, 2])
def test_the_bound_on_the_error_holds_everywhere(d):
    rng = np.random.default_rng(d)
    n = 3000
    z = np.concatenate([rng.normal(size=(n, d)) * 5, rng.normal(size=(50, d)) + 900, rng.uniform(-30, 30, (n, d))])
    w = rng.random(len(z))
    found = cell_moments(z, None, w, 1)
    assert_allclose(found.weight, w.sum(), rtol=1e-13)
    sums = SummedCells(*found.of_group(0), WIDTHS[d - 1])
    Q = np.concatenate(
        [rng.normal(size=(200, d)) * 8, rng.uniform(-80, 80, (60, d)), rng.normal(size=(30, d)) * 4 + 900]
    )
    logs, bound = sums.log(Q)
    off = np.abs(np.expm1(logs - exact_log_sums(z, w, Q)))
    assert (off <= bound + 1e-12).all()
    assert (bound[:200] < 1e-6).mean() > 0.9


def test_shards_of_moments_add_in_any_order():
    rng = np.random.default_rng(0)
    z, codes = rng.normal(size=(500, 2)) * 9, rng.integers(0, 3, 500).astype(np.int32)
    whole = cell_moments(z, codes, None, 3)
    parts = [cell_moments(z[own], codes[own], None, 3) for own in (slice(0, 100), slice(100, 350), slice(350, None))]
    for some in (parts[0] + parts[1] + parts[2], parts[2] + (parts[1] + parts[0])):
        assert np.array_equal(some.cells, whole.cells)
        assert_allclose(some.moments, whole.moments, atol=1e-12)
    assert_allclose(whole.pooled().weight, [500])


@pytest.mark.parametrize("bandwidth", [0.05, 0.7])
def test_a_line_has_the_density_of_its_rows(bandwidth, line):
    Q = np.concatenate([np.linspace(-9, 9, 300), np.linspace(90, 112, 100)])[:, None]
    model = KernelDensity(bandwidth=bandwidth).fit(source(line))
    exact = KernelDensity(bandwidth=bandwidth, rtol=0).fit(line)
    assert_allclose(np.expm1(model.score_samples(Q) - exact.score_samples(Q)), 0.0, atol=1e-6)
    assert model.bandwidth_ == bandwidth
    assert model.error_bound_ == 1e-6
    assert len(model.statistic_.cells) < len(line) / 10


@pytest.mark.parametrize("bandwidth", [0.3, [0.2, 0.6], [[0.09, 0.03], [0.03, 0.2]]])
def test_a_plane_has_the_density_of_its_rows(bandwidth, plane, tmp_path):
    Q = plane[:200]
    model = KernelDensity(bandwidth=bandwidth).fit(source(plane))
    exact = KernelDensity(bandwidth=bandwidth, rtol=0).fit(plane).score_samples(Q)
    assert_allclose(model.score_samples(Q), exact, atol=1e-6)
    model.save(tmp_path / "m.parzen")
    assert_allclose(load(tmp_path / "m.parzen").score_samples(Q), model.score_samples(Q), atol=0)


def test_shards_merge_and_batches_add(plane):
    whole = KernelDensity(bandwidth=0.3).fit(source(plane)).score_samples(plane[:100])
    shard, other = (KernelDensity(bandwidth=0.3).fit(source(part)) for part in (plane[:9000], plane[9000:]))
    added = KernelDensity(bandwidth=0.3).partial_fit(source(plane[:9000])).partial_fit(plane[9000:])
    again = KernelDensity(bandwidth=0.3).fit(source(plane[:9000])).partial_fit(source(plane[9000:]))
    for model in (shard.merge(other), added, again):
        assert_allclose(model.score_samples(plane[:100]), whole, atol=1e-10)


def test_weights_count_rows_and_classes_have_their_own(plane):
    w, y = np.arange(N) % 3.0, np.arange(N) % 2.0
    plane = plane + 0.3 * y[:, None]
    found = KernelDensity(bandwidth=0.3).fit(source(plane, w), weight=2).score_samples(plane[:100])
    exact = KernelDensity(bandwidth=0.3).fit(plane, sample_weight=w).score_samples(plane[:100])
    assert_allclose(found, exact, atol=1e-6)
    model = BayesClassifier(Kernel(bandwidth=0.3))
    found = model.fit(source(plane, y), target=2).predict_proba(plane[:100])
    assert_allclose(found, model.fit(plane, y).predict_proba(plane[:100]), atol=1e-6)


def test_missing_cells_means_and_draws(plane):
    model = DensityEstimator(Kernel(bandwidth=0.3)).fit(source(plane))
    exact = DensityEstimator(Kernel(bandwidth=0.3)).fit(plane)
    Q = plane[:50].copy()
    Q[::2, 0] = np.nan
    Q[1::4, 1] = np.nan
    assert_allclose(model.score_samples(Q), exact.score_samples(Q), atol=1e-6)
    assert_allclose(model.density_.expectation(), exact.density_.expectation(), atol=1e-10)
    assert_allclose(model.density_.marginal([1, 0]).log_density(Q[:, ::-1]), model.density_.log_density(Q), atol=1e-10)
    drawn = model.sample(20_000, random_state=0)
    assert_allclose(np.cov(drawn.T), np.cov(plane.T) + 0.09 * np.eye(2), rtol=0.1, atol=0.05)


def test_where_moments_do_not_suffice_a_warning_says_how_well_the_density_is_known():
    rows = np.random.default_rng(0).uniform(size=(5000, 2))
    model = KernelDensity(bandwidth=0.05).fit(source(rows))
    with pytest.warns(PrecisionWarning, match="1 rows lie so far"):
        found = model.score_samples([[2.0, 2.0]])
    assert_allclose(found, KernelDensity(bandwidth=0.05).fit(rows).score_samples([[2.0, 2.0]]), rtol=0.01)


@pytest.mark.filterwarnings("ignore::parzen.densities.summed_kernels.PrecisionWarning")
@pytest.mark.parametrize("d", [1, 2])
def test_log_densities_are_finite_however_far(d):
    rng = np.random.default_rng(0)
    z = np.concatenate([np.repeat(rng.normal(size=(3, d)), 1000, axis=0), rng.normal(size=(2000, d)) * 3])
    model = KernelDensity(bandwidth=0.01).fit(source(z))
    Q = np.concatenate([rng.normal(size=(20, d)) * 10.0**power for power in range(1, 8)])
    with np.errstate(all="raise", under="ignore"):
        found = model.score_samples(Q)
    wanted = exact_log_sums(z / 0.01, 1.0 / len(z), Q / 0.01) - d * (np.log(0.01) + 0.5 * np.log(2 * np.pi))
    assert_allclose(found, wanted, rtol=1e-3)


@pytest.mark.parametrize("kernel", [Kernel("scott", "tophat"), Kernel(1.0, adaptive=True), Kernel(1.0, bounds=(0, 9))])
def test_other_kernels_keep_rows_and_are_refused(kernel, line):
    with pytest.raises(TypeError, match=r"keeps the rows themselves.*table in memory"):
        DensityEstimator(kernel).fit(source(line))


def test_what_has_no_answer_says_so(line, plane):
    with pytest.raises(TypeError, match="keeps the rows themselves"):
        KernelDensity().fit(source(np.column_stack([plane, plane[:, 0]])))
    with pytest.raises(TypeError, match="'lscv' of 2 columns"):
        KernelDensity(bandwidth="lscv").fit(source(np.tile(plane, (3, 1))))
    with pytest.raises(TypeError, match="these are fractions"):
        KernelDensity(bandwidth="sj").fit(source(line, np.full(len(line), 0.5)), weight=1)
    with pytest.raises(ValueError, match="too few digits"):
        KernelDensity(bandwidth=1e-4).fit(source(line + 1e12))
    with pytest.raises(TypeError, match="rows are not kept"):
        KernelDensity().fit(source(line)).leave_one_out()
    with pytest.raises(ValueError, match="over too many bandwidths"):
        KernelDensity(bandwidth=1e-6).fit(scan(np.random.default_rng(0).normal(size=(2**21 + 2**19, 1))))


@pytest.mark.parametrize("rule", ["scott", "silverman", "sj", "isj", "lscv"])
def test_rules_of_a_line_choose_what_they_choose_in_memory(rule, line):
    found = KernelDensity(bandwidth=rule).fit(source(line)).bandwidth_
    assert_allclose(found, KernelDensity(bandwidth=rule).fit(line).bandwidth_, rtol=1e-4)
    few = KernelDensity(bandwidth=rule).fit(source(line[:9000])).bandwidth_
    assert_allclose(few, KernelDensity(bandwidth=rule).fit(line[:9000]).bandwidth_, rtol=1e-12)


@pytest.mark.parametrize("rule", ["scott", "silverman"])
def test_rules_of_a_plane_choose_what_they_choose_in_memory(rule, plane):
    rows = np.tile(plane, (3, 1))
    found = KernelDensity(bandwidth=rule).fit(source(rows)).bandwidth_
    assert_allclose(found, KernelDensity(bandwidth=rule).fit(rows).bandwidth_, rtol=1e-6)


@pytest.mark.parametrize("bins", [10, "fd", "scott", "sturges", "equal"])
def test_histograms_learn_their_edges(bins, line):
    for rows, atol in ((line, 1e-3), (line[:9000], 0.0)):
        found = HistogramDensity(bins).fit(source(rows))
        theirs = HistogramDensity(bins).fit(rows)
        assert_allclose(found.edges_[0], theirs.edges_[0], rtol=0, atol=atol)
        assert_allclose(found.probability_, theirs.probability_, atol=1e-4 if atol and bins == "equal" else 1e-12)


def test_histograms_of_a_width_and_of_two_columns(line, plane):
    found = HistogramDensity(width=0.5).fit(source(line)).probability_
    assert_allclose(found, HistogramDensity(width=0.5).fit(line).probability_, atol=1e-12)
    found = HistogramDensity([5, "scott"]).fit(source(plane)).probability_
    assert_allclose(found, HistogramDensity([5, "scott"]).fit(plane).probability_, atol=1e-12)
