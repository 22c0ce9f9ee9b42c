#!/bin/bash
# Programs that end early, or make no OpenCL call, a disk that is full, and what --layout names in vain.
source "$(dirname "$0")/programs.sh"

# ends STATUS COMMAND...: heddle ends so.
ends() {
    local expected=$1
    shift
    call "$@"
    [ "$status" = "$expected" ] || complain "heddle $*: exit status $status, not $expected"
}

prepare refused.c
recorded 1
ends 2 apply --layout cell=soa -- ./program
as_before "$work/log/out"
prints "^A program's kernels run as before: .*cell"
[ "$(wc -l <"$work/log/out")" = 2 ] || complain 'not one line says why'
[ ! -s "$work/log/err" ] || complain 'something is on standard error'

prepare stops.c
recorded 12
# The size of a file of which some are smaller and some larger.
size=$(stat -c %s run/contents/* | sort -n | sed -n 6p)

for how in abort:6 kill:9; do
    rm -rf run
    ends 2 record -o run -- ./program "${how%:*}"
    prints '^8 launches in '
    says "ended with signal ${how#*:}$"
    accepts run --check expected run
    ends 2 apply --layout cell=soa -- ./program "${how%:*}"
    says "ended with signal ${how#*:}$"
done
ends 2 apply --layout cell=soa -- ./program exit
prints '^ *move +8 +8 '
says 'ended with status 3$'
ends 2 apply --layout cell=soa -- ./program _exit
says 'ended in a way that left no results \(_exit\)'
command=(./program fork)
recorded 12
applied 12 cell=soa

# No more than 1 KiB less than that is written into one file; the signal would end the program.
rm -rf run
(ulimit -f $((size / 1024)) && exec "$plain" record -o run -- ./program) >"$work/log/out" 2>"$work/log/err"
as_before "$work/log/out"
prints '^ *contents that could not be written +[1-9]'
says 'error: cannot write run/contents/.*: File too large|error: cannot write /.*: File too large'
if [ -f run/job.yaml ]; then accepts run --check expected run; fi

ends 2 apply --layout nosuch=soa -- ./program
as_before "$work/log/out"
says 'no kernel of ./program has a record that --layout names$'
ends 2 apply --layout cell=nosuch -- ./program
as_before "$work/log/out"
prints "^A program's kernels run as before: expected a layout: .*, found 'nosuch'$"
refuses 'error: which layout\? Say --layout soa' apply -- ./program
refuses 'error: --verify and --out: choose one of them$' apply --layout cell=soa --verify --out made -- ./program
refuses 'error: there is no program \./nothing' apply --layout cell=soa -- ./nothing
ends 2 apply --layout cell=soa -- true
says '^heddle: warning: true has made no OpenCL call'
ends 2 record -o none -- true
finish
