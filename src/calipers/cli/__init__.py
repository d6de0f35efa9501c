"""The command line: parse flags, call the library, print a view."""
