# CUDA kernels on the machine, with the toolkit's headers (where there is a toolkit) and with
# Heddle's own. A start and the headers take the time, so six files are one, and their jobs one job;
# those that fail have a job of their own. What is expected stands at the head of the .cu file, and
# was worked out by hand:
#
#   // expect: BUFFER TYPE = 1 2 3      these numbers, and no more
#   // expect: BUFFER TYPE 64 = 2 * i   so many, by a formula of awk in their index, with xor(a, b)
#   // prints: TEXT                     a line that the kernel prints
#   // fails: 12 TEXT                   the run ends with an error at line 12 that says TEXT
#
# TYPE is a scalar of C; of float and double 6 and 14 digits are compared. Called with the path of
# heddle.
set -u
heddle=$(realpath "$1")
source "$(dirname "$0")/../folder.sh"
cd "$(dirname "$0")" || exit 2
failed=0

complain() { printf 'FAILED %s (%s): %s\n' "$name" "$mode" "$*"; failed=1; }

head_of() { sed -n "s,^// $1: ,,p" "$name.cu"; }

# numbers_of TYPE: the bytes on standard input, a number in each line.
numbers_of() {
    local format
    case $1 in
    char) format=d1 ;; uchar) format=u1 ;; short) format=d2 ;; ushort) format=u2 ;;
    int) format=d4 ;; uint) format=u4 ;; long) format=d8 ;; ulong) format=u8 ;;
    float) format=fF ;; double) format=fD ;;
    *) echo "no type $1" ;;
    esac
    od -An -v -w8 -t "$format" | tr -s ' ' '\n' | sed '/^$/d'
}

# expected COUNT|- FORMULA|LIST: the same, as expected. Hexadecimal is made decimal.
expected() {
    local words=$2
    [[ $words != *0x* ]] || words=$(awk '{
        while (match($0, /0x[0-9a-f]+/)) {
            value = 0
            for (k = RSTART + 2; k < RSTART + RLENGTH; k++)
                value = value * 16 + index("0123456789abcdef", substr($0, k, 1)) - 1
            $0 = substr($0, 1, RSTART - 1) sprintf("%.0f", value) substr($0, RSTART + RLENGTH)
        }
        print
    }' <<<"$words")
    if [ "$1" = - ]; then
        printf '%s\n' $words
    else
        awk "function xor(a, b, bit, sum) {
                 for (bit = 1; bit <= a || bit <= b; bit *= 2)
                     if (int(a / bit) % 2 != int(b / bit) % 2) sum += bit
                 return sum + 0
             }
             BEGIN { for (i = 0; i < $1; i++) printf \"%.17g\\n\", $words }"
    fi
}

# compare TYPE: two numbers in each line, found and expected.
compare() {
    awk -v type="$1" '
        function size(x) { return x < 0 ? -x : x }
        BEGIN { tolerance = type == "float" ? 1e-6 : type == "double" ? 1e-14 : 0 }
        NF != 2 || size($1 - $2) > tolerance * size($2) {
            print "number " NR - 1 " is " $1 ", not " $2
            exit 1
        }'
}

# check_outputs: what $name is expected to print, and to leave in its buffers, files NAME_BUFFER
check_outputs() {
    local line text buffer type count values
    while read -r text; do
        grep -qxF -- "$text" "$work/out" || complain "did not print: $text"
    done < <(head_of prints)
    while read -r line; do
        values=${line#*= }
        read -r buffer type count <<<"${line%%=*}"
        paste -d ' ' <(numbers_of "$type" <"$work/${name}_$buffer") \
            <(expected "${count:--}" "$values") | compare "$type" >"$work/difference" ||
            complain "$buffer: $(cat "$work/difference")"
    done < <(head_of expect)
}

# run_job JOB NAME...: what it leaves in the buffers that these files expect something of goes into
# files NAME_BUFFER, and so are the buffers called in a job of several; $status.
run_job() {
    local job=$1 dumps=() name buffer prefix
    shift
    for name; do
        prefix=
        [ "$job" = "$name.yaml" ] || prefix=${name}_
        for buffer in $(head_of expect | cut -d ' ' -f 1); do
            dumps+=(--dump "$prefix$buffer=$work/${name}_$buffer")
        done
    done
    rm -f "$work"/*_*
    "$heddle" run "$job" "${form[@]}" "${dumps[@]}" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

# joined NAME...: the job of all of them, whose buffers are called NAME_BUFFER.
joined() {
    local name part
    echo 'kernel: joined.cu'
    for part in buffers launches; do
        echo "$part:"
        for name; do
            sed -E "s/^buffers: \[(.*)\]$/buffers:\n  - \1/
                s/\{name: (\w+), type/{name: ${name}_\1, type/
                s/buffer: (\w+)/buffer: ${name}_\1/g" "$name.yaml" |
                awk -v part="$part:" '/^[a-z]/ {on = $0 == part; next} on'
        done
    done
}

check_all() {
    local name line text k form=()
    for ((k = 0; k < ${#good[@]}; k += 6)); do
        printf "#include \"$PWD/%s.cu\"\n" "${good[@]:k:6}" >"$work/joined.cu"
        joined "${good[@]:k:6}" >"$work/joined.yaml"
        run_job "$work/joined.yaml" "${good[@]:k:6}"
        name=${good[*]:k:6}
        [ $status -eq 0 ] || { complain "$(head -5 "$work/err")"; continue; }
        for name in "${good[@]:k:6}"; do
            check_outputs
        done
    done
    form=(--as-written) # what is undefined a compiler may leave out
    for name in "${bad[@]}"; do
        run_job "$name.yaml" "$name"
        read -r line text < <(head_of fails)
        [ $status -eq 2 ] || complain "ended with status $status, not 2"
        grep -F -- "$text" "$work/err" | grep -q "$name.cu:$line:[0-9]*: error: " ||
            complain "said: $(head -3 "$work/err")"
    done
}

for file in *.cu; do
    if grep -q '^// fails: ' "$file"; then bad+=("${file%.cu}"); else good+=("${file%.cu}"); fi
done
toolkit=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}} # where heddle looks for it
if [ -n "$toolkit" ] && [ -e "$toolkit/include/cuda_runtime.h" ]; then
    mode=toolkit
    check_all
fi
mode=own
export CUDA_PATH=
check_all
exit $failed
