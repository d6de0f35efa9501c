"""`calipers completion`: a script that completes commands and options in a shell."""

from __future__ import annotations

import click

from calipers.cli.streams import write_result

SHELLS = ("bash", "zsh", "fish")
VARIABLE = "_CALIPERS_COMPLETE"


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
def command(shell: str) -> None:
    """Print a script that completes commands and options of calipers in SHELL.

    \b
    bash: calipers completion bash > ~/.local/share/bash-completion/completions/calipers
    zsh:  calipers completion zsh > "${fpath[1]}/_calipers"
    fish: calipers completion fish > ~/.config/fish/completions/calipers.fish
    """
    from click.shell_completion import get_completion_class

    from calipers.cli.main import calipers

    kind = get_completion_class(shell)
    if kind is None:
        raise click.UsageError(f"completion: found {shell!r}, expected one of {', '.join(SHELLS)}")
    write_result(kind(calipers, {}, "calipers", VARIABLE).source())
