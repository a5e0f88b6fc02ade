"""Scripts that complete commands and options in a shell, made from the parser; a shell runs no Python to use them."""

from argparse import Action, ArgumentParser, _SubParsersAction
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

#: Options whose value is a file.
FILES = ("--output", "--loss")


@dataclass(frozen=True)
class Option:
    """An option: its names, a line about it, whether a value follows, and the words or files that this may be."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    words: tuple[str, ...] = ()
    file: bool = False


@dataclass(frozen=True)
class Completed:
    """A command: a line about it, its options, and the words that its arguments may be (files where there are none)."""

    help: str
    options: tuple[Option, ...]
    words: tuple[str, ...] = ()


def described(parser: ArgumentParser, words: Mapping[str, tuple[str, ...]]) -> dict[str, Completed]:
    """The commands of a parser, with words that values of some options may be."""
    (subparsers,) = (one for one in parser._actions if isinstance(one, _SubParsersAction))
    helps = {one.dest: one.help or "" for one in subparsers._choices_actions}
    return {
        name: Completed(
            helps[name],
            tuple(_option(action, words) for action in one._actions if action.option_strings),
            tuple(word for action in one._actions if not action.option_strings for word in action.choices or ()),
        )
        for name, one in subparsers.choices.items()
    }


def _option(action: Action, words: Mapping[str, tuple[str, ...]]) -> Option:
    names = tuple(action.option_strings)
    known = next((words[name] for name in names if name in words), tuple(action.choices or ()))
    text = (action.help or "").replace("%%", "%")
    return Option(names, text, action.nargs != 0, known, any(name in FILES for name in names))


def bash(commands: Mapping[str, Completed]) -> str:
    """A script for bash: ``source <(parzen completion bash)``."""
    return "\n".join(
        [
            "# bash completion of parzen",
            "_parzen() {",
            '    local current="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" command="" word',
            '    for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
            f'        case "$word" in {"|".join(commands)}) command="$word"; break;; esac',
            "    done",
            '    case "$command $before" in',
            *_bash_values(commands),
            "    esac",
            '    case "$command" in',
            *(line for name, one in commands.items() for line in _bash_command(name, one)),
            f'        *) COMPREPLY=($(compgen -W "{" ".join(commands)} --help --version" -- "$current"));;',
            "    esac",
            "}",
            "complete -o default -F _parzen parzen",
            "",
        ]
    )


def _bash_values(commands: Mapping[str, Completed]) -> Iterator[str]:
    for command, one in commands.items():
        for option in one.options:
            if option.words:
                names = "|".join(f'"{command} {name}"' for name in option.names)
                words = " ".join(option.words)
                yield f'        {names}) COMPREPLY=($(compgen -W "{words}" -- "$current")); return;;'


def _bash_command(name: str, one: Completed) -> Iterator[str]:
    """Options after a hyphen, else the command's words; with nothing to reply, bash offers files (-o default)."""
    options = " ".join(word for option in one.options for word in option.names)
    yield f"        {name})"
    yield f'            if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "{options}" -- "$current"))'
    yield f'            else COMPREPLY=($(compgen -W "{" ".join(one.words)}" -- "$current")); fi;;'


def zsh(commands: Mapping[str, Completed]) -> str:
    """A script for zsh: a file ``_parzen`` in a folder of ``$fpath``, or ``source <(parzen completion zsh)``."""
    lines = ["#compdef parzen", "_parzen() {", "    local -a commands", "    commands=("]
    lines += [f"        {_single(f'{name}:{one.help}')}" for name, one in commands.items()]
    lines += ["    )", "    if (( CURRENT == 2 )); then _describe command commands; return; fi"]
    lines += ["    local command=$words[2]", "    shift words; (( CURRENT-- ))", "    case $command in"]
    for name, one in commands.items():
        arguments = [spec for option in one.options for spec in _zsh_option(option)]
        arguments.append(_single(f"*:argument:({' '.join(one.words)})" if one.words else "*:file:_files"))
        lines.append(f"        {name}) _arguments {' '.join(arguments)};;")
    return "\n".join([*lines, "    esac", "}", "compdef _parzen parzen", ""])


def _zsh_option(option: Option) -> Iterator[str]:
    text = option.help.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")
    for name in option.names:
        spec = f"{name}[{text}]"
        if option.takes_value:
            spec += ":value:" + (f"({' '.join(option.words)})" if option.words else "_files" if option.file else " ")
        yield _single(spec)


def fish(commands: Mapping[str, Completed]) -> str:
    """A script for fish: ``parzen completion fish > ~/.config/fish/completions/parzen.fish``."""
    lines = ["# fish completion of parzen"]
    for name, one in commands.items():
        lines.append(f"complete -c parzen -f -n __fish_use_subcommand -a {name} -d {_single(one.help)}")
        when = f"complete -c parzen -n '__fish_seen_subcommand_from {name}'"
        if one.words:
            lines.append(f"{when} -f -a {_single(' '.join(one.words))}")
        for option in one.options:
            names = " ".join(f"-l {word[2:]}" if word.startswith("--") else f"-s {word[1:]}" for word in option.names)
            value = " -r" if option.takes_value and option.file else " -x" if option.takes_value else ""
            value += f" -a {_single(' '.join(option.words))}" if option.words else ""
            lines.append(f"{when} {names}{value} -d {_single(option.help)}")
    return "\n".join([*lines, ""])


def _single(text: str) -> str:
    """A word in single quotes."""
    return "'" + text.replace("'", "'\\''") + "'"


SHELLS = {"bash": bash, "zsh": zsh, "fish": fish}
