"""`python -m calipers` is `calipers`."""

from calipers.cli.start import main

main()
