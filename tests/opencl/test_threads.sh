#!/bin/bash
# Several threads with a shared queue.
source "$(dirname "$0")/programs.sh"
prepare threads.c
ran platform
recorded 52
applied 52 cell=soa
applied 52 cell=aosoa:32
finish
