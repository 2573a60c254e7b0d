"""`python -m cli`, which is what bin/prospector runs."""

from cli.main import main

main()
