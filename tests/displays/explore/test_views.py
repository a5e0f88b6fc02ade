"""Each view's numbers are the library's: the lines of Python that it shows, executed, give what is drawn."""

import numpy as np
import pandas as pd
import pytest

import parzen
from parzen import conjugate
from parzen.displays.explore.data import KEPT, KEPT_ROWS, Data, encoded, plain
from parzen.displays.explore.jobs import quietly
from parzen.displays.explore.request import Request, RequestError
from parzen.displays.explore.views import VIEWS
from parzen.displays.explore.views.mixtures import ROWS

RNG = np.random.default_rng(1)
FLOWERS = pd.DataFrame(parzen.datasets.load_heart_disease(as_frame=True).data)[["age", "ldl", "sbp"]].astype(float)
FLOWERS["heads"] = RNG.integers(0, 2, len(FLOWERS)).astype(float)
FLOWERS["chd"] = np.where(parzen.datasets.load_heart_disease().target, "yes", "no")
FLOWERS.loc[[3, 70], "ldl"] = np.nan
DATA = Data.of_frame(FLOWERS, "chd", "heart")


def asked(view, data=DATA, **values):
    with quietly():
        return plain(VIEWS[view](data, Request(values)))


def ran(answer, table=FLOWERS):
    """The names after the lines of a view have been executed; `result` is the value of the last line."""
    *first, last = answer["python"].split("\n")
    names = {"table": table, **{name: getattr(conjugate, name) for name in ("Beta", "Gamma", "NormalMean")}}
    names.update({name: getattr(parzen, name) for name in parzen.__all__ if name != "explore"})
    exec("\n".join(first), names)
    try:
        names["result"] = eval(last, names)
    except SyntaxError:
        exec(last, names)
    return names


def cells(one):
    return np.array(one["cells"]) * one["unit"]


def mesh(axes):
    return np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)


@pytest.mark.parametrize("values", [
    {}, {"kernel": "epanechnikov", "rule": "isj"}, {"rule": "own", "bandwidth": 3.0, "low": 10.0, "adaptive": True},
])  # fmt: skip
def test_lines_of_a_density_give_the_curve(values):
    found = asked("densities", x="age", **values)
    model = ran(found)["result"]
    np.testing.assert_allclose(np.exp(model.density_.log_density(np.array(found["grid"])[:, None])[:, 0]),
                               found["density"], rtol=1e-12)  # fmt: skip
    assert found["leave_one_out"] == pytest.approx(model.leave_one_out().mean(), rel=1e-9)


def test_a_large_table_is_sampled_as_the_line_says(monkeypatch):
    monkeypatch.setattr("parzen.displays.explore.views.densities.ROWS", 100)
    found = asked("densities", Data.of_frame(FLOWERS), x="ldl")
    assert (found["used"], found["rows"]) == (100, len(FLOWERS) - 2)
    assert found["python"].endswith(".dropna().sample(100, random_state=0))")
    values = ran(found)["result"].score_samples(pd.DataFrame({"ldl": found["grid"]}))
    np.testing.assert_allclose(np.exp(values), found["density"], rtol=1e-9)


def test_contributions_add_up_to_the_density():
    data = Data("three", {"x": np.array([0.0, 1.0, 4.0])}, {})
    parts = [asked("densities", data, x="x", at=at)["contribution"] for at in (0.2, 0.9, 9.0)]
    assert [part["x"] for part in parts] == [0.0, 1.0, 4.0]
    found = asked("densities", data, x="x")
    np.testing.assert_allclose(np.sum([part["density"] for part in parts], axis=0), found["density"], rtol=1e-9)


@pytest.mark.parametrize("adaptive", [False, True])
def test_lines_of_a_density_of_two_columns_give_the_grid(adaptive):
    found = asked("densities", x="age", y="ldl", times=0.7, rule="scv", adaptive=adaptive)
    model, density = ran(found)["result"], cells(found["density"])
    wanted = np.exp(model.density_.log_density(mesh(found["axes"]))[:, 0]).reshape(density.shape)
    np.testing.assert_allclose(density, wanted, atol=found["density"]["unit"])
    if not adaptive:
        rule = parzen.KernelDensity(bandwidth="scv").fit(DATA.column("age", "ldl"))
        np.testing.assert_allclose(found["matrix"], 0.49 * rule.bandwidth_)
    levels = [one["level"] for one in found["levels"]]
    assert levels == sorted(levels, reverse=True)


