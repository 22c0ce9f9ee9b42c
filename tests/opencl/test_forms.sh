#!/bin/bash
# Kernels of many forms.
source "$(dirname "$0")/programs.sh"
prepare forms.c
ran
recorded 14
applied some cell=soa
applied some 'cell={x}{y,kind}:16'
finish
