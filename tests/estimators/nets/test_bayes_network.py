"""BayesNetwork: questions, structures, tables with names and missing cells."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import parzen
from parzen import AODE, BayesClassifier, BayesNet, BayesNetwork, TreeAugmentedNB, scan
from parzen.datasets import load_house_votes
from parzen.tables.sources import survey
from tests.estimators.nets.equivalence import distance
from tests.libraries import polars as pl

GARDEN = BayesNetwork.from_parameters(
    "rain -> sprinkler, rain -> wet <- sprinkler",
    {
        "rain": [0.8, 0.2],
        "sprinkler": [[0.6, 0.4], [0.99, 0.01]],
        "wet": [[[1.0, 0.0], [0.1, 0.9]], [[0.2, 0.8], [0.01, 0.99]]],
    },
    states=["no", "yes"],
)


def test_the_sprinkler_explains_the_wet_grass_away():
    """The textbook's numbers: 0.3577 for rain given wet grass; the sprinkler takes the rest of the blame."""
    wet = GARDEN.query("rain", {"wet": "yes"})
    assert wet["yes"] == pytest.approx(0.35768767563227616)
    assert wet.evidence == pytest.approx(0.44838)
    assert GARDEN.query("rain", {"wet": "yes", "sprinkler": "yes"})["yes"] < wet["yes"] / 50


def test_seeing_is_not_doing():
    assert GARDEN.query("rain", {"sprinkler": "yes"})["yes"] == pytest.approx(0.002 / 0.322)
    assert GARDEN.query("rain", do={"sprinkler": "yes"})["yes"] == pytest.approx(0.2)
    wet = GARDEN.query("wet", do={"sprinkler": "yes"})
    assert wet["yes"] == pytest.approx(0.8 * 0.9 + 0.2 * 0.99)
    assert str(wet).endswith("(if the edges are causes: do(sprinkler = yes))")
    assert "causes" not in str(GARDEN.query("wet"))


def test_questions_about_several_columns():
    both = GARDEN.query(["wet", "rain"], {"sprinkler": "no"})
    assert both.probability.shape == (2, 2)
    assert both["yes", "yes"] == pytest.approx(0.8 * 0.2 * 0.99 / (0.8 * 0.6 + 0.2 * 0.99))
    assert sum(both.as_dict().values()) == pytest.approx(1)
    assert both.most_probable() == {"wet": "no", "rain": "no"}
    everything = GARDEN.query(["rain", "sprinkler", "wet"])
    assert everything.evidence == pytest.approx(1)
    assert everything["no", "yes", "yes"] == pytest.approx(0.8 * 0.4 * 0.9)
    assert GARDEN.probability({"rain": "no", "wet": "yes"}) == pytest.approx(0.8 * 0.4 * 0.9)
    assert GARDEN.most_probable({"wet": "yes"}) == {"rain": "no", "sprinkler": "yes", "wet": "yes"}


