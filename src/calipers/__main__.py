"""`python -m calipers` is `calipers`."""

from calipers.cli.main import main

main()
