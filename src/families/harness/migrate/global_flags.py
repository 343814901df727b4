"""Global flags are accepted before, between and after the words of a command."""

import sys

import click

from .ENTRY_MODULE import ENTRY_FUNCTION as group


def _options(command):
    """The options of a command by each of their names."""
    options = [parameter for parameter in command.params if isinstance(parameter, click.Option)]
    return {name: option for option in options for name in (*option.opts, *option.secondary_opts)}


def _values(option):
    """How many words follow the name of an option."""
    return 0 if option.is_flag or option.count else option.nargs


def in_order(arguments):
    """The same arguments, global flags first."""
    wanted = _options(group)
    command, options = group, {}
    first, rest = [], []
    words = list(arguments)
    while words:
        word = words.pop(0)
        if word == "--":
            rest += [word, *words]
            break
        name, has_value, _ = word.partition("=")
        # An option that the command has itself belongs to the command.
        if name in options:
            option, target = options[name], rest
        elif name in wanted:
            option, target = wanted[name], first
        else:
            rest.append(word)
            found = None
            if not word.startswith("-") and isinstance(command, click.Group):
                found = command.get_command(click.Context(command), word)
            if found is not None:
                command, options = found, _options(found)
            continue
        target.append(word)
        if not has_value:
            count = _values(option)
            target += words[:count]
            del words[:count]
    return first + rest


def main():
    """The entry point of the tool."""
    return group(args=in_order(sys.argv[1:]))
