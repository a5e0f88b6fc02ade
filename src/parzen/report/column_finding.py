"""A sentence or two about a column, from its description alone."""

from typing import Any

from parzen.report.phrases import counted, figure, fraction, listed, share

#: A value that is so frequent is named.
FREQUENT = 0.05


def finding(one: dict[str, Any]) -> str:
    """What is worth knowing about a column: its quartiles, its most frequent value, what is missing or left out."""
    gap = f" {share(one['missing'], one['rows'])} of its values are missing." if one["missing"] else ""
    gap += (
        f" {counted(one['infinite'], 'value is', 'values are')} infinite and left out." if one.get("infinite") else ""
    )
    if "frequencies" in one:
        return _of_categories(one) + gap
    if "statistics" in one:
        return _of_numbers(one) + gap
    return _left_out(one) + ("" if one["kind"] == "empty" else gap)


def _left_out(one: dict[str, Any]) -> str:
    """Why a column is left out of the models."""
    distinct, known = one["distinct"], one["rows"] - one["missing"]
    if one["kind"] == "identifier":
        if distinct == known:
            return "Each of its values occurs once: an identifier of rows, which is left out of the models."
        many = f"It has {distinct:,} different values in {known:,} rows"
        return f"{many}, too many for categories, and is left out of the models."
    return {
        "empty": "It has no values, and is left out.",
        "extreme": "It has values beyond 1e100 and is left out; rescale it.",
        "constant": f"Its only value is “{one.get('value')}”; it is left out.",
        "text": "It holds free text, which is left out of the models; --text predicts classes from its words.",
    }.get(one["kind"], "It has no finite values and is left out.")


def _of_categories(one: dict[str, Any]) -> str:
    frequencies = one["frequencies"]
    most = frequencies[0]
    ties = sum(other["rows"] == most["rows"] and not other.get("rest") for other in frequencies)
    known = one["rows"] - one["missing"]
    if ties == one["distinct"]:
        return f"Its {ties} values are equally frequent."
    if ties > 1:
        first = listed([other["category"] for other in frequencies[:ties]], 3)
        return f"The most frequent of {one['distinct']} values are {first}, with {share(most['rows'], known)} each."
    return (
        f"The most frequent of {one['distinct']} values is “{most['category']}”, with {share(most['rows'], known)} of "
        "the known values."
    )


def _of_numbers(one: dict[str, Any]) -> str:
    if "dates" in one:
        low, middle, high = one["dates"]["quartiles"]
    else:
        low, middle, high = (figure(value) for value in one["statistics"]["quartiles"])
    text = f"The quartiles are {low}, {middle} and {high}."
    if "dates" in one:
        text += " Models use dates as numbers of days."
    most = one.get("most_frequent")
    if most is not None and most["frequency"]["value"] >= FREQUENT and most["as_frequent"] == 1:
        text += f" The most frequent value is {figure(most['value'])} ({fraction(most['frequency']['value'])})."
    return text + _modes(one.get("density", {}).get("modes"))


def _modes(found: dict[str, int] | None) -> str:
    """How many modes are clear; nothing where one is."""
    if found is None or found["clear"] == 1:
        return ""
    rest = "; smaller dips are within sampling error" if found["all"] > found["clear"] else ""
    return f" The estimate has {found['clear']} clear modes{rest}."