def test_the_graph_answers():
    assert GARDEN.d_separated("rain", "wet", ["sprinkler"]) is False
    assert GARDEN.markov_blanket("rain") == ["sprinkler", "wet"]
    assert (GARDEN.n_parameters_, GARDEN.n_joint_) == (7, 7)
    assert GARDEN.factorisation() == "p(rain, sprinkler, wet) = p(rain) p(sprinkler | rain) p(wet | rain, sprinkler)"
    assert r"\mid" in GARDEN.factorisation(mathematics=True)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: GARDEN.query("rain", {"rain": "yes"}), "asked for and given"),
        (lambda: GARDEN.query("rain", {"wet": "soaked"}), "'soaked' is no state of 'wet'"),
        (lambda: GARDEN.query("snow"), "no column 'snow'"),
        (lambda: GARDEN.query("rain", {"wet": "yes"}, do={"wet": "yes"}), "given and done"),
        (lambda: GARDEN.query("sprinkler", {"wet": "yes"}, do={"sprinkler": "no"}), "asked for and given"),
        (lambda: GARDEN.probability({"wet": "x"}), "no state"),
        (lambda: GARDEN.d_separated("rain", "rain"), "in common"),
        (lambda: BayesNetwork().fit(np.zeros((3, 2))), "give the graph"),
        (lambda: BayesNetwork("0 -> 1", structure="tan").fit(np.zeros((3, 2))), "one of the two"),
        (lambda: BayesNetwork.from_parameters("a -> b", {"a": [0.5, 0.5]}), "'b', which has no table"),
        (lambda: BayesNetwork.from_parameters("a -> b", {"a": [0.5, 0.5], "b": [0.5, 0.5]}), r"shape \(2, 2\)"),
        (lambda: BayesNetwork.from_parameters("", {"a": [0.5, 0.6]}), "sum to 1.1"),
        (lambda: BayesNetwork.from_parameters("", {"a": [1.5, -0.5]}), "got -0.5"),
        (lambda: BayesNetwork.from_parameters("", {"a": 0.5}), "must be probabilities"),
        (lambda: BayesNetwork.from_parameters("", {"a": ["x", "y"]}), "must be probabilities"),
        (lambda: BayesNetwork.from_parameters("", {}), "at least one column"),
        (lambda: BayesNetwork.from_parameters("", {"a": [0.5, 0.5]}, ["x", "x"]), "different from each other"),
        (lambda: BayesNetwork.from_parameters("", {"a": [0.5, 0.5]}, {"b": "xy"}), "'b', which has no table"),
        (lambda: GARDEN.query([]), "at least one column"),
        (lambda: GARDEN.query("rain", {"wet": np.array(["yes", "no"])}), "no state of 'wet'"),
    ],
)  # fmt: skip
def test_a_bad_question_gets_a_sentence(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


def test_marginals_and_conditionals_answer_as_the_whole_network_does():
    wet = GARDEN.marginal(["wet"])
    assert wet.query("wet").as_dict() == pytest.approx(GARDEN.query("wet").as_dict())
    assert wet.probability({"wet": "yes"}) == pytest.approx(GARDEN.probability({"wet": "yes"}))
    assert wet.most_probable() == {"wet": "no"}
    assert wet.n_joint_ == 1
    assert wet.edges_ == GARDEN.edges_
    assert wet.impute(pd.DataFrame({"wet": [None, "yes"]}))["wet"].tolist() == ["no", "yes"]
    dry = GARDEN.conditional("sprinkler", "no")
    told = GARDEN.query("rain", {"sprinkler": "no", "wet": "yes"})
    answer = dry.query("rain", {"wet": "yes"})
    assert answer.as_dict() == pytest.approx(told.as_dict())
    assert answer.evidence == pytest.approx(GARDEN.query("wet", {"sprinkler": "no"})["yes"])
    assert dry.probability({"wet": "yes"}) == pytest.approx(answer.evidence)
    rows = pd.DataFrame({"rain": [None], "wet": ["yes"]})
    np.testing.assert_allclose(dry.predict_proba(rows, "rain")[0], told.probability)
    assert set(dry.sample(20, 0, given={"wet": "yes"})["wet"]) == {"yes"}
    turned = GARDEN.marginal(["wet", "rain", "sprinkler"])
    assert turned.query("rain", {"wet": "yes"})["yes"] == pytest.approx(0.35768767563227616)
    with pytest.raises(ValueError, match="whole network"):
        wet.write_bif("nowhere.bif")


def test_what_is_given_blocks_paths_in_a_conditional():
    chain = BayesNetwork.from_parameters(
        "a -> b -> c", {"a": [0.8, 0.2], "b": [[0.6, 0.4], [0.9, 0.1]], "c": [[0.5, 0.5], [0.1, 0.9]]}
    )
    assert not chain.d_separated("a", "c")
    assert chain.conditional("b", 1).d_separated("a", "c")


def test_an_edge_that_is_given_twice_counts_once():
    tables = {"a": [0.8, 0.2], "b": [[0.6, 0.4], [0.9, 0.1]]}
    twice = BayesNetwork.from_parameters("a -> b, a -> b", tables)
    assert twice.query("b").as_dict() == BayesNetwork.from_parameters("a -> b", tables).query("b").as_dict()


def test_what_is_given_is_a_dict():
    with pytest.raises(TypeError, match="given must be a dict"):
        GARDEN.query("rain", given="wet")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tabu": -1}, "tabu must be a whole number"),
        ({"restarts": 1.5}, "restarts must be a whole number"),
        ({"max_parents": -1}, "max_parents must be a whole number"),
        ({"criterion": "bdeu", "equivalent_sample_size": 0.0}, "equivalent_sample_size must be above 0"),
        ({"criterion": "likelihood"}, "criterion must be one of"),
        ({"required": "a -> c, b -> c", "max_parents": 1}, "'c' has more required parents"),
    ],
)
def test_options_of_the_search_are_checked(options, said):
    table = pd.DataFrame({"a": list("xyxyxyxx"), "b": list("xyxyxyyy"), "c": list("ppqqpqpp")})
    with pytest.raises(ValueError, match=said):
        BayesNetwork(structure="hill-climb", **options).fit(table)


