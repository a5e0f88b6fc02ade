"""python -m tests.upstream.substitute GROUP: upstream's own tests with our classes in place of theirs, as JSON.

The test modules run from the wheels in which they are installed. A class is replaced in its public module before the
tests are imported. Reported are the tests in which one of our classes was made, and how they ended.
"""

import ast
import functools
import importlib
import inspect
import json
import os
import sys
import textwrap
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
    "KMeans": ("sklearn.cluster", ["KMeans"], ["sklearn.cluster.tests.test_k_means"]),
    "LogisticRegression": (
        "sklearn.linear_model",
        ["LogisticRegression"],
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


class Substitution:
    """A pytest plugin: puts our classes in the place of upstream's, and notes which tests make one of them."""

    def __init__(self, module, names):
        self.module, self.made = importlib.import_module(module), False
        self.classes = {name: (getattr(self.module, name), getattr(parzen, name)) for name in names}
        self.outcomes, self.reasons, self.touched, self.items = {}, {}, set(), {}
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
        self.items[item.nodeid] = item
        values = list(getattr(getattr(item, "callspec", None), "params", {}).values())
        ours = tuple(one for _, one in self.classes.values())
        if any(isinstance(value, ours) or any(value is one for one in ours) for value in values):
            self.touched.add(item.nodeid)

    def pytest_runtest_logstart(self, nodeid, location):
        self.made = False

    def pytest_runtest_makereport(self, item, call):
        if call.excinfo is not None and call.excinfo.typename not in ("Skipped", "XFailed"):
            text = str(call.excinfo.value)
            words = "Regex pattern did not match" in text or "Pattern:" in text
            words = words or ("DID NOT WARN" in text and "Emitted warnings: []" not in text)
            self.reasons.setdefault(item.nodeid, "message" if words else call.excinfo.typename)

    def pytest_runtest_logreport(self, report):
        if self.made:
            self.touched.add(report.nodeid)
        if report.when == "call" or report.outcome != "passed":
            good = hasattr(report, "wasxfail") or report.outcome == "passed"
            before = self.outcomes.get(report.nodeid)
            self.outcomes[report.nodeid] = before if before == "failed" else "passed" if good else report.outcome

    def result(self):
        """Tests that touch our classes: passed, failed, failed, by words alone, by private names."""
        found = {"passed": [], "failed": [], "message": [], "private": []}
        for nodeid, outcome in self.outcomes.items():
            name = nodeid.rpartition("/")[2]
            if nodeid not in self.touched or outcome == "skipped":
                continue
            if outcome == "passed":
                found["passed"].append(name)
            elif self.reasons.get(nodeid) == "message":
                found["message"].append(name)
            else:
                found["private" if self._private(nodeid) else "failed"].append(name)
        return found

    def _private(self, nodeid):
        """Whether a test uses private names: attributes, or functions of upstream."""
        function = inspect.unwrap(self.items[nodeid].function)
        top = self.module.__name__.partition(".")[0]
        for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
            if isinstance(node, ast.Attribute) and node.attr.startswith("_") and not node.attr.startswith("__"):
                return True
            if isinstance(node, ast.Name) and node.id.startswith("_") and node.id.strip("_"):
                home = getattr(function.__globals__.get(node.id), "__module__", "") or ""
                if home.partition(".")[0] == top and ".tests." not in home and not home.endswith("_testing"):
                    return True
        return False


def main(group: str) -> None:
    module, names, tests = GROUPS[group]
    plugin = Substitution(module, names)
    files = [importlib.util.find_spec(test).origin for test in tests]
    options = ["-q", "--no-header", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist", "-c", os.devnull]
    options += ["--rootdir", str(Path(files[0]).parent), "-W", "ignore"]
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123
        stdout, sys.stdout = sys.stdout, nowhere
        pytest.main([*options, *files], plugins=[plugin])
        sys.stdout = stdout
    sys.stdout.write(json.dumps(plugin.result()))


if __name__ == "__main__":
    main(sys.argv[1])
