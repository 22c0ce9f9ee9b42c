# CUDA kernels on the machine, one job for each file, with the toolkit's headers (where there
# is a toolkit) and with Heddle's own. What is expected stands at the head of the .cu file, and
# was worked out by hand:
#
#   // expect: BUFFER TYPE = 1 2 3      these numbers, and no more
#   // expect: BUFFER TYPE 64 = 2 * i   so many, by a formula of awk in their index, with xor(a, b)
#   // prints: TEXT                     a line that the kernel prints
#   // fails: 12 TEXT                   the run ends with an error at line 12 that says TEXT
#
# TYPE is a scalar of C; of float and double 6 and 14 digits are compared. Called with the
# path of heddle; it then calls itself with --some for some of the files at a time.
set -u
failed=0
toolkit=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}} # where heddle looks for it

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
    local words
    words=$(printf '%s\n' "$2" | awk '{
        while (match($0, /0x[0-9a-f]+/)) {
            value = 0
            for (k = RSTART + 2; k < RSTART + RLENGTH; k++)
                value = value * 16 + index("0123456789abcdef", substr($0, k, 1)) - 1
            $0 = substr($0, 1, RSTART - 1) sprintf("%.0f", value) substr($0, RSTART + RLENGTH)
        }
        print
    }')
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

check_buffers() {
    local line buffer type count values
    while read -r line; do
        values=${line#*= }
        read -r buffer type count < <(echo "${line%%=*}")
        numbers_of "$type" <"$work/$buffer" >"$work/.found"
        expected "${count:--}" "$values" >"$work/.wanted"
        paste -d ' ' "$work/.found" "$work/.wanted" | compare "$type" >"$work/.difference" ||
            complain "$buffer: $(cat "$work/.difference")"
    done < <(head_of expect)
}

check_job() {
    local dumps=() line text
    for buffer in $(head_of expect | cut -d ' ' -f 1); do
        dumps+=(--dump "$buffer=$work/$buffer")
    done
    rm -f "$work"/*
    "$heddle" run "$name.yaml" "${dumps[@]}" >"$work/.out" 2>"$work/.err" </dev/null
    status=$?
    read -r line text < <(head_of fails)
    if [ -n "$line" ]; then
        [ $status -eq 2 ] || complain "ended with status $status, not 2"
        grep -F -- "$text" "$work/.err" | grep -q "$name.cu:$line:[0-9]*: error: " ||
            complain "said: $(head -3 "$work/.err")"
        return
    fi
    [ $status -eq 0 ] || { complain "$(head -5 "$work/.err")"; return; }
    while read -r text; do
        grep -qxF -- "$text" "$work/.out" || complain "did not print: $text"
    done < <(head_of prints)
    check_buffers
}

if [ "$1" = --some ]; then
    heddle=$2
    shift 2
    source "$(dirname "$0")/../folder.sh"
    for file; do
        name=${file%.cu}
        if [ -n "$toolkit" ] && [ -e "$toolkit/include/cuda_runtime.h" ]; then
            mode=toolkit
            check_job
        fi
        mode=own
        CUDA_PATH='' check_job
    done
    exit $failed
fi

heddle=$(realpath "$1")
cd "$(dirname "$0")" || exit 2
ls *.cu | xargs -P "$(nproc)" -n 3 bash test_cuda.sh --some "$heddle"