@pytest.mark.parametrize("truth", ["claw", "bimodal", "skewed"])
def test_bias_and_variance_of_a_known_truth(truth):
    found = asked("densities", truth=truth, rule="own", bandwidth=0.3, n=50)
    exact = ran(found)["result"]
    assert (found["bias"], found["variance"]) == (exact.bias[0], exact.variance[0])
    simulated = np.mean(found["curves"], axis=0)
    spread = np.array(found["deviation"]) / np.sqrt(len(found["curves"]))
    assert np.mean(np.abs(simulated - found["mean"]) < 4 * spread + 1e-6) > 0.97


@pytest.mark.parametrize("values", [
    {"model": "coins", "typed": [1, 1, 0], "a": 2.0, "b": 3.0}, {"model": "coins", "x": "heads", "count": 30},
    {"model": "counts", "typed": [3, 0, 4], "shape": 2.5, "rate": 0.5}, {"model": "coins", "typed": []},
    {"model": "normal mean", "x": "ldl", "count": 7, "location": 4.0, "deviation": 1.0, "noise": 2.0},
    {"model": "normal mean", "typed": [1.5]},
])  # fmt: skip
def test_lines_of_a_belief_give_its_curves(values):
    found = asked("beliefs", **values)
    posterior = ran(found)["result"]
    np.testing.assert_allclose(posterior.density(np.array(found["grid"])), found["posterior"])
    outcomes = np.array(found["outcomes"])[:, None]
    np.testing.assert_allclose(np.exp(posterior.predictive().log_density(outcomes)[:, 0]), found["predictive"])
    assert found["estimates"]["Bayes (posterior mean)"] == pytest.approx(posterior.mean())
    if found["likelihood"] is not None:  # Bayes' rule, on the grid
        ratio = np.array(found["posterior"]) / (np.array(found["prior"]) * found["likelihood"])
        sure = np.array(found["likelihood"]) > 1e-9
        np.testing.assert_allclose(ratio[sure], ratio[sure][0], rtol=1e-6)


def test_data_that_are_no_coins_or_counts_get_a_sentence():
    for model, typed in (("coins", [2]), ("counts", [0.5]), ("counts", [-1])):
        with pytest.raises(RequestError, match=r"are .* type some"):
            asked("beliefs", model=model, typed=typed)


@pytest.mark.parametrize("shape", ["full", "tied", "diag", "spherical"])
@pytest.mark.parametrize("start", ["k-means", "random", "clicked"])
def test_em_stepped_to_the_end_equals_fit(shape, start):
    values = {"x": "age", "y": "sbp", "k": 3, "covariance": shape, "start": start, "centres": [[20.0, 120.0]]}
    found = asked("mixtures", step=201, **values)
    with quietly():
        names = ran(found)
    model, X = names["model"], names["X"]
    assert found["ended"] == "converged"
    assert model.n_iter_ == found["last"] // 2
    np.testing.assert_allclose([one["mean"] for one in found["components"]], model.means_, rtol=1e-9)
    np.testing.assert_allclose([one["weight"] for one in found["components"]], model.weights_, rtol=1e-9)
    assert found["heights"][-1] == pytest.approx(model.score(X), rel=1e-9)
    centres = np.array(found["start"])
    assert start != "clicked" or centres[0].tolist() == [20.0, 120.0]


def test_each_half_step_is_one_of_the_library():
    for step in (0, 1, 4, 5):
        found = asked("mixtures", x="age", y="sbp", k=2, step=step)
        names = ran(found)
        np.testing.assert_allclose(found["components"][1]["mean"], names["model"].means_[1], rtol=1e-12)
    np.testing.assert_allclose(found["responsibilities"], names["model"].e_step(np.array(found["points"])), atol=1e-12)
    touching, below = np.array(found["bounds"])[::2], np.array(found["bounds"])[1::2]
    np.testing.assert_allclose(touching, np.array(found["heights"])[::2], rtol=1e-12)
    assert (below <= np.array(found["heights"])[1::2]).all()
    assert (np.diff(found["bounds"]) >= -1e-12).all()
    hard = parzen.KMeans(2, init=np.array(found["start"]), n_init=1, max_iter=2)
    with quietly():
        hard.fit(DATA.column("age", "sbp"))
    np.testing.assert_allclose(found["kmeans"]["centres"], hard.cluster_centers_)


