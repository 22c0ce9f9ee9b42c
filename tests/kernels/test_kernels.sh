# Kernels as people write them. What is expected stands at the head of each file:
#
#   // flags: -g 64,64 -a n=64     options of the command line: the launch
#   // accesses: 8                 so many accesses, without those to private memory
#   // access: 9 load g.t 4 if k0  a row of `heddle advise --accesses`, without its id and with
#                                  one blank between its columns; may be repeated
#   // rewrites: soa {x}{y}:4      rewrite takes these layouts
#   // layouts: soa {x}{y}:4       so does it, and of the first measure finds the outputs equal
#   // refuses: 6 TEXT             rewrite names line 6 and says TEXT ("-": no line)
#   // error: 6 TEXT               so do all commands: it is no kernel that Heddle takes
#
# The folders are phenomena; error/ and refuse/ hold what is not taken. Where one of
# them fails, `heddle advise --accesses FILE` with its flags shows what was seen.
#
# Called with the path of heddle; it then calls itself with --some for some of the
# files at a time.
set -u

complain() { printf 'FAILED %s: %s\n' "$file" "$*"; failed=1; }

head_of() { sed -n "s,^\(\xef\xbb\xbf\)\?// $1: ,,p" "$file" | tr -d '\r'; }

# call ARGUMENTS: $status, and what heddle said in $work/out and $work/err.
call() {
    "$heddle" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ $status -le 2 ] || complain "heddle $1 ended with status $status: $(head -c 300 "$work/err")"
    ! grep -q 'runtime error\|please report' "$work/err" || complain "$(head -c 500 "$work/err")"
}

# said LINE TEXT: an error there, and no result.
said() {
    [ $status -eq 2 ] || complain "status $status, not 2: $2"
    [ ! -s "$work/out" ] || complain "an error, and a result: $2"
    grep -F -- "$2" "$work/err" | grep -q "$([ "$1" = - ] || echo ":$1:[0-9]*: ")error: " ||
        complain "did not say at $1: $2, but: $(grep -m 1 error "$work/err")"
}

check_accesses() {
    call advise --accesses --as-written "$file" "${flags[@]}"
    [ $status -eq 0 ] || complain "accesses: $(head -1 "$work/err")"
    tr -s ' ' <"$work/out" | sed -n 's/^ [0-9]* \([0-9a-z.:]* \(load\|store\|atomic\) \)/\1/p' \
        >"$work/rows"
    local count expected row
    count=$(wc -l <"$work/rows")
    expected=$(head_of accesses)
    [ "$count" = "$expected" ] || complain "$count accesses, not '$expected'"
    while read -r row; do
        grep -qxF -- "$row" "$work/rows" || complain "no access: $row"
    done < <(head_of access)
}

check_file() {
    local flags line text layout others
    eval "flags=($(head_of flags))"
    read -r line text < <(head_of error)
    if [ -n "$line" ]; then
        call advise --accesses --as-written "$file" "${flags[@]}"
        said "$line" "$text"
        return
    fi
    check_accesses
    # The first is measured, where nothing is sanitized: PoCL's compiler takes most of the time. The
    # others are compared on the machine, by rewrite itself.
    read -r layout others < <(head_of layouts)
    if [ -n "$layout" ] && [ -z "${HEDDLE_SANITIZED:-}" ]; then
        call measure --as-written "$file" "${flags[@]}" --layout "$layout" --repeats 1
        grep -q 'outputs equal: yes' "$work/out" ||
            complain "$layout: $(grep -m 1 error "$work/err")"
    fi
    for layout in $others $(head_of rewrites); do
        number=$((number + 1)) # sanitized, every third is tried
        [ -z "${HEDDLE_SANITIZED:-}" ] || [ $((number % 3)) -eq 0 ] || continue
        call apply --as-written "$file" "${flags[@]}" --layout "$layout" --out "$work"
        [ $status -eq 0 ] || complain "$layout: $(grep -m 1 error "$work/err")"
    done
    read -r line text < <(head_of refuses)
    [ -n "$line" ] || return
    call apply --as-written "$file" "${flags[@]}" --layout soa --out "$work"
    said "$line" "$text"
}

if [ "$1" = --some ]; then
    heddle=$2
    shift 2
    failed=0 number=0
    source ../folder.sh
    for file; do check_file; done
    exit $failed
fi

heddle=$(realpath "$1")
cd "$(dirname "$0")" || exit 2
source_folder=$(realpath ../..)
source ../folder.sh
source ../cli/ready.sh
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$work}
find . -name '*.cl' -printf '%P\n' | sort | xargs -P "$(nproc)" -n 6 bash test_kernels.sh --some "$heddle"
[ $? -eq 0 ] || exit 1
