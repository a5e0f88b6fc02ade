"""The commands, one file for each. A new command is a file with a `Command`, and a line in `COMMANDS`."""

from parzen.cli.commands import bandwidth, fit, inspect, merge, outliers, predict, report, sample, score

COMMANDS = (
    report.COMMAND,
    fit.COMMAND,
    predict.COMMAND,
    score.COMMAND,
    sample.COMMAND,
    outliers.COMMAND,
    bandwidth.COMMAND,
    inspect.COMMAND,
    merge.COMMAND,
)
