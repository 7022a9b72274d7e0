"""`equivec serve`: the service and its web page."""

from __future__ import annotations

import os
from functools import partial
from typing import Annotated

import typer

from equivec.cli.console import note
from equivec.cli.options import IndexPlace, ModelName
from equivec.cli.search import open_index
from equivec.errors import ConfigError


def serve(
    where: IndexPlace = None,
    model: ModelName = None,
    host: Annotated[
        str, typer.Option(help="The address to listen at; 0.0.0.0 for the whole network.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port; 0 for any free one.")] = 8000,
    workers: Annotated[int, typer.Option(help="How many processes.")] = 1,
    origins: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", help="A site whose pages may ask (CORS)."),
    ] = None,
    sympy: Annotated[
        bool, typer.Option("--sympy", help="Offer SymPy as a second judge; it takes seconds.")
    ] = False,
) -> None:
    """Run the HTTP service and its web page.

    With EQUIVEC_API_KEY set, whoever asks must send that key.
    """
    try:
        from equivec.serve.config import ServiceConfig
        from equivec.serve.running import Address
        from equivec.serve.running import serve as run
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"the service needs {error.name}; install it with: pip install 'equivec[serve]'"
        ) from None

    config = ServiceConfig(
        api_key=os.environ.get("EQUIVEC_API_KEY"),
        allowed_origins=tuple(origins or ()),
        sympy=sympy,
    )
    address = Address(host=host, port=port, processes=workers)
    load = partial(open_index, where, model)  # in each process
    run(load, address, config, lambda place: note(f"open {place} (stop with Ctrl-C)"))
