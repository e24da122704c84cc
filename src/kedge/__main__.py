"""Let `python -m kedge` be the command `kedge`."""

from kedge.cli.main import main

if __name__ == "__main__":
    main()