def test_a_singular_component_ends_em_with_a_sentence_and_a_prior_keeps_it():
    rng = np.random.default_rng(0)
    crowd = np.concatenate([rng.normal(0, 1, (60, 2)), np.tile([50.0, 50.0], (6, 1))])
    data = Data("crowd", {"a": crowd[:, 0], "b": crowd[:, 1]}, {})
    values = {"k": 2, "start": "clicked", "centres": [[0.0, 0.0], [50.0, 50.0]], "step": 201}
    died = asked("mixtures", data, floor=False, **values)
    assert died["ended"] == "collapsed"
    assert "singular" in died["sentence"]
    assert asked("mixtures", data, floor=False, prior=True, **values)["ended"] == "converged"
    assert asked("mixtures", data, **values)["ended"] == "converged"
    assert ROWS <= 5_000


@pytest.mark.parametrize("model", [
    "Gaussian, quadratic", "Gaussian, linear", "Gaussian, diagonal", "Gaussian, spherical", "kernel", "mixture",
    "naive Bayes",
])  # fmt: skip
def test_lines_of_classes_give_posteriors_and_errors(model):
    found = asked("classes", target="chd", x="age", y="ldl", model=model, priors=[3, 1], line=5.0)
    with quietly():
        names = ran(found)
        fitted, rows = names["model"], names["rows"]
        path = pd.DataFrame({"age": found["along"], "ldl": 5.0})
        np.testing.assert_allclose(fitted.predict_proba(path).T, found["posterior"], rtol=1e-6, atol=1e-9)
        assert (fitted.predict(rows[["age", "ldl"]].astype(float)) != rows["chd"]).sum() == found["errors"]
        grid = pd.DataFrame(mesh(found["axes"]), columns=["age", "ldl"])
        odds = fitted.predict_log_proba(grid)
    drawn = cells(found["odds"][0]).ravel()
    wanted = np.clip(odds[:, 0] - odds[:, 1], -12, 12)
    np.testing.assert_allclose(drawn, wanted, atol=found["odds"][0]["unit"])
    kinds = {"Gaussian, linear": "line", "Gaussian, spherical": "circle"}
    assert found["priors"] == [0.75, 0.25]
    assert model not in kinds or found["boundary"]["kind"] == kinds[model]
    assert (found["boundary"] is None) == (model in ("kernel", "mixture", "naive Bayes"))


def test_a_missing_column_is_marginalised():
    found = asked("classes", x="age", y="ldl", missing="y")
    alone = asked("classes", x="age", model="Gaussian, quadratic")
    rows = DATA.labelled(("age", "ldl"), "chd", 10**6)
    model = parzen.GaussianDiscriminant().fit(rows[0][:, :1], rows[1])
    np.testing.assert_allclose(np.array(found["posterior"]).T, model.predict_proba(np.array(found["along"])[:, None]),
                               rtol=1e-6, atol=1e-9)  # fmt: skip
    roots = alone["boundary"]["roots"]
    assert np.array(alone["joint"]).shape == (2, len(alone["along"]))
    for root in roots:
        one = parzen.GaussianDiscriminant().fit(*DATA.labelled(("age",), "chd", 10**6))
        assert one.predict_proba([[root]])[0] == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize("degree", [1, 2])
def test_logistic_regression_lies_over_it(degree):
    found = asked("classes", x="age", y="ldl", over=f"logistic, degree {degree}")
    rows, labels = DATA.labelled(("age", "ldl"), "chd", 10**6)
    model = parzen.LogisticRegression(degree=degree, standardise=True, max_iter=1000).fit(rows, labels)
    assert found["over"]["errors"] == (model.predict(rows) != labels).sum()
    assert found["over"]["boundary"]["words"].startswith("a straight line" if degree == 1 else "a")


