#!/bin/bash
# Heddle starts where there is no OpenCL loader, and says in one message that a device needs one.
set -u
heddle=$1
source_folder=${HEDDLE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
source "$(dirname "$0")/../folder.sh"
export HEDDLE_DATABASE=$work/profiles.db
failed=0
complain() {
    echo "$1"
    cat "$work/out" "$work/err"
    failed=1
}

readelf -d "$heddle" >"$work/out" 2>"$work/err" || complain "readelf fails"
! grep -q OpenCL "$work/out" || complain "the program is linked with OpenCL"

echo "no library" >"$work/libOpenCL.so.1" # the dynamic linker stops at it
without() { LD_LIBRARY_PATH=$work "$heddle" "$@" >"$work/out" 2>"$work/err"; }

without --version || complain "it does not start"
without device list || complain "it does not list profiles"
grep -q 'there is no libOpenCL.so.1; install an OpenCL loader' "$work/out" "$work/err" ||
    complain "the list does not say what is missing"
without advise --costs "$source_folder/examples/nbody/nbody-small.yaml" || complain "it prices no layout"
without measure "$source_folder/examples/nbody/nbody-small.yaml" --layout soa
[ $? -eq 2 ] || complain "measure: another exit status than 2"
grep -q 'there is no OpenCL device to run on: there is no libOpenCL.so.1; install' "$work/err" ||
    complain "measure does not say what is missing"
[ "$(grep -c 'error: ' "$work/err")" -eq 1 ] || complain "measure: not one error"
exit $failed
