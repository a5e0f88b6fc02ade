"""Classify generatively, see why, and compare with the discriminative counterpart: demo/classify.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris

from parzen import GaussianDiscriminant, GaussianNB, LogisticRegression, compare_learning

COLOURS = ["#0072B2", "#D55E00", "#009E73"]


def boundaries(axes):
    """Two species by two columns, one of them often missing: the boundary as mathematics."""
    data = load_iris()
    X, y = data.data[50:, 2:].copy(), data.target_names[data.target[50:]]
    X[np.random.default_rng(0).random(len(X)) < 0.2, 1] = np.nan
    grid_x, grid_y = np.meshgrid(np.linspace(2.8, 7.1, 200), np.linspace(0.8, 2.7, 200))
    grid = np.column_stack([grid_x.ravel(), grid_y.ravel()])
    for shared, style in ((False, "-"), (True, "--")):
        model = GaussianDiscriminant(shared=shared).fit(X, y)
        boundary = model.decision_boundary()
        name = "linear" if shared else "quadratic"
        print(f"{name}: {boundary}")
        axes.contour(grid_x, grid_y, boundary(grid).reshape(grid_x.shape), levels=[0], colors="black", linestyles=style)
        axes.plot([], [], style, color="black", label=f"{name} boundary")
        if not shared:
            proba = model.predict_proba(grid)[:, 1].reshape(grid_x.shape)
            axes.contourf(grid_x, grid_y, proba, levels=np.linspace(0, 1, 21), cmap="RdBu", alpha=0.35)
    for name, colour in zip(np.unique(y), (COLOURS[1], COLOURS[0]), strict=True):
        axes.plot(*X[y == name].T, "o", color=colour, markersize=4, label=name)
    axes.set(xlabel="petal length (cm)", ylabel="petal width (cm)", title="Where two species are equally likely")
    axes.legend(frameon=True, fontsize=8, loc="upper left")


def reasons(axes):
    """Why a tumour was called malignant: each column's part in the log-odds."""
    data = load_breast_cancer(as_frame=True)
    columns = ["mean radius", "mean texture", "mean smoothness", "mean symmetry", "mean concavity"]
    model = GaussianNB().fit(data.data[columns], data.target_names[data.target])
    explanation = model.explain(data.data[columns][14:15])
    print(f"\n{explanation}")
    explanation.plot(ax=axes)


def learning(axes, holds):
    """Generative against discriminative where columns are independent Gaussians given the class, and where not."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    X = rng.normal(size=(3000, 20)) + 0.3 * y[:, None]
    if not holds:
        X[:, 10:] = X[:, :1] + 0.5 * rng.normal(size=(3000, 10))
    found = compare_learning(
        GaussianNB(), LogisticRegression(C=np.inf), X, y, sizes=[20, 40, 80, 160, 320, 640, 1280, 2100],
        random_state=0, names=("naive Bayes", "logistic regression"),
    )  # fmt: skip
    found.plot(axes)
    what = "holds" if holds else "fails (columns depend on each other)"
    axes[0].set_ylabel(f"assumption {what}\n{axes[0].get_ylabel()}")
    at = found.crossing("error")
    better = f"is better from {at} rows on" if at else "is not better, however many rows"
    print(f"\nThe assumption {what}: logistic regression {better}.")


def main():
    figure, axes = plt.subplots(3, 2, figsize=(12, 13), layout="constrained")
    boundaries(axes[0, 0])
    reasons(axes[0, 1])
    learning(axes[1], holds=True)
    learning(axes[2], holds=False)
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    figure.savefig(folder / "classify.png", dpi=110)
    print(f"\nThe picture is in {folder / 'classify.png'}.")


if __name__ == "__main__":
    main()
