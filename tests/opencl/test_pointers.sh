#!/bin/bash
# Shared virtual memory: such launches run as before, and are left out of recordings.
source "$(dirname "$0")/programs.sh"
prepare pointers.c
ran
recorded 2
grep -Eq '^ *arguments that are not followed \(pipes, SVM, images of rare formats\) +5$' recorded ||
    complain "the recording does not name what it leaves out: $(cat recorded)"
applied 1 cell=soa
for why in 'records in shared virtual memory, or none' \
    "memory of the host's own (CL_MEM_USE_HOST_PTR)"; do
    grep -qF "\"why\": \"$why\"" applied || complain "apply does not say: $why"
done
finish