def test_edges_of_the_search_may_be_a_text():
    table = pd.DataFrame({"a": list("xyxyxyxx"), "b": list("xyxyxyyy"), "c": list("ppqqpqpp")})
    found = BayesNetwork(structure="hill-climb", required="c -> a", forbidden="a -> b").fit(table).edges_
    assert ("c", "a") in found
    assert ("a", "b") not in found


def test_evidence_of_probability_zero_raises_or_is_nan():
    impossible = {"rain": "no", "wet": "yes"}
    table = pd.DataFrame({"rain": ["no", "yes"], "sprinkler": ["no", "no"], "wet": ["yes", "yes"]})
    certain = BayesNetwork.from_parameters(
        "rain -> wet", {"rain": [0.5, 0.5], "sprinkler": [1.0, 0.0], "wet": [[1.0, 0.0], [0.0, 1.0]]}, ["no", "yes"]
    )
    with pytest.raises(ValueError, match="probability zero: rain = no, wet = yes"):
        certain.query("sprinkler", impossible)
    assert np.isnan(certain.query("sprinkler", impossible, impossible="nan").probability).all()
    with pytest.raises(ValueError, match="row 0 have probability zero"):
        certain.predict_proba(table[["rain", "sprinkler", "wet"]], "sprinkler")
    found = certain.predict_proba(table, "sprinkler", impossible="nan")
    np.testing.assert_array_equal(np.isnan(found), [[True, True], [False, False]])
    with pytest.raises(ValueError, match="probability zero"):
        certain.sample(3, given=impossible)
    with pytest.raises(ValueError, match="probability zero"):
        certain.most_probable(impossible)


@pytest.fixture(scope="module")
def weather():
    drawn = GARDEN.sample(4000, random_state=0)
    return pd.DataFrame(np.asarray(drawn), columns=["rain", "sprinkler", "wet"])


def test_parameters_are_found_again_also_from_rows_with_missing_cells(weather):
    model = BayesNetwork(GARDEN.edges_, estimate="ml").fit(weather)
    for mine, theirs in zip(model.density_.parameters, GARDEN.density_.parameters, strict=True):
        np.testing.assert_allclose(np.exp(mine), np.exp(theirs), atol=0.06)
    holed = weather.mask(np.random.default_rng(0).random(weather.shape) < 0.2)
    found = BayesNetwork(GARDEN.edges_).fit(holed)
    assert found.score(weather) > model.score(weather) - 0.01
    filled = found.impute(holed)
    assert isinstance(filled, pd.DataFrame)
    assert not filled.isna().any().any()
    assert (filled == weather).to_numpy().mean() > 0.9


