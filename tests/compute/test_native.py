"""The compiled library: its levels agree, and what a routine can't read is refused before an address is taken."""

import numpy as np
import pytest
from scipy import sparse

from parzen.compute import native
from parzen.compute.codes import lookup, tally
from parzen.compute.gaussian import gaussian_log_density, mahalanobis
from parzen.compute.memberships import Labels, check_memberships
from parzen.compute.moments import moments
from parzen.compute.signatures import SIGNATURES
from parzen.compute.sparse import csr_sums

LEVELS = native.levels()


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
    with pytest.raises(ValueError, match=r"PARZEN_SIMD must be a level that this machine can run \(.*got 'v9'"):
        native.level()


@pytest.mark.parametrize(
    "array",
    [
        np.ones(3)[1:],
        np.empty(0),
        np.arange(6.0)[::2],
        np.ones((4, 3)).T,
        np.array(["a", None], dtype=object),
        np.frombuffer(b"read-only", dtype=np.int8),
        np.array(["2020-02-02"], dtype="M8[D]"),
    ],
)
def test_addresses_are_numpy_s(array):
    assert native.address(array) == array.__array_interface__["data"][0]


def test_codes_are_read_by_rows_or_by_columns():
    X = np.array([[0.0, 1.0], [1.0, 0.0], [np.nan, 1.0]])
    for rows in (X, np.asfortranarray(X), np.asfortranarray(np.hstack([X, X]))[1:, 1:3]):
        np.testing.assert_array_equal(tally(rows, None, (2, 2)), tally(np.array(rows, order="C"), None, (2, 2)))
    with pytest.raises(ValueError, match="contiguous, aligned rows or columns"):
        tally(np.repeat(np.repeat(X, 2, axis=0), 2, axis=1)[::2, ::2], None, (2, 2))


def test_every_routine_is_in_the_library_of_its_level_or_below():
    names = [f"{name}_{suffix}" for name, (_, suffixes) in SIGNATURES.items() for suffix in suffixes]
    for name in LEVELS:
        with native.using(name):
            assert all(callable(native._routine(routine)) for routine in names)
    with pytest.raises(AttributeError, match="no library has the routine"):
        native._routine("nothing_f64")
