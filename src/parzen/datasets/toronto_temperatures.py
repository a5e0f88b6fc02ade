"""Daily temperatures in Toronto."""

from sklearn.utils import Bunch

from parzen.datasets.table import features, pandas, read_columns

DESCR = """\
Daily temperatures in Toronto, 2014 to 2018
===========================================

Mean, minimum and maximum temperature in degrees Celsius and precipitation in mm of 1,825 days at the station Toronto
City (climate identifier 6158355). 12 August 2014 is absent.

Samples: 1,825. Features: 4 numbers. Missing values: mean 50, min 24, max 41, precipitation 109. No target.

Source: Environment and Climate Change Canada, Historical Climate Data, https://climate.weather.gc.ca. Contains
information licensed under the Open Government Licence - Canada. Changes: four columns and their dates are kept.
"""


def load_toronto_temperatures(*, as_frame: bool = False) -> Bunch:
    """Load five years of daily temperatures and precipitation in Toronto.

    1,825 days, 4 features, all of them numbers, with missing values; there is no target.

    Parameters
    ----------
    as_frame : bool
        Return pandas tables, with the dates as their index, instead of arrays.

    Returns
    -------
    Bunch
        `data` of shape (1825, 4), NaN where missing: mean, minimum and maximum temperature, precipitation; `date` of
        shape (1825,), of type ``datetime64[D]``; `target`, None; `feature_names`; `frame`, the pandas table (None
        without `as_frame`); `DESCR`, the description with source and licence; `filename`.

    Examples
    --------
    >>> import numpy as np
    >>> from parzen.datasets import load_toronto_temperatures
    >>> days = load_toronto_temperatures()
    >>> july = days.date.astype("datetime64[M]").astype(int) % 12 == 6
    >>> np.nanmean(days.data[july], axis=0).round(1)
    array([22.3, 17.6, 27. ,  1.7])
    """
    file = "toronto_daily_2014_2018.csv.gz"
    columns = read_columns(file)
    date = columns.pop("date").astype("datetime64[D]")
    bunch = features(file, DESCR, columns, as_frame=as_frame)
    if as_frame:
        bunch.data = bunch.frame = bunch.data.set_index(pandas().DatetimeIndex(date, name="date"))
    bunch.date = date
    return bunch