def test_rows_are_answered_as_single_questions_are(weather):
    rows = weather[:5].copy()
    rows.loc[0, "sprinkler"] = None
    found = GARDEN.predict_proba(rows, "rain")
    for i, row in rows.iterrows():
        given = {name: row[name] for name in ("sprinkler", "wet") if pd.notna(row[name])}
        np.testing.assert_allclose(found[i], GARDEN.query("rain", given).probability, rtol=1e-12)
    assert list(GARDEN.predict(rows, "rain")) == [["no", "yes"][k] for k in found.argmax(axis=1)]


def test_polars_tables_batches_and_files(weather, tmp_path):
    model = BayesNetwork("rain -> wet").fit(pl.DataFrame(weather.to_dict("list")))
    assert isinstance(model.sample(3, random_state=0), pl.DataFrame)
    first = BayesNetwork("rain -> wet").fit(weather[:1000])
    first.partial_fit(weather[1000:])
    np.testing.assert_allclose(first.score_samples(weather), model.score_samples(pl.DataFrame(weather.to_dict("list"))))
    model.save(tmp_path / "net.parzen")
    again = parzen.load(tmp_path / "net.parzen")
    assert again.query("rain", {"wet": "yes"}).as_dict() == model.query("rain", {"wet": "yes"}).as_dict()


def test_structures_are_learnt_with_what_is_required_and_forbidden(weather):
    found = BayesNetwork(structure="hill-climb").fit(weather)
    assert {frozenset(edge) for edge in found.edges_} == {frozenset(edge) for edge in GARDEN.edges_}
    ordered = BayesNetwork(structure="hill-climb", order=["wet", "rain", "sprinkler"]).fit(weather)
    place = {"wet": 0, "rain": 1, "sprinkler": 2}
    assert all(place[a] < place[b] for a, b in ordered.edges_)
    without = BayesNetwork(
        structure="hill-climb", forbidden=[("rain", "wet"), ("wet", "rain")], required=[("sprinkler", "rain")]
    ).fit(weather)
    assert ("sprinkler", "rain") in without.edges_
    assert not {("rain", "wet"), ("wet", "rain")} & set(without.edges_)
    few = BayesNetwork(structure="hill-climb", max_parents=1).fit(weather)
    assert max(map(len, few.density_.parents)) == 1
    with pytest.raises(ValueError, match="required, but is not allowed"):
        BayesNetwork(structure="hill-climb", required=[("rain", "wet")], forbidden=[("rain", "wet")]).fit(weather)


def test_trees_are_learnt(weather):
    tree = BayesNetwork(structure="chow-liu", root="rain").fit(weather)
    assert len(tree.edges_) == 2
    assert tree.density_.parents[0] == ()
    tan = BayesNetwork(structure="tan", root="wet").fit(weather)
    assert {("wet", "rain"), ("wet", "sprinkler")} < set(tan.edges_)
    assert len(tan.edges_) == 3
    with pytest.raises(ValueError, match="needs root="):
        BayesNetwork(structure="tan").fit(weather)


def test_numbers_and_categories_in_one_net():
    rng = np.random.default_rng(0)
    kind = rng.integers(0, 2, 2000)
    size = np.where(kind, 5.0, 1.0) + rng.normal(size=2000)
    weight = 2.0 * size + 0.1 * rng.normal(size=2000)
    table = pd.DataFrame({"kind": np.array(["cat", "dog"])[kind], "size": size, "weight": weight})
    net = BayesNetwork(structure="hill-climb").fit(table)
    assert frozenset(("size", "weight")) in {frozenset(edge) for edge in net.edges_}
    assert net.query("kind", {"weight": 11.0})["dog"] > 0.99
    part = table.drop(columns="size").assign(size=np.nan)[["kind", "size", "weight"]]
    np.testing.assert_allclose(net.predict(part, "size"), size, atol=0.3)
    with pytest.raises(ValueError, match="holds numbers"):
        net.query("size")


