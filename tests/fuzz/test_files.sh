#!/usr/bin/env bash
# test_files.sh HEDDLE: the corpus of files that once went wrong, and, where HEDDLE is sanitized,
# 10 seconds of damaged files.
set -euo pipefail
program=$(realpath "$1")
fuzz=$(dirname "$program")/tests/fuzz_files
HEDDLE_SOURCE=$(realpath "$(dirname "$0")/../..")
export HEDDLE_SOURCE
count=0
if [ -n "${HEDDLE_SANITIZED:-}" ]; then
    count=1000000000
else
    ulimit -v 2097152 # what the sanitizer bounds there: 1 GiB, beside the program and its libraries
fi

source "$(dirname "$0")/../folder.sh"
cd "$work"
result=0
"$fuzz" --program "$program" --minutes 0.17 --count "$count" --seed 1 || result=1

# A program that does wrong is found out.
wrong() {
    printf '#!/bin/sh\ncase "$*" in *.hdt*) exec "%s" "$@" ;; esac\n%s\n' "$program" "$1" >wrong
    chmod +x wrong
    if "$fuzz" --program wrong --kind layout --first 1 --count 1 --seconds 1 >found; then
        echo "not found: $1"
        result=1
    fi
    grep -q "$2" found || { echo "no line matches '$2' for: $1"; cat found; result=1; }
}
wrong 'kill -11 $$' 'signal 11'
wrong 'exit 2' 'without an error'
wrong 'echo "error: x" >&2; touch out/x; exit 2' 'it wrote x'
wrong 'exit 7' 'exit status 7'
wrong 'trap "" TERM; while :; do :; done' 'did not end'
exit $result
