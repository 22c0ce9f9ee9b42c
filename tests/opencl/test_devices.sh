#!/bin/bash
# Two devices that share a buffer.
source "$(dirname "$0")/programs.sh"
export POCL_DEVICES='pthread basic'
prepare devices.c
recorded 18
applied 18 cell=soa
finish
