# For the scripts of this folder: `source "$(dirname "$0")/lib.sh"`, then $1 is
# the heddle to test. Each script runs in an empty folder that goes at its end,
# with a kernel and a job to start from, and ends with `finish`.
set -u
heddle=$(realpath "${1:?the path of heddle}")
[ -x "$heddle" ] || { echo "no program $heddle"; exit 2; }
source_folder=$(realpath "$(dirname "$0")/../..")
unset HEDDLE_DEVICES NO_COLOR COLUMNS
source "$source_folder/tests/folder.sh"
mkdir "$work/log" "$work/at"
export HEDDLE_DATABASE=$work/profiles.db # never the user's own
cd "$work/at" || exit 2
failures=0

complain() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n' "$*"
    sed 's/^/  stdout: /' "$work/log/out"
    sed 's/^/  stderr: /' "$work/log/err"
}

# call ARGUMENTS: runs heddle; $status, and its output in log/out and log/err.
call() {
    "$heddle" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
}

# accepts ARGUMENTS: it works, and says nothing on standard error.
accepts() {
    call "$@"
    [ "$status" -eq 0 ] || complain "heddle $*: exit status $status, not 0"
    [ ! -s "$work/log/err" ] || complain "heddle $*: said something on standard error"
}

# matches PATTERN FILE: the file has a line that matches. The first lines need no process.
matches() {
    local line lines
    mapfile -n 40 -t lines <"$2"
    for line in "${lines[@]}"; do
        [[ $line =~ $1 ]] && return
    done
    grep -Eq -- "$1" "$2"
}

# prints PATTERN: the last output has a line that matches.
prints() { matches "$1" "$work/log/out" || complain "no line matches: $1"; }

# in_one_line -E|-F PATTERN: standard output has it, with one blank where it has blanks and ends of lines.
in_one_line() {
    tr -s ' \n' '  ' <"$work/log/out" >"$work/log/line"
    grep -q "$1" -- "$2" "$work/log/line" || complain "no '$2' in: $(cat "$work/log/line")"
}

# says PATTERN...: the last messages have a line that matches each.
says() {
    local pattern
    for pattern in "$@"; do
        matches "$pattern" "$work/log/err" || complain "no message matches: $pattern"
    done
}

# fits COMMAND: the last output is JSON as docs/heddle.schema.json has it.
fits() {
    HEDDLE_SOURCE=$source_folder "$(dirname "$heddle")/tests/cli_test_json" "$*" \
        <"$work/log/out" 2>"$work/log/fault" || complain "$(cat "$work/log/fault")"
}

# need_shim [NAME]: from here on `with VARIABLE=VALUE... -- ARGUMENTS` calls heddle with tests/
# measure/lost_device.c, or cli/kill_at.c, which the variables guide, before the library.
need_shim() {
    shim=$(dirname "$heddle")/tests/${1:-lost_device}.so
    [ -f "$shim" ] || { echo "no $shim"; exit 2; }
}

with() {
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    env "${settings[@]}" LD_PRELOAD="$shim" \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
        "$heddle" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null
    status=$?
}

# The files here, with their sizes and times.
files_here() { find . \( -type d -printf '%p\n' -o -printf '%p %s %T@\n' \) | sort; }

# look_around: $files are all files here, and true if those are older than log/mark, so that one
# that changes is not. Of links nobody can tell.
look_around() {
    local file
    shopt -s globstar dotglob nullglob
    files=(**)
    shopt -u globstar dotglob nullglob
    for file in "${files[@]}"; do
        [[ ! -h $file && (-d $file || $file -ot $work/log/mark) ]] || return 1
    done
}

# refuses PATTERN ARGUMENTS: one error that matches, exit status 2, nothing on
# standard output, and the files here are those of before.
refuses() {
    local pattern=$1 before='' names files errors=0 line lines
    shift
    : >"$work/log/mark"
    look_around || before=$(files_here)
    names=${files[*]}
    call "$@"
    mapfile -t lines <"$work/log/err"
    for line in "${lines[@]}"; do
        [[ $line != *'error: '* ]] || errors=$((errors + 1))
    done
    [ "$status" -eq 2 ] || complain "heddle $*: exit status $status, not 2"
    [ ! -s "$work/log/out" ] || complain "heddle $*: wrote on standard output"
    [ "$errors" -eq 1 ] || complain "heddle $*: $errors errors, not 1"
    matches "$pattern" "$work/log/err" || complain "heddle $*: no line matches: $pattern"
    if [ -n "$before" ]; then
        [ "$before" = "$(files_here)" ]
    else
        look_around && [ "$names" = "${files[*]}" ]
    fi || complain "heddle $*: the files changed: $(files_here)"
}

# tried I EVERY: whether case number I is tried: sanitized, every EVERY-th, as in ../sanitized.h.
tried() { [ -z "${HEDDLE_SANITIZED:-}" ] || [ $(($1 % $2)) -eq 0 ]; }

# given NAME...: the files of that name in jobs/, here.
given() { cp "${@/#/$source_folder/tests/cli/jobs/}" .; }

# mounts SCRIPT: runs it where it may mount, with heddle as its argument, and none that stands ready
# elsewhere (ready.sh); $status is its own. False where nobody may mount, or it ended with 77.
mounts() {
    local shield=
    unshare --mount --map-root-user true 2>/dev/null && shield=--map-root-user
    # shellcheck disable=SC2086
    unshare --mount $shield true 2>/dev/null || return
    # shellcheck disable=SC2086
    unshare --mount $shield bash "$1" "${plain:-$heddle}" >"$work/log/out" 2>"$work/log/err"
    status=$?
    [ $status -ne 77 ]
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
    exit 0
}

given body.cl body.yaml
