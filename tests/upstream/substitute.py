"""python -m tests.upstream.substitute GROUP: upstream's own tests with our classes in place of theirs, as JSON.

The test modules run from the wheels in which they are installed. A class is replaced in its public module before the
tests are imported. Reported are the tests in which one of our classes was made, and how they ended: passed; passed but
for the words of an error or a warning of the right class (message); stopped at a private name of upstream that ours
does not have (private); or failed.
"""

import contextlib
import functools
import importlib
import json
import os
import re
import sys
from pathlib import Path

import pytest

import parzen

#: Upstream's public module, our classes, and upstream's test modules.
GROUPS = {
    "naive Bayes": (
        "sklearn.naive_bayes",
        ["GaussianNB", "MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB"],
        ["sklearn.tests.test_naive_bayes"],
    ),
    "discriminant analysis": (
        "sklearn.discriminant_analysis",
        ["LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis"],
        ["sklearn.tests.test_discriminant_analysis"],
    ),
    "KernelDensity": ("sklearn.neighbors", ["KernelDensity"], ["sklearn.neighbors.tests.test_kde"]),
    "mixtures": (
        "sklearn.mixture",
        ["GaussianMixture", "BayesianGaussianMixture"],
        [f"sklearn.mixture.tests.test_{name}" for name in ("gaussian_mixture", "bayesian_mixture", "mixture")],
    ),
    "KMeans": ("sklearn.cluster", ["KMeans", "MiniBatchKMeans"], ["sklearn.cluster.tests.test_k_means"]),
    "LogisticRegression": (
        "sklearn.linear_model",
        ["LogisticRegression", "LogisticRegressionCV"],
        ["sklearn.linear_model.tests.test_logistic"],
    ),
    "gaussian_kde": ("scipy.stats", ["gaussian_kde"], ["scipy.stats.tests.test_kdeoth"]),
    "hidden Markov models": (
        "hmmlearn.hmm",
        ["GaussianHMM", "CategoricalHMM", "PoissonHMM", "MultinomialHMM", "GMMHMM"],
        [
            f"hmmlearn.tests.{name}"
            for name in (
                "test_gaussian_hmm", "test_categorical_hmm", "test_poisson_hmm", "test_multinomial_hmm", "test_gmm_hmm",
                "test_gmm_hmm_new", "test_gmm_hmm_multisequence", "test_base",
            )
        ],
    ),
}  # fmt: skip


class Words:
    """`pytest.raises` and `pytest.warns` that ask for the class alone, and note where the words are others.

    A test goes on after words that differ, so that all of its other checks count.
    """

    def __init__(self):
        self.differ = False
        self.asked = {"raises": pytest.raises, "warns": pytest.warns}
        pytest.raises, pytest.warns = self.raises, self.warns

    def raises(self, expected, *args, match=None, **options):
        if match is None:
            return self.asked["raises"](expected, *args, **options)
        return self._of_class("raises", expected, match, lambda found: [found.value])

    def warns(self, expected=Warning, *args, match=None, **options):
        if match is None:
            return self.asked["warns"](expected, *args, **options)
        return self._of_class("warns", expected, match, lambda found: [one.message for one in found])

    @contextlib.contextmanager
    def _of_class(self, kind, expected, match, messages):
        with self.asked[kind](expected) as found:
            yield found
        self.differ |= not any(re.search(match, str(one)) for one in messages(found) if isinstance(one, expected))


class Substitution:
    """A pytest plugin: puts our classes in the place of upstream's, and notes which tests make one of them."""

    def __init__(self, module, names):
        self.module, self.made = importlib.import_module(module), False
        self.classes = {name: (getattr(self.module, name), getattr(parzen, name)) for name in names}
        self.outcomes, self.private, self.differ, self.touched = {}, set(), set(), set()
        self.words = Words()
        for _, ours in self.classes.values():
            ours.__init__ = self._noted(ours.__init__)

    def _noted(self, init):
        @functools.wraps(init)
        def __init__(this, *args, **options):
            self.made = True
            return init(this, *args, **options)

        return __init__

    def _put(self, namespace):
        for name, (theirs, ours) in self.classes.items():
            if getattr(namespace, name, None) is theirs:
                setattr(namespace, name, ours)

    def pytest_collectstart(self, collector):
        self._put(self.module)

    def pytest_itemcollected(self, item):
        self._put(item.module)
        values = list(getattr(getattr(item, "callspec", None), "params", {}).values())
        ours = tuple(one for _, one in self.classes.values())
        if any(isinstance(value, ours) or any(value is one for one in ours) for value in values):
            self.touched.add(item.nodeid)

    def pytest_runtest_logstart(self, nodeid, location):
        self.made = self.words.differ = False

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and _is_private(call.excinfo.value):
            self.private.add(item.nodeid)

    def pytest_runtest_logreport(self, report):
        if self.made:
            self.touched.add(report.nodeid)
        if self.words.differ:
            self.differ.add(report.nodeid)
        if report.when == "call" or report.outcome != "passed":
            good = hasattr(report, "wasxfail") or report.outcome == "passed"
            before = self.outcomes.get(report.nodeid)
            self.outcomes[report.nodeid] = before if before == "failed" else "passed" if good else report.outcome

    def result(self):
        """Names of the tests that touch our classes, by how they ended."""
        found = {"passed": [], "failed": [], "message": [], "private": []}
        for nodeid, outcome in self.outcomes.items():
            if nodeid not in self.touched or outcome == "skipped":
                continue
            if outcome == "passed":
                end = "message" if nodeid in self.differ else "passed"
            else:
                end = "private" if nodeid in self.private else "failed"
            found[end].append(nodeid.rpartition("/")[2])
        return found


def _is_private(error):
    """Whether an error says that a name with a leading underscore is not there."""
    said = re.search(r"(has no attribute|cannot import name) '_(?!_)", str(error))
    return isinstance(error, AttributeError | ImportError) and said is not None


def main(group: str) -> None:
    module, names, tests = GROUPS[group]
    plugin = Substitution(module, names)
    files = [importlib.util.find_spec(test).origin for test in tests]
    options = ["-q", "--no-header", "--tb=no", "--assert=plain", "-p", "no:cacheprovider", "-c", os.devnull]
    options += ["--rootdir", str(Path(files[0]).parent), "-W", "ignore"]
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        stdout, sys.stdout = sys.stdout, nowhere
        code = pytest.main([*options, *files], plugins=[plugin])
        sys.stdout = stdout
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        sys.exit(f"upstream's tests of {group} did not run: {code!r}")
    sys.stdout.write(json.dumps(plugin.result()))


if __name__ == "__main__":
    main(sys.argv[1])
