#!/bin/bash
# Events of the program's own, and functions that launch when an event comes.
source "$(dirname "$0")/programs.sh"
prepare events.c
ran platform
recorded 39
applied 39 cell=soa
grep -qF '"why": "an event of the program'"'"'s own that it has not set yet"' applied ||
    complain 'apply does not say why launches wait'
finish
