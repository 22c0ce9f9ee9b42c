#!/bin/bash
# Handles that go and come again, programs that are built again, kernels made for each launch.
source "$(dirname "$0")/programs.sh"
prepare handles.c
ran
recorded 63
applied some cell=soa
finish
