"""`python -m equivec` is the `equivec` command."""

from equivec.cli.main import main

if __name__ == "__main__":
    main()
