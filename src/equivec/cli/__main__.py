"""`python -m equivec.cli`: the `equivec` command where the package is a folder, not installed."""

from equivec.cli.main import main

main()