def test_a_frame_without_the_target_is_predicted_as_one_where_it_is_missing():
    rows = pd.DataFrame({"a": list("xxyyx"), "b": list("uuvvv"), "c": [0.5, 1.0, 2.5, 3.0, 2.0]})
    net = BayesNetwork("a -> b, a -> c", numbers=["c"]).fit(rows)
    for target in ("a", "b"):
        gone = rows.assign(**{target: None})
        without = rows.drop(columns=target)
        np.testing.assert_array_equal(net.predict_proba(without, target), net.predict_proba(gone, target))
        assert net.predict(without, target).tolist() == net.predict(gone, target).tolist()
    np.testing.assert_allclose(net.predict(rows[["a", "b"]], "c"), net.predict(rows.assign(c=np.nan), "c"))
    with pytest.raises(ValueError, match="feature names"):
        net.predict_proba(rows[["c"]], "a")


@pytest.mark.parametrize("nothing", [None, np.nan])
def test_a_column_without_a_known_cell_says_nothing(nothing):
    rows = pd.DataFrame({"a": list("xyxyxx"), "b": list("uvuvvu")})
    y, wider = [0, 1, 0, 1, 1, 0], rows.assign(c=nothing)
    for model in (parzen.AODE(), parzen.TreeAugmentedNB()):
        found = model.fit(wider, y).predict_proba(wider)
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.argmax(axis=1), y)
    net, plain = BayesNetwork("a -> b, a -> c").fit(wider), BayesNetwork("a -> b").fit(rows)
    np.testing.assert_allclose(net.score_samples(wider), plain.score_samples(rows), rtol=1e-12)
    assert net.sample(3, random_state=0)["c"].isna().all()


