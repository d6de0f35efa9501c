"""Fuzzing of everything that reads: inputs from grammars, broken on purpose, must end in a result or in a typed error.

An input is a pure function of its grammar's name and an integer, so whatever goes wrong can be had again.

    grammars/   what valid inputs look like; one function a format, from a random generator to a draft
    trees       mutations of what a file means: missing, doubled, of another type, huge, nested deeply
    octets      mutations of bytes: cut, flipped, spliced; also of compressed streams
    build       draft -> mutations -> case
    oracle      what has to hold of every case
    worker      runs cases in a process with limits, so that a crash is found and has a name
    shrink      the smallest case that still breaks a promise
    corpus      cases that are kept, with what came of them
"""
