"""Mixtures: the number of components by BIC, the lower bound of EM, noise: demo/mixtures.png."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np

from parzen import Gaussian, GaussianMixture, MixtureModel, Uniform


def geyser(rng):
    """Eruptions of a geyser, much like Old Faithful's: how long, and how long until the next."""
    long = rng.random(272) < 0.64
    minutes = np.where(long, rng.normal(4.3, 0.42, 272), rng.normal(2.04, 0.27, 272))
    wait = np.where(long, rng.normal(80, 6, 272) + 5 * (minutes - 4.3), rng.normal(54.5, 5.8, 272))
    X = np.column_stack([minutes, wait])
    X[rng.random(X.shape) < 0.05] = np.nan
    return X


def chosen(axes):
    """The number of components and their shape, chosen by BIC, with missing values in the table."""
    X = geyser(np.random.default_rng(0))
    model = GaussianMixture("auto", covariance_type="auto", random_state=0).fit(X)
    print(f"BIC keeps {model.n_components_} components, {model.covariance_type_}; the three best:")
    for one in model.selection_[:3]:
        print(f"  {one['covariance_type']:10} {one['n_components']}  {one['bic']:.1f}")
    model.plot_selection(axes[0])
    model.plot(X, ax=axes[1])
    axes[1].set(xlabel="eruption, minutes", ylabel="wait, minutes")
    given = model.conditional([0], [3.0])
    print(f"after an eruption of 3 minutes, expect {model.impute([[3.0, np.nan]])[0, 1]:.1f} minutes of waiting,")
    print(f"a mixture of {np.round(given.means_.ravel(), 1)} with weights {given.weights_.round(2)}")


def lower_bound(axes):
    """EM maximises a lower bound of the log-likelihood, which touches it at the current parameters."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(0, 1, 400), rng.normal(3.5, 1, 300)])[:, None]
    start = {"weights_init": [0.5, 0.5], "means_init": [[1.0], [2.0]], "precisions_init": [[0.5], [0.5]]}
    model = GaussianMixture(2, covariance_type="diag", trace=True, accelerate=False, tol=1e-5, max_iter=300, **start)
    model.fit(X)
    model.plot_trace(axes)


def noisy(axes):
    """Two clusters in noise: a uniform component takes the noise, which would widen their covariances."""
    rng = np.random.default_rng(2)
    X = np.concatenate(
        [rng.normal((0, 0), 0.4, (200, 2)), rng.normal((4, 1), 0.4, (200, 2)), rng.uniform(-6, 9, (80, 2))]
    )
    model = MixtureModel([Gaussian(), Gaussian(), Uniform()], random_state=0).fit(X)
    colours = np.array(["#0072B2", "#D55E00", "0.7"])
    axes.scatter(*X.T, s=6, c=colours[model.predict(X)])
    axes.set_title(f"Gaussian, Gaussian, Uniform: {(model.weights_[2]):.0%} is noise", fontsize=10)
    print(f"{model.weights_[2]:.3f} of the rows are noise; {80 / 480:.3f} were drawn as noise")


def main():
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    figure, axes = plt.subplots(2, 2, figsize=(11, 8.4), layout="constrained")
    chosen(axes[0])
    lower_bound(axes[1, 0])
    noisy(axes[1, 1])
    figure.savefig(folder / "mixtures.png", dpi=110)
    print(f"The picture is in {folder / 'mixtures.png'}.")


if __name__ == "__main__":
    main()