def test_lines_of_a_decision_give_its_costs():
    loss = [[0, 5], [1, 0]]
    found = asked("decisions", target="chd", loss=loss, abstain=0.4, threshold=0.3, calibration="sigmoid")
    with quietly():
        names = ran(found)
        actions, X, y = names["result"], names["X"], names["y"]
        model, half = names["model"], len(X) // 2
        held, posterior = y[half:].to_numpy(), model.predict_proba(X[half:])
    decision = parzen.Decision(loss, classes=["no", "yes"], abstain=0.4)
    assert found["bayes"]["cost"] == pytest.approx(parzen.expected_cost(held, actions, decision))
    taken = np.where(posterior[:, 1] > 0.3, "yes", "no")
    plain_decision = parzen.Decision(loss, classes=["no", "yes"])
    assert found["curve"]["at"] == pytest.approx(parzen.expected_cost(held, taken, plain_decision))
    counts = [[((taken == a) & (held == k)).sum() for k in ("no", "yes")] for a in ("no", "yes")]
    assert found["curve"]["confusion"] == counts
    assert found["curve"]["bayes"] == pytest.approx(1 / 6)
    after = parzen.score_probabilities(held, posterior, ["no", "yes"], n_bins=10)
    assert found["reliability"]["after"]["log_loss"] == pytest.approx(after.mean_log_loss)
    assert found["curve"]["least"]["cost"] <= min(found["curve"]["cost"])


def test_lines_of_a_regression_give_curves_weights_and_outliers():
    values = {"x": "age", "y": "ldl", "at": 40.0, "fdr": 0.2, "bandwidth": 4.0}
    for kind in ("Nadaraya-Watson", "local lines"):
        found = asked("regression", weights=kind, **values)
        with quietly():
            names = ran(found)
            model, X, y = names["model"], names["X"], names["y"].to_numpy()
            at = pd.DataFrame({"age": [40.0]})
            assert model.weights(at)[0] @ y == pytest.approx(found["predicted"][kind])
            np.testing.assert_allclose(model.weights(at)[0], found["weights"], atol=1e-12)
            np.testing.assert_allclose(model.predict(pd.DataFrame({"age": found["grid"]})), found["curves"][kind])
        assert len(X) == found["used"]
    assert np.flatnonzero(names["outliers"]).tolist() == found["flagged"]
    at = pd.DataFrame({"age": np.full(len(found["across"]), 40.0)})
    np.testing.assert_allclose(names["density"].pdf(at, np.array(found["across"])), found["density"], rtol=1e-9)
    strip = cells(found["strip"])
    assert strip.shape == (len(found["across"]), len(found["along"]))


@pytest.mark.parametrize(("view", "values"), [
    ("mixtures", {"k": 9}), ("mixtures", {"centres": [[1]]}), ("mixtures", {"centres": "x"}),
    ("mixtures", {"step": -1}),
    ("classes", {"target": "age"}), ("classes", {"model": "svm"}), ("decisions", {"loss": [[0, 1]]}),
    ("decisions", {"loss": [[0, 1], [1]]}), ("decisions", {"abstain": -1}), ("regression", {"fdr": 0}),
    ("beliefs", {"typed": ["1"]}), ("beliefs", {"a": -1, "model": "coins"}), ("regression", {"bandwidth": 0}),
    ("densities", {"truth": "table", "n": 3}), ("densities", {"y": "chd"}),
])  # fmt: skip
def test_what_is_out_of_range_gets_a_sentence(view, values):
    with pytest.raises(RequestError, match=r"\.$"):
        asked(view, **values)


@pytest.mark.parametrize("view", ["mixtures", "classes", "decisions", "regression"])
def test_a_table_that_lacks_columns_gets_a_sentence(view):
    with pytest.raises(RequestError, match=r"\.$"):
        asked(view, Data("one", {"x": np.arange(50.0)}, {}))


def test_what_is_kept_of_many_questions_is_bounded():
    data = Data.of_frame(FLOWERS, "chd")
    for k in range(80):
        encoded(asked("densities", data, x="age", rule="own", bandwidth=1 + 0.01 * k))
        asked("beliefs", data, typed=[float(k)])
    held = [one for one in data._results if one[0] == "kde"]
    assert len(data._results) <= KEPT
    assert len(held) <= KEPT_ROWS