@pytest.mark.parametrize("gone", [0.0, 0.2])
def test_a_source_gives_the_answer_of_the_same_rows_in_memory(weather, gone, rng):
    table = weather.sample(900, random_state=0)
    table = table.mask(rng.random(table.shape) < gone, None)
    source = scan([table.iloc[:300], table.iloc[300:700], table.iloc[700:]])
    edges = "rain -> sprinkler, rain -> wet <- sprinkler"
    read, known = BayesNetwork(edges).fit(source), BayesNetwork(edges).fit(table)
    assert read.n_iter_ == known.n_iter_
    for one, other in zip(read.density_.parameters, known.density_.parameters, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize(
    "options", [{"structure": "chow-liu"}, {"structure": "tan", "root": "rain"}, {"structure": "hill-climb"}]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_a_structure_is_learnt_from_a_source_as_from_the_same_rows_in_memory(weather, options, weighted, rng):
    table = weather.sample(900, random_state=0).assign(length=rng.normal(size=900))
    table["length"] += table["wet"] == "yes"
    table.loc[::7, "wet"] = None
    w = rng.uniform(0.5, 2.0, 900) if weighted else None
    whole = table if w is None else table.assign(w=w)
    source = scan([whole.iloc[:300], whole.iloc[300:700], whole.iloc[700:]])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="the structure is learnt from")
        read = BayesNetwork(**options).fit(source, weight="w" if weighted else None)
        known = BayesNetwork(**options).fit(table, sample_weight=w)
    assert read.edges_ == known.edges_ != []
    np.testing.assert_allclose(read.score_samples(table), known.score_samples(table), rtol=1e-9)


def test_questions_about_a_source_are_answered_batch_by_batch(weather, tmp_path):
    table = weather.sample(90, random_state=0).assign(rain=None)
    source = scan([table.iloc[:50], table.iloc[50:]])
    shares = GARDEN.predict_proba(table, "rain")
    np.testing.assert_array_equal(np.concatenate(list(GARDEN.predict_proba(source, "rain"))), shares)
    written = pd.read_parquet(GARDEN.predict_proba(source, "rain", to=tmp_path / "rain.parquet"))
    states = GARDEN.query("rain").states[0]
    assert written.columns.tolist() == [f"p({state})" for state in states]
    np.testing.assert_array_equal(written, shares)
    assert np.concatenate(list(GARDEN.predict(source, "rain"))).tolist() == GARDEN.predict(table, "rain").tolist()
    others = scan([table.drop(columns="rain")])
    np.testing.assert_array_equal(next(iter(GARDEN.predict_proba(others, "rain"))), shares)
    pd.testing.assert_frame_equal(
        pd.read_parquet(GARDEN.impute(source, to=tmp_path / "whole.parquet")).astype(object),
        GARDEN.impute(table).reset_index(drop=True).astype(object),
    )


def test_the_tree_of_a_classifier_is_that_of_all_rows_of_a_source(monkeypatch):
    X, y = load_house_votes(return_X_y=True, as_frame=True)
    table = X.assign(party=np.asarray(y))
    monkeypatch.setattr(survey, "SAMPLE", 20)  # rows that are kept for choices which no sum can make
    read = TreeAugmentedNB().fit(scan([table.iloc[:200], table.iloc[200:]]), target="party")
    assert read.edges_ == TreeAugmentedNB().fit(X, y).edges_


def test_tables_of_categories_take_a_byte_a_cell(weather):
    table = weather.sample(300, random_state=0)
    table.loc[::5, "wet"] = None
    net = BayesNetwork(GARDEN.edges_).fit(table)
    found = net._cells(table)
    assert found.dtype == np.int8
    np.testing.assert_array_equal(np.where(found < 0, np.nan, found), net.schema_.encode(table))
    new = table.assign(wet="flooded")  # a state that was not there while learning: not known
    np.testing.assert_allclose(net.score_samples(new), net.score_samples(table.assign(wet=None)), rtol=1e-12)
    np.testing.assert_allclose(net.predict_proba(new, "rain"), net.predict_proba(table.assign(wet=None), "rain"))
    with pytest.raises(ValueError, match="'flooded', which is none of its 2 categories"):
        net.partial_fit(new)


def test_a_chain_of_thousands_of_columns_is_learnt_and_asked():
    n = 1500
    edges = [(f"x{j}", f"x{j + 1}") for j in range(n - 1)]
    tables = {f"x{j}": [[0.9, 0.1], [0.2, 0.8]] for j in range(1, n)}
    net = BayesNetwork.from_parameters(edges, {"x0": [0.5, 0.5], **tables})
    assert net.query(f"x{n - 1}", {"x0": 1})[0] == pytest.approx(2 / 3)
    assert net.n_parameters_ == 2 * n - 1
    learnt = BayesNetwork(edges).fit(net.sample(20, random_state=0))
    assert len(learnt.edges_) == n - 1


@pytest.mark.parametrize("model", [TreeAugmentedNB(), AODE(), BayesClassifier(BayesNet("crime -> immigration"))])
def test_classifiers_over_nets_learn_from_a_source_with_missing_cells(model):
    X, y = load_house_votes(return_X_y=True, as_frame=True)
    table = X.assign(party=np.asarray(y))
    read = clone(model).fit(scan([table.iloc[:200], table.iloc[200:]]), target="party")
    np.testing.assert_allclose(read.predict_proba(X), clone(model).fit(X, y).predict_proba(X), rtol=1e-9)


def test_chains_and_forks_are_equivalent_and_edges_that_meet_are_not():
    assert distance([("a", "b"), ("b", "c")], [("b", "a"), ("b", "c")]) == 0
    assert distance([("a", "b"), ("b", "c")], [("a", "b"), ("c", "b")]) == 2
    assert distance([("a", "b")], []) == 1


@pytest.mark.parametrize("structure", ["chow-liu", "hill-climb"])
@pytest.mark.parametrize("dtype", [np.uint8, np.int32, np.int64, np.float32])
def test_whole_numbers_of_any_type_are_the_same_numbers(structure, dtype, rng):
    X = rng.integers(0, 4, (200, 5))
    X[:, 1] = X[:, 0] + rng.integers(0, 2, 200)
    mine = BayesNetwork(structure=structure).fit(X.astype(dtype))
    expected = BayesNetwork(structure=structure).fit(X.astype(np.float64))
    assert mine.edges_ == expected.edges_
    np.testing.assert_allclose(mine.score_samples(X.astype(dtype)), expected.score_samples(X), rtol=1e-12)
