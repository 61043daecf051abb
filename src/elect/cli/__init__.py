"""The command line: parse, call, print.

Heavy packages are imported only by the commands that need them, so that help and error messages
appear at once.
"""

import os
import sys
from collections.abc import Sequence
from typing import Annotated, NoReturn

import typer

from elect.cli import (
    auditing,
    ballots,
    catalogue,
    cultures,
    demo,
    designing,
    evaluating,
    reproducing,
    serving,
    simulating,
    spreading,
    training,
)
from elect.errors import ElectError
from elect.limits import using

app = typer.Typer(
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
data = typer.Typer(no_args_is_help=True, help="Real elections from PrefLib, by name.")


def _examples(*commands: str) -> str:
    # Without a blank line in between, Typer would join the examples into one paragraph.
    return "\n\n".join(["[bold]Examples[/bold]", *(f"  [cyan]{line}[/cyan]" for line in commands)])


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"elect {version('elect')}")
        raise typer.Exit


@app.callback(epilog=_examples("elect demo", "elect winner ballots.csv", "elect rules"))
def elect(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Exact and learned voting rules: who wins, why, and how good any rule can be."""


app.command(epilog=_examples("elect demo", "elect demo --quick"))(demo.demo)
app.command(
    epilog=_examples(
        "elect winner ballots.csv",
        "elect winner ballots.soc --rule borda --rule instant-runoff",
        "elect winner ballots.soc --rule copeland:tie=0 --rule scoring:vector=3/1/0 --json",
        "elect winner ballots.csv --rule my-rule --rule kemeny",
    )
)(ballots.winner)
app.command(
    epilog=_examples(
        "elect rank ballots.csv --rule borda", "elect rank ballots.csv --rule kemeny --json"
    )
)(ballots.rank)
app.command(
    epilog=_examples(
        "elect ceiling --welfare utilitarian --culture uniform",
        "elect ceiling --welfare egalitarian:lam=0.3 --culture polarized --voters 50 "
        "--candidates 3-9",
    )
)(cultures.ceiling)
app.command(
    epilog=_examples(
        "elect sample --culture impartial --voters 99 --candidates 5 --out ballots.soc",
        "elect sample --culture mallows:phi=0.8 --voters 40 --candidates 6 --out ballots.csv",
    )
)(cultures.sample)
app.command(
    cls=spreading.Spreading,
    epilog=_examples(
        "elect train --rule copeland --out my-rule",
        "elect train --rule borda maximin --minutes 2 --out two-rules",
        "elect train --welfare egalitarian --culture uniform --out fair",
        "elect train --rule copeland --network deepsets --size small --neutral --out small",
        "elect train --resume --out my-rule",
    ),
)(training.train)
app.command(
    cls=spreading.Spreading,
    epilog=_examples(
        "elect evaluate my-rule",
        "elect evaluate my-rule --voters 100-149 --elections 2000",
        "elect evaluate my-rule --culture mallows:phi=0.8 --json",
        "elect evaluate my-rule --data ballots.soc",
        "elect evaluate borda --target kemeny --candidates 3-6",
    ),
)(evaluating.evaluate)
app.command(
    cls=spreading.SpreadingSizes,
    epilog=_examples(
        "elect simulate --rule plurality borda black --candidates 3 5 7",
        "elect simulate --rule borda kemeny --culture uniform mallows:phi=0.8 --voters 2-99",
        "elect simulate --rule borda copeland --elections 2000 --json",
    ),
)(simulating.simulate)
app.command(
    epilog=_examples(
        "elect audit instant-runoff --out irv-audit",
        "elect audit my-rule --voters 2-50 --candidates 3-8",
        "elect audit borda --axiom majority --axiom condorcet-winner --json",
        "elect audit kemeny --data ballots.soc",
        "elect audit my_rules.py:my_rule",
    )
)(auditing.audit)
app.command(
    epilog=_examples(
        "elect design --welfare egalitarian --culture uniform --candidates 3-6 --out our-rule",
        "elect design --welfare nash --data ballots.soc --minutes 2 --out our-rule",
        "elect design --welfare utilitarian --data ratings.csv --minutes 0 --out our-rule",
        "elect design --welfare fair.py:fairness --culture polarized --out our-rule",
    )
)(designing.design)
app.command(
    epilog=_examples(
        "elect reproduce",
        "elect reproduce table-1 figure-2 --out report",
        "elect reproduce all --budget hours --out report",
        "elect reproduce all --budget paper --out /shared/report --ray auto",
    )
)(reproducing.reproduce)
app.command(
    epilog=_examples(
        "elect serve",
        "elect serve --port 8080 --no-browser",
        "elect serve --rule my-rule --limit candidates=40 --limit seconds=5",
        "elect serve --host 0.0.0.0 --allow-host votes.example.org",
    )
)(serving.serve)
app.command(epilog=_examples("elect rules", "elect rules --json"))(catalogue.rules)
app.command(epilog=_examples("elect cultures", "elect cultures --json"))(catalogue.cultures)
app.command(epilog=_examples("elect welfares", "elect welfares --json"))(catalogue.welfares)
app.command(epilog=_examples("elect axioms", "elect axioms --json"))(auditing.axioms)
data.command("list", epilog=_examples("elect data list"))(catalogue.list_data)
data.command("fetch", epilog=_examples("elect data fetch sushi"))(catalogue.fetch_data)
app.add_typer(data, name="data", epilog=_examples("elect data list", "elect data fetch sushi"))


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run a command. Errors that the user can fix are printed in one line, with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        # Characters that the terminal cannot show become question marks instead of an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        # Limits set by this command must not apply to the next one in the same process.
        with using(None):
            app(args=arguments, prog_name="elect")
    except ElectError as error:
        _stop(str(error))
    except BrokenPipeError:
        # The reader has closed the pipe; do not flush anything into it at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        _stop(f"{where}{error.strerror or error}; check the disk and your permissions.")
    except MemoryError:
        _stop("Out of memory; use fewer voters or candidates.")
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(0)


def _stop(sentence: str) -> NoReturn:
    print("elect:", " ".join(sentence.split()), file=sys.stderr)
    sys.exit(2)
