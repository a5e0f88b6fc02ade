"""Every kernel equals its twin, at every level, over shapes, dtypes, strides, memberships and missing cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from parzen import Gaussian
from parzen.compute import native
from parzen.compute.arrays import as_floats
from parzen.compute.codes import BadCode, as_codes, lookup, tally
from parzen.compute.gaussian import expected_moments, gaussian_log_density, mahalanobis
from parzen.compute.memberships import Labels, check_memberships, take
from parzen.compute.moments import moments, sums
from parzen.compute.sparse import csr_product, csr_sums
from tests import oracle

LEVELS = native.levels()
SHAPES = [(0, 3), (1, 1), (1, 4), (7, 2), (40, 3), (133, 9), (300, 17), (65, 33)]
DTYPES = [np.float32, np.float64]


@pytest.fixture(params=LEVELS)
def level(request):
    with native.using(request.param):
        yield request.param


def memberships(kind, n, rng, K=3):
    codes = rng.integers(-1, K, n)
    return {
        "none": None,
        "weights": rng.random(n),
        "labels": Labels(codes, groups=K),
        "weighted labels": Labels(codes, np.where(rng.random(n) < 0.2, 0.0, rng.random(n)), groups=K),
        "dense": np.where(rng.random((n, K)) < 0.3, 0.0, rng.random((n, K))),
    }[kind]


KINDS = ["none", "weights", "labels", "weighted labels", "dense"]


def laid_out(X, layout):
    if layout == "fortran":
        return np.asfortranarray(X)
    if layout == "strided":
        wide = np.full((len(X), X.shape[1] + 5), np.finfo(X.dtype).max, dtype=X.dtype)
        wide[:, 2 : 2 + X.shape[1]] = X
        return wide[:, 2 : 2 + X.shape[1]]
    if layout == "readonly":
        X = X.copy()
        X.flags.writeable = False
    return X


def factors(rng, K, d):
    A = rng.normal(size=(K, d, d))
    return np.linalg.cholesky(A @ np.swapaxes(A, 1, 2) + 0.1 * np.eye(d))


@pytest.mark.parametrize("layout", ["plain", "fortran", "strided", "readonly"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("full", [True, False])
def test_moments_equal_the_oracle(level, dtype, kind, full, layout, rng):
    for n, d in SHAPES:
        X = laid_out(rng.normal(size=(n, d)).astype(dtype), layout)
        R = memberships(kind, n, rng)
        for mine, theirs in zip(moments(as_floats(X), R, full), oracle.moments(X, R, full), strict=False):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_missing_cells_weigh_nothing_in_columns_that_stand_alone(level, dtype, kind, rng):
    for n, d in SHAPES:
        X = rng.normal(size=(n, d)).astype(dtype)
        X[rng.random((n, d)) < 0.3] = np.nan
        R = memberships(kind, n, rng)
        for mine, theirs in zip(moments(X, R, full=False), oracle.moments(X, R, False), strict=False):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
        for mine, theirs in zip(sums(X, R), oracle.sums(X, R), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("full", [True, False])
def test_an_offset_of_1e8_costs_no_digit(level, full, rng):
    X = rng.normal(size=(5000, 4)) + 1e8
    codes = rng.integers(0, 2, 5000)
    X[codes == 1] -= 3e8
    exact = oracle.moments(X, Labels(codes), full)
    for mine, theirs in zip(moments(X, Labels(codes), full), exact, strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=2e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("full", [True, False])
@pytest.mark.parametrize("first", [1.0, 1e-30])
def test_first_rows_far_from_the_rest_cost_no_digit(level, full, first, rng):
    """Sums are first taken about the mean of the first rows: here that is 1e9 deviations off."""
    X, w = rng.normal(size=(3000, 5)), np.ones(3000)
    X[:300] += 1e9
    w[:300] = first
    exact = oracle.moments(X, w, full)
    for mine, theirs in zip(moments(X, w, full), exact, strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12 * np.abs(theirs).max())


@pytest.mark.parametrize("family", [Gaussian(), Gaussian("diag")])
def test_adding_many_blocks_at_an_offset_costs_no_digit(family, rng):
    X, codes = rng.normal(size=(60_000, 3)) + 1e8, rng.integers(0, 3, 60_000)
    for R in (None, Labels(codes), np.ones((60_000, 2))):
        found = sum(family.observe(X[i : i + 500], take(R, slice(i, i + 500))) for i in range(0, 60_000, 500))
        exact = oracle.moments(X, R, family.covariance_type == "full")
        scale = np.abs(exact[2]).max()
        np.testing.assert_allclose(found.scatter, exact[2], rtol=0, atol=1e-13 * scale)
        np.testing.assert_array_equal(found.mean, exact[1])
        np.testing.assert_allclose(
            found.pooled().scatter,
            oracle.moments(X, np.full(60_000, group_weight(R)), exact[2].ndim == 3)[2],
            rtol=0,
            atol=3e-13 * scale,
        )


def group_weight(R):
    return 2.0 if isinstance(R, np.ndarray) else 1.0


def test_an_offset_in_float32_keeps_what_the_rows_hold(level, rng):
    X = (rng.normal(size=(5000, 3)) + 1e4).astype(np.float32)
    for mine, theirs in zip(moments(X), oracle.moments(X, None, True), strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-11 * np.abs(theirs).max())


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shared", [True, False])
def test_gaussian_log_densities_equal_the_oracle(level, dtype, shared, rng):
    for n, d in SHAPES:
        K = 4
        X = (3 * rng.normal(size=(n, d))).astype(dtype)
        mean, factor = rng.normal(size=(K, d)), factors(rng, 1 if shared else K, d)
        covariance = np.broadcast_to(factor @ np.swapaxes(factor, 1, 2), (K, d, d))
        exact = oracle.gaussian_log_density(X, mean, covariance)
        np.testing.assert_allclose(gaussian_log_density(X, mean, factor), exact, rtol=1e-9, atol=1e-9)
        X[rng.random((n, d)) < 0.25] = np.nan
        exact = oracle.gaussian_log_density(X, mean, covariance)
        np.testing.assert_allclose(gaussian_log_density(X, mean, factor), exact, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", DTYPES)
def test_diagonal_gaussians_equal_the_oracle(level, dtype, rng):
    for n, d in SHAPES:
        X = (3 * rng.normal(size=(n, d))).astype(dtype)
        X[::3, 0] = np.nan
        X[1::5] = np.nan
        mean, deviation = rng.normal(size=(5, d)), rng.random((5, d)) + 0.1
        exact = oracle.gaussian_log_density(X, mean, np.array([np.diag(s**2) for s in deviation]))
        np.testing.assert_allclose(gaussian_log_density(X, mean, deviation), exact, rtol=1e-10, atol=1e-10)


def test_a_condition_number_of_1e12_keeps_six_digits(level, rng):
    d = 6
    turn = np.linalg.qr(rng.normal(size=(d, d)))[0]
    scales = np.logspace(-6, 0, d)
    factor = np.linalg.qr((turn * scales).T)[1].T
    factor = np.ascontiguousarray(factor * np.sign(np.diag(factor)))[None]
    X = (rng.normal(size=(200, d)) * scales) @ turn.T
    # In the rotated frame the columns stand alone, so the exact answer needs no solving.
    exact = -0.5 * ((X @ turn / scales) ** 2).sum(1) - np.log(scales).sum() - d / 2 * np.log(2 * np.pi)
    for two in (factor, np.repeat(factor, 2, axis=0)):
        mean = np.zeros((len(two), d))
        np.testing.assert_allclose(gaussian_log_density(X, mean, two)[:, 0], exact, rtol=0, atol=1e-8)


def test_an_offset_far_from_zero_leaves_log_densities_exact(level, rng):
    X, mean, factor = rng.normal(size=(50, 3)), np.zeros((3, 3)), factors(rng, 3, 3)
    X = np.round(X * 2.0**20) / 2.0**20  # so that the offset changes no digit
    near = gaussian_log_density(X, mean, factor)
    far = gaussian_log_density(X + 2.0**27, mean + 2.0**27, factor)
    np.testing.assert_allclose(far, near, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        gaussian_log_density(X + 2.0**27, mean + 2.0**27, factor[:1])[:, 0], near[:, 0], rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shared", [True, False])
def test_expected_moments_equal_the_oracle(level, dtype, kind, shared, rng):
    for n, d in [(1, 2), (30, 3), (90, 5)]:
        X = rng.normal(size=(n, d)).astype(dtype)
        X[rng.random((n, d)) < 0.3] = np.nan
        X[0] = np.nan
        R = memberships(kind, n, rng)
        K = oracle.dense(R, n).shape[1]
        mean, factor = rng.normal(size=(K, d)), factors(rng, 1 if shared else K, d)
        covariance = np.broadcast_to(factor @ np.swapaxes(factor, 1, 2), (K, d, d))
        with np.errstate(invalid="ignore"):
            exact = oracle.expected_moments(X, R, mean, covariance)
        weight, means, scatter, carry, likelihood = expected_moments(X, R, mean, factor)
        weighed = exact[0] > 0
        assert np.abs(carry).max() <= np.spacing(np.abs(means).max())
        for mine, theirs in zip((weight, means, scatter, likelihood), exact, strict=True):
            np.testing.assert_allclose(mine[weighed], theirs[weighed], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.float32, np.float64, np.int16, bool])
@pytest.mark.parametrize("kind", KINDS)
def test_tallies_and_lookups_equal_the_oracle(level, dtype, kind, rng):
    for n, d in SHAPES:
        sizes = tuple(int(size) for size in rng.integers(2, 6, d))
        X = np.array([rng.integers(0, 2 if dtype is bool else size, n) for size in sizes]).T.reshape(n, d).astype(dtype)
        if np.issubdtype(dtype, np.floating):
            X[rng.random((n, d)) < 0.2] = np.nan
        elif np.issubdtype(dtype, np.signedinteger):
            X[rng.random((n, d)) < 0.2] = -1
        R = memberships(kind, n, rng)
        codes = as_codes(X)
        np.testing.assert_allclose(tally(codes, R, sizes), oracle.tally(X, R, sizes), rtol=1e-12)
        table = rng.normal(size=(sum(sizes), 4))
        np.testing.assert_allclose(
            lookup(codes, table, sizes, False), oracle.lookup(X, table, sizes), rtol=1e-12, atol=1e-12
        )


@pytest.mark.parametrize("value", [5, 2.5, 3e9, -2, -0.5, np.inf, -np.inf])
def test_a_code_beyond_its_column_is_refused_by_position(level, value):
    X = np.array([[0.0, 1.0], [1.0, value]])
    with pytest.raises(BadCode, match="column 1 holds") as caught:
        tally(X, None, (2, 3))
    assert caught.value.column == 1
    with pytest.raises(BadCode):
        lookup(X, np.zeros((5, 1)), (2, 3), open_ended=False)


def test_open_ended_columns_give_every_larger_code_their_last_slot(level):
    table = np.array([[1.0], [2.0], [4.0]])
    np.testing.assert_array_equal(lookup(np.array([[0], [2], [99]]), table, (3,), open_ended=True), [[1], [4], [4]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("indices", [np.int32, np.int64])
@pytest.mark.parametrize("kind", KINDS)
def test_sparse_kernels_equal_dense_arithmetic(level, dtype, indices, kind, rng):
    for n, d in SHAPES:
        X = sparse.random_array((n, d), density=0.3, rng=rng, dtype=np.float64).tocsr().astype(dtype)
        X.indices, X.indptr = X.indices.astype(indices), X.indptr.astype(indices)
        R = memberships(kind, n, rng)
        weight, totals, _ = csr_sums(X, R)
        np.testing.assert_allclose(weight, oracle.dense(R, n).sum(0), rtol=1e-12)
        np.testing.assert_allclose(totals, oracle.sums(X.toarray(), R)[1], rtol=1e-12, atol=1e-12)
        table = rng.normal(size=(d, 3))
        np.testing.assert_allclose(csr_product(X, table), X.toarray().astype(float) @ table, rtol=1e-12, atol=1e-12)


def test_a_broken_sparse_matrix_is_refused_before_it_is_read(level):
    X = sparse.csr_array(np.eye(3))
    X.indices[1] = 7
    with pytest.raises(ValueError, match="outside"):
        csr_sums(X)
    X = sparse.csr_array(np.eye(3))
    X.indptr[3] = 9
    with pytest.raises(ValueError, match="outside"):
        csr_product(X, np.zeros((3, 1)))


class TestRefusals:
    """A kernel given the wrong dtype, shape or layout raises; it never reads past an array."""

    X = np.zeros((4, 2))

    @pytest.mark.parametrize(
        ("X", "error"),
        [
            (np.zeros((4, 2), int), TypeError),
            (np.zeros((4, 2), complex), TypeError),
            ([[1.0]], TypeError),
            (np.zeros(4), ValueError),
            (np.zeros((2, 4)).T, ValueError),
            (np.zeros((4, 4))[:, ::2], ValueError),
            (np.zeros((4, 2))[::-1], ValueError),
            (np.broadcast_to(np.zeros(2), (4, 2)), ValueError),
        ],
    )
    def test_rows(self, X, error):
        with pytest.raises(error, match="X must"):
            moments(X)

    @pytest.mark.parametrize(
        ("R", "error"),
        [
            (np.zeros(3), ValueError),
            (np.zeros((3, 2)), ValueError),
            (np.zeros((4, 2), np.float32), TypeError),
            (np.zeros((2, 4)).T, ValueError),
            (Labels([0, 1, 0]), ValueError),
        ],
    )
    def test_memberships(self, R, error):
        with pytest.raises(error):
            moments(self.X, R)

    def test_parameters(self):
        with pytest.raises(ValueError, match="factor must have shape"):
            gaussian_log_density(self.X, np.zeros((3, 2)), np.ones((2, 2, 2)))
        with pytest.raises(ValueError, match="mean must have shape"):
            mahalanobis(self.X, np.zeros((2, 3)), np.ones((2, 2, 2)))
        with pytest.raises(ValueError, match="offsets must have shape"):
            tally(np.zeros((4, 2)), None, (2,))
        with pytest.raises(ValueError, match="table must have shape"):
            lookup(np.zeros((4, 2)), np.zeros((3, 1)), (2, 2), False)
        with pytest.raises(TypeError, match="CSR"):
            csr_sums(sparse.csc_array(np.eye(2)))

    def test_labels(self):
        with pytest.raises(ValueError, match="there are 2 groups"):
            Labels([0, 2], groups=2)
        with pytest.raises(ValueError, match="weights must have shape"):
            Labels([0, 2], weights=[1.0])
        for bad in (-1.0, np.nan, np.inf):
            with pytest.raises(ValueError, match="finite and not negative"):
                check_memberships(Labels([0, 1], weights=[1.0, bad]), 2)


def test_levels_agree_and_the_environment_chooses(monkeypatch, rng):
    X, R = rng.normal(size=(1000, 7)), Labels(rng.integers(0, 3, 1000))
    results = []
    for name in LEVELS:
        with native.using(name):
            assert native.level() == name
            results.append(moments(X, R))
    for other in results[1:]:
        for mine, theirs in zip(results[0], other, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-12)
    monkeypatch.setattr(native, "_current", None)
    monkeypatch.setenv("PARZEN_SIMD", LEVELS[0])
    assert native.level() == LEVELS[0]
    monkeypatch.setattr(native, "_current", None)
    monkeypatch.setenv("PARZEN_SIMD", "v9")
    with pytest.raises(ImportError, match="PARZEN_SIMD"):
        native.level()


@given(
    rows=st.lists(st.lists(st.floats(-1e6, 1e6) | st.just(np.nan), min_size=2, max_size=2), min_size=1, max_size=30),
    seed=st.integers(0, 1000),
)
def test_moments_of_any_rows(rows, seed):
    X = np.array(rows)
    R = memberships("weighted labels", len(X), np.random.default_rng(seed), K=2)
    for mine, theirs in zip(moments(X, R, full=False), oracle.moments(X, R, False), strict=False):
        np.testing.assert_allclose(mine, theirs, rtol=1e-11, atol=1e-9 * max(1, np.abs(theirs).max()))
