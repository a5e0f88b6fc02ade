"""Chains and hidden Markov models fit the sequences of a source as they fit them in memory."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from parzen import (
    GMMHMM,
    Categorical,
    CategoricalHMM,
    Gaussian,
    GaussianHMM,
    HiddenMarkov,
    MarkovChain,
    Product,
    SourceError,
    scan,
)
from parzen.tables.sources.whole import WholeSequences


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 40, 90)
    n = int(lengths.sum())
    state = np.repeat(np.cumsum(rng.random(n // 5 + 1) < 0.4) % 3, 5)[:n]
    return pd.DataFrame(
        {
            "x": rng.normal(3.0 * state, 1.0),
            "z": rng.normal(-state, 1.0),
            "c": np.where(rng.random(n) < 0.2 * state, "late", rng.choice(["a", "b"], n)),
            "k": rng.integers(0, 4, n),
            "w": np.repeat(rng.integers(0, 3, 90).astype(float), lengths),
            "name": np.repeat([f"s{i % 50}" for i in range(90)], lengths),
        }
    )


def lengths_of(frame):
    names = frame["name"].to_numpy()
    begin = np.flatnonzero(np.append(True, names[1:] != names[:-1]))
    return np.diff(np.append(begin, len(names)))


def folder_of(frame, tmp_path):
    for at, part in enumerate(np.array_split(np.arange(len(frame)), [500, 511])):
        frame.iloc[part].to_parquet(tmp_path / f"{at}.parquet", index=False)
    return tmp_path


@pytest.mark.parametrize("batch_rows", [1, 7, 100, 10_000])
def test_sequences_are_put_together_wherever_batches_end(batch_rows, frame, tmp_path):
    source = scan(folder_of(frame, tmp_path), ["x"], batch_rows=batch_rows).with_roles("name", "w")
    kept = frame[frame["w"] > 0]
    for _ in range(2):
        parts = list(WholeSequences(source))
        assert np.array_equal(np.concatenate([table["x"] for table, _, _ in parts]), kept["x"])
        assert np.array_equal(np.concatenate([w for _, _, w in parts]), kept["w"])
        assert np.array_equal(np.concatenate([lengths for _, lengths, _ in parts]), lengths_of(kept))


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("order", "column"), [(0, "c"), (1, "c"), (2, "k"), (1, "k")])
def test_chains_count_the_same(order, column, weight, frame, tmp_path):
    found = MarkovChain(order).fit(
        scan(folder_of(frame, tmp_path), [column], batch_rows=100), sequence="name", weight=weight
    )
    lengths = lengths_of(frame)
    w = None if weight is None else frame["w"].to_numpy()[np.cumsum(lengths) - lengths]
    theirs = MarkovChain(order).fit(frame[column].to_numpy(), lengths=lengths, sample_weight=w)
    assert found.symbols_.tolist() == theirs.symbols_.tolist()
    assert np.array_equal(found.counts_, theirs.counts_)
    assert np.array_equal(found.transition_, theirs.transition_)
    assert np.array_equal(found.merge(theirs).counts_, 2 * theirs.counts_)


def test_texts_are_sequences(tmp_path):
    words = ["anna", "otto", "hannah", "böb", "tree", "moon", "street", "zoo"]
    pd.DataFrame({"word": words}).to_csv(tmp_path / "1.csv", index=False)
    found = MarkovChain().fit(scan(tmp_path, batch_rows=3))
    assert np.array_equal(found.counts_, MarkovChain().fit(words).counts_)
    assert isinstance(found.sample(5, random_state=0), str)


MODELS = [
    (HiddenMarkov(Gaussian(), 3, random_state=0), ["x", "z"]),
    (HiddenMarkov(Gaussian("diag"), 2, random_state=0, topology="left-right"), ["x", "z"]),
    (HiddenMarkov(Product({"x": Gaussian(), "c": Categorical()}), 3, random_state=0), ["x", "c"]),
]


@pytest.mark.parametrize("weight", [None, "w"])
@pytest.mark.parametrize(("model", "columns"), MODELS, ids=lambda one: "" if isinstance(one, list) else repr(one))
def test_hidden_markov_models_find_the_same(model, columns, weight, frame, tmp_path):
    frame = frame if weight is None else frame[frame["w"] > 0]
    lengths = lengths_of(frame)
    source = scan(folder_of(frame, tmp_path), columns, batch_rows=100)
    found = model.set_params(tol=1e-9, max_iter=30).fit(source, sequence="name", weight=weight)
    mine = found.transition_.copy(), found.log_likelihoods_, found.predict(frame[columns], lengths=lengths)
    w = None if weight is None else frame["w"].to_numpy()[np.cumsum(lengths) - lengths]
    theirs = model.fit(frame[columns], lengths=lengths, sample_weight=w)
    assert_allclose(mine[0], theirs.transition_, atol=1e-8)
    assert_allclose(mine[1], theirs.log_likelihoods_, rtol=1e-10)
    assert np.array_equal(mine[2], theirs.predict(frame[columns], lengths=lengths))


def test_what_sequences_of_a_source_need(frame, tmp_path):
    source = scan(folder_of(frame, tmp_path), ["x"])
    with pytest.raises(ValueError, match="name the column that tells sequences apart"):
        HiddenMarkov().fit(source)
    with pytest.raises(ValueError, match="each cell of a source of sequences is a text"):
        MarkovChain().fit(source)
    with pytest.raises(ValueError, match="sequences of symbols are one column"):
        MarkovChain().fit(scan(tmp_path, ["c", "k"]), sequence="name")
    with pytest.raises(ValueError, match="give a number for a source"):
        MarkovChain("bic").fit(scan(tmp_path, ["c"]), sequence="name")
    with pytest.raises(TypeError, match="with a table give lengths"):
        MarkovChain().fit(["abc"], sequence="name")
    with pytest.raises(ValueError, match="fewer rows"):
        HiddenMarkov(n_components=9000).fit(source, sequence="name")
    missing = frame.assign(name=frame["name"].where(frame["x"] > 0))
    with pytest.raises(SourceError, match="some of its cells are missing"):
        HiddenMarkov().fit(scan([missing], ["x"]), sequence="name")


@pytest.mark.parametrize("model", [GaussianHMM(2), GMMHMM(2), CategoricalHMM(2)])
def test_classes_of_hmmlearn_say_which_model_takes_a_source(model):
    with pytest.raises(TypeError, match="use HiddenMarkov"):
        model.fit(scan(np.zeros((10, 1))))
