"""The views, one module each: a function of the table and a question that gives plain numbers.

A new view is a module with a function `answer`, a line here, and a module of the same name in ``page/views``.
"""

from collections.abc import Callable
from typing import Any

from parzen.displays.explore.data import Data
from parzen.displays.explore.request import Request
from parzen.displays.explore.views import beliefs, classes, decisions, densities, mixtures, regression

#: The views in their order on the page.
VIEWS: dict[str, Callable[[Data, Request], dict[str, Any]]] = {
    "densities": densities.answer,
    "beliefs": beliefs.answer,
    "mixtures": mixtures.answer,
    "classes": classes.answer,
    "decisions": decisions.answer,
    "regression": regression.answer,
}
