# For the scripts of this folder: programs that print the same by themselves, under `heddle run`,
# `heddle record` and `heddle apply`. `prepare` comes first, the others call the program that it has built.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# prepare FILE [OPTIONS]: builds it as ./program, and $command runs it.
prepare() {
    local file=$source_folder/tests/opencl/$1 compiler=(cc -std=gnu17)
    shift
    [[ $file == *.c ]] || compiler=(c++ -std=c++17)
    "${compiler[@]}" -Wall -Wextra -Werror -O1 -o program "$file" "$@" -lOpenCL -lpthread ||
        { echo "FAILED: ${file##*/} does not build"; exit 1; }
    command=(./program)
    by_itself
}

by_itself() {
    "${command[@]}" >own 2>own.err || { echo "FAILED: ${command[*]} by itself: status $?"; cat own own.err; exit 1; }
    [ -s own ] || { echo "FAILED: ${command[*]} prints nothing"; exit 1; }
}

# as_before FILE: it begins with what the program prints by itself.
as_before() {
    head -c "$(stat -c %s own)" "$1" | diff - own >log.diff ||
        complain "the program prints something else: $(cat log.diff)"
}

# ran [PLATFORM]: launches on the machine in the place of the device compute the same; with any word, also
# where there is no device.
ran() {
    local vendors
    mkdir -p none
    for vendors in "${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}" ${1:+"$PWD/none"}; do
        OCL_ICD_VENDORS=$vendors call run -- "${command[@]}"
        [ "$status" = 0 ] || complain "heddle run with drivers of $vendors: status $status"
        as_before "$work/log/out"
        prints '^[1-9][0-9.k]* launch(es)? on h200'
    done
}

# recorded LAUNCHES: so many are in the recording, and leave the same on the machine.
recorded() {
    local job
    rm -rf run
    accepts record -o run -- "${command[@]}"
    as_before "$work/log/out"
    prints "^$1 launch(es)? in "
    cp "$work/log/out" recorded
    for job in run/job*.yaml; do
        accepts run --check expected "$job"
        prints '^Equal to the reference: yes'
    done
}

# applied EXCHANGED LAYOUT...: in these layouts so many launches run in the other form, with and without
# a comparison. "some": at least one.
applied() {
    local count=$1 words=() layout verify
    shift
    for layout in "$@"; do words+=(--layout "$layout"); done
    for verify in '' --verify; do
        call apply --json $verify "${words[@]}" -- "${command[@]}"
        [ "$status" = 0 ] || complain "heddle apply $verify $*: status $status"
        diff "$work/log/err" own >log.diff ||
            complain "heddle apply $verify $*: it prints something else: $(cat log.diff)"
        case $count in
        some) grep -Eq '^ *"exchanged": [1-9]' "$work/log/out" ;;
        *) grep -Eq "^ *\"exchanged\": $count,?$" "$work/log/out" ;;
        esac || complain "heddle apply $verify $*: not $count launches are exchanged"
        [ -z "$verify" ] || grep -Eq '"compared_bytes": [1-9]' "$work/log/out" ||
            complain "heddle apply $verify $*: nothing is compared"
        cp "$work/log/out" applied
    done
}
