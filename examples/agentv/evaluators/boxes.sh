#!/bin/sh
# For hosts that want the path of a program: the payload comes on standard input, the verdict goes to standard output.
exec calipers judge boxes --threshold 0.5 --pass-at 1
