"""Evaluation, calibration and learning curves of a source are those of the same rows in memory."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.naive_bayes import GaussianNB as TheirGaussianNB

from parzen import (
    DecisionClassifier,
    Gaussian,
    GaussianNB,
    LogisticRegression,
    MiniBatchKMeans,
    SourceError,
    compare_learning,
    evaluate,
    fit,
    scan,
)
from tests.estimators.partitions import halves

N = 1500
METHODS = ["sigmoid", "isotonic", "temperature", "beta", "histogram", "venn_abers"]


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    y = rng.choice(["no", "perhaps", "yes"], N)
    at = pd.Series(y).map({"no": 0.0, "perhaps": 1.0, "yes": 2.0}).to_numpy()
    rows = rng.normal(size=(N, 2)) + at[:, None]
    return pd.DataFrame({"a": rows[:, 0], "b": rows[:, 1], "y": y, "w": rng.integers(0, 3, N).astype(float)})


@pytest.fixture(scope="module")
def source(frame):
    return scan([frame[:700], frame[700:]], batch_rows=400)


@pytest.fixture(scope="module")
def labelled(frame):
    return scan(frame, columns=["a", "b", "y"], batch_rows=400)


def together(batches):
    return np.concatenate(list(batches))


class TestEvaluate:
    def test_a_source_gives_the_log_densities_of_each_batch_as_often_as_asked(self, frame):
        rows = frame[["a", "b"]].to_numpy()
        density = fit(Gaussian(), rows).density
        found = evaluate(density, scan(frame, columns=["a", "b"], batch_rows=400))
        assert [len(batch) for batch in found] == [400, 400, 400, 300]
        for _ in range(2):
            assert_array_equal(together(found), evaluate(density, rows))

    def test_a_list_of_batches_may_bring_memberships(self, frame):
        rows = frame[["a", "b"]].to_numpy()
        density = fit(Gaussian(), rows).density
        found = evaluate(density, [rows[:10], (rows[10:30], np.ones(20))])
        assert_array_equal(together(found), evaluate(density, rows[:30]))

    def test_columns_of_text_and_too_few_of_them_are_errors(self, frame):
        density = fit(Gaussian(), frame[["a", "b"]].to_numpy()).density
        with pytest.raises(TypeError, match="evaluate reads numbers"):
            list(evaluate(density, scan(frame, columns=["a", "y"])))
        with pytest.raises(ValueError, match="must have shape"):
            list(evaluate(density, scan(frame, columns=["a"])))


class TestCalibration:
    @pytest.mark.parametrize("method", METHODS)
    def test_calibration_by_folds_is_that_of_the_rows_in_memory(self, frame, source, method):
        X = frame[["a", "b"]]
        model = DecisionClassifier(calibration=method, cv=3).fit(source, target="y", weight="w")
        same = DecisionClassifier(calibration=method, cv=3).fit(X, frame["y"], sample_weight=frame["w"])
        assert_allclose(together(model.predict_proba(source)), same.predict_proba(X), atol=1e-7)
        assert_allclose(model.class_prior_, same.class_prior_, rtol=1e-12)
        assert list(model.feature_names_in_) == ["a", "b"]

    @pytest.mark.parametrize("theirs", [False, True])
    def test_a_fitted_classifier_is_calibrated_by_one_pass(self, frame, labelled, theirs):
        X = frame[["a", "b"]]
        given = (TheirGaussianNB() if theirs else GaussianNB()).fit(X[:200], frame["y"][:200])
        model = DecisionClassifier(given, calibration="isotonic", cv="prefit").fit(labelled, target="y")
        same = DecisionClassifier(given, calibration="isotonic", cv="prefit").fit(X, frame["y"])
        assert_array_equal(together(model.predict_proba(labelled)), same.predict_proba(X))

    def test_decisions_of_a_source_are_those_of_its_rows(self, frame, labelled):
        X, loss = frame[["a", "b"]], [[0, 1, 5], [1, 0, 1], [9, 1, 0]]
        model = DecisionClassifier(loss=loss).fit(labelled, target="y")
        assert_array_equal(together(model.predict(labelled)), model.predict(X))
        assert_array_equal(together(model.risk(labelled)), model.risk(X))
        assert_array_equal(together(model.decide(labelled, loss, abstain=0.5)), model.decide(X, loss, abstain=0.5))

    def test_the_score_of_a_source_is_that_of_its_rows(self, frame, source):
        X, loss = frame[["a", "b"]], [[0, 1, 5], [1, 0, 1], [9, 1, 0]]
        model = DecisionClassifier(loss=loss).fit(source, target="y", weight="w")
        found = model.score(source.with_roles("y", "w"))
        assert_allclose(found, model.score(X, frame["y"], sample_weight=frame["w"]), rtol=1e-12)
        with pytest.raises(TypeError, match="holds labels and weights"):
            model.score(source.with_roles("y", "w"), frame["y"])

    def test_folds_need_a_classifier_that_takes_sources(self, labelled):
        with pytest.raises(TypeError, match="GaussianNB takes no source"):
            DecisionClassifier(TheirGaussianNB(), calibration="sigmoid").fit(labelled, target="y")

    def test_a_source_without_target_is_an_error(self, labelled):
        with pytest.raises(ValueError, match="target='y'"):
            DecisionClassifier().fit(labelled)

    def test_priors_that_are_estimated_from_rows_to_be_decided_need_a_table(self, labelled):
        model = DecisionClassifier(class_prior="estimate").fit(labelled, target="y")
        with pytest.raises(ValueError, match="batch by batch"):
            model.predict(labelled)

    def test_folds_that_name_a_row_twice_are_an_error(self, labelled):
        folds = [(np.r_[:700, :5], np.arange(700, N))]
        with pytest.raises(ValueError, match="twice"):
            DecisionClassifier(calibration="sigmoid", cv=folds).fit(labelled, target="y")

    def test_rows_that_vanish_between_passes_are_an_error(self, frame):
        calls = []

        def fewer():
            calls.append(1)
            return frame if len(calls) < 4 else frame[:1000]

        with pytest.raises(SourceError, match="rows now"):
            DecisionClassifier(calibration="sigmoid").fit(scan(fewer), target="y")


class TestCompareLearning:
    def test_learning_curves_of_a_source_are_those_of_its_rows(self, frame, labelled):
        models, options = (GaussianNB(), LogisticRegression()), {"sizes": [30, 600], "repeats": 2, "random_state": 0}
        found = compare_learning(*models, labelled, target="y", **options)
        same = compare_learning(*models, frame[["a", "b"]], frame["y"], **options)
        assert_array_equal(found.error, same.error)
        assert_allclose(found.log_loss, same.log_loss, rtol=1e-5)

    def test_training_rows_of_files_are_kept_and_read_alike(self, frame, labelled, tmp_path):
        frame[:500].astype({"y": "category"}).to_parquet(tmp_path / "a.parquet")
        frame[500:].astype({"y": "category"}).to_parquet(tmp_path / "b.parquet")
        files, options = scan(tmp_path, columns=["a", "b", "y"], batch_rows=400), {"sizes": [30, 600], "repeats": 2}
        found = compare_learning(GaussianNB(), GaussianNB(), files, target="y", random_state=0, **options)
        same = compare_learning(GaussianNB(), GaussianNB(), labelled, target="y", random_state=0, **options)
        assert_allclose(found.log_loss, same.log_loss, rtol=1e-10)
        model = DecisionClassifier(calibration="sigmoid").fit(files, target="y")
        model.predict(files, to=tmp_path / "found.parquet")
        assert_array_equal(pd.read_parquet(tmp_path / "found.parquet")["predicted"], model.predict(frame[["a", "b"]]))

    def test_many_training_rows_are_read_again_and_not_kept(self, frame, labelled, monkeypatch):
        options = {"sizes": [30, 600], "repeats": 2, "random_state": 0}
        kept = compare_learning(GaussianNB(), GaussianNB(), labelled, target="y", **options)
        monkeypatch.setattr("parzen.tables.sources.chosen.FEW", 10)
        read = compare_learning(GaussianNB(), GaussianNB(), labelled, target="y", **options)
        assert_allclose(read.log_loss, kept.log_loss, rtol=1e-10)

    def test_rows_of_an_array_have_their_target_by_position(self, frame):
        rows = np.column_stack([frame["a"], frame["y"] == "yes"])
        options = {"sizes": [20], "repeats": 1, "random_state": 0}
        found = compare_learning(GaussianNB(), GaussianNB(), scan(rows, batch_rows=300), target=1, **options)
        same = compare_learning(GaussianNB(), GaussianNB(), rows[:, :1], rows[:, 1], **options)
        assert_allclose(found.log_loss, same.log_loss, rtol=1e-10)

    def test_other_models_weights_and_labels_apart_are_errors(self, frame, source, labelled):
        with pytest.raises(TypeError, match="takes no source"):
            compare_learning(GaussianNB(), TheirGaussianNB(), labelled, target="y")
        with pytest.raises(ValueError, match="without weights"):
            compare_learning(GaussianNB(), GaussianNB(), source.with_roles("y", "w"))
        with pytest.raises(TypeError, match="in the place of y"):
            compare_learning(GaussianNB(), GaussianNB(), labelled, frame["y"])
        with pytest.raises(TypeError, match="labels of a table are y"):
            compare_learning(GaussianNB(), GaussianNB(), frame[["a", "b"]], target="y")


class TestClusters:
    """Rows on a cluster are told apart where they are; what needs their order here says what to use instead."""

    def test_what_needs_the_order_of_rows_says_what_to_use_instead(self, frame):
        X = frame[["a", "b"]]
        table, model = scan(halves(X, [600])), DecisionClassifier().fit(X, frame["y"])
        with pytest.raises(TypeError, match="no names for its columns"):
            model.risk(table)
        with pytest.raises(TypeError, match="predict gives a column"):
            model.score(table)
        with pytest.raises(TypeError, match="scan files of its rows"):
            MiniBatchKMeans(2).fit(table)
        with pytest.raises(TypeError, match="read the rows"):
            list(evaluate(fit(Gaussian(), X.to_numpy()).density, table))
        with pytest.raises(ValueError, match="is the probabilities"):
            DecisionClassifier(loss="log").fit(X, frame["y"]).predict(table)

    def test_decisions_are_a_column(self, frame):
        X, loss = frame[["a", "b"]], [[0, 1, 5], [1, 0, 1], [2, 1, 0]]
        model = DecisionClassifier(loss=loss, actions=["wait", "ask", "act"]).fit(X, frame["y"])
        found = np.concatenate([part[0] for part in model.predict(halves(frame, [600]))])
        assert_array_equal(found, model.predict(X))
        found = np.concatenate([part[2] for part in model.predict_proba(halves(frame, [600]))])
        assert_allclose(found, model.predict_proba(X)[:, 2], rtol=1e-10)
