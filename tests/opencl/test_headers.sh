#!/bin/bash
# Kernels that include headers: the recording has them, and can be moved.
source "$(dirname "$0")/programs.sh"
mkdir -p include/more
echo '#include "more/field.h"
typedef struct cell { float x; int y; FIELD } cell;' >include/cell.h
echo '#define FIELD float z;' >include/more/field.h
prepare headers.c
recorded 6
for file in cell.h more/field.h; do
    [ -s "run/include-1/$file" ] || complain "the recording has no include-1/$file"
done
mv run moved
mv include elsewhere
accepts run --check expected moved
prints '^Equal to the reference: yes'
accepts apply moved --layout soa --out made
mv elsewhere include
applied 6 cell=soa
finish
