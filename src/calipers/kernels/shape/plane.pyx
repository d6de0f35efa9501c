"""Shapes on a plane: one form for each, and how close two of them are.

One module of several files, since whoever takes one of them takes most of the others, and each module costs a process
that is about to compare a few shapes a quarter of a millisecond. Read them in this order:

    work        how much work a record may take, and which of its objects may meet
    crossings   whether a ring crosses or touches itself
    windings    a ring around what an outline that touches itself encloses
    shapes      one form for each shape
    areas       the area that two polygons share
    regions     pairs of regions
    cells       the cells of a thick line's pieces, row by row
    tubes       lines with a thickness
    tubepairs   pairs of them
    coverage    how much of one line runs along another
"""

include "work.pxi"
include "crossings.pxi"
include "windings.pxi"
include "shapes.pxi"
include "areas.pxi"
include "regions.pxi"
include "cells.pxi"
include "tubes.pxi"
include "tubepairs.pxi"
include "coverage.pxi"
