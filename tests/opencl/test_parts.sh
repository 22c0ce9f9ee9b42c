#!/bin/bash
# Parts of buffers, maps, rectangles, fills and copies of records.
source "$(dirname "$0")/programs.sh"
prepare parts.c
ran platform
recorded 29
applied some row=soa
applied some 'row={a,c}{b}:16'
for why in 'a buffer that the host has mapped' 'two parameters with the same memory in two forms' \
    "memory of the host's own (CL_MEM_USE_HOST_PTR)"; do
    grep -qF "\"why\": \"$why\"" applied || complain "apply does not say: $why"
done
finish
