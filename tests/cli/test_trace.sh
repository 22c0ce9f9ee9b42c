# heddle trace: files written, narrowed, described, turned into text and back.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

# patched FROM TO OFFSET BYTES: a copy of a file with other bytes (as printf has them) in it.
patched() {
    cp "$1" "$2"
    printf "$4" | dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}

accepts trace body.yaml -o body.hdt
prints '^body.hdt: 1 launch, 4 blocks, 12 MIs, 768 lane accesses$'
prints '^  .* bytes for each lane access$'
[ "$(ls body.hdt*)" = body.hdt ] || complain "left $(ls body.hdt*)"
for workers in 1 2 5; do
    accepts trace body.yaml -o other.hdt --workers $workers
    cmp -s body.hdt other.hdt || complain "the file depends on the number of workers"
done

# ---- info ---------------------------------------------------------------------------------

accepts trace info body.hdt
prints '^body.hdt: 1 launch, 4 blocks, 12 MIs, 768 lane accesses$'
prints 'version 1, of body.yaml, accesses to .*global'
prints '^  complete$'
prints '^  0 +push +4 x 64 +4 +12 +768 '
prints '^  [0-9] +8 +load +bodies.y +global +4$'
prints '^  [0-9] +8 +store +bodies.x +global +4$'
prints '^  bodies +body +global +0x[0-9a-f]+ +3072$'
awk 'length > 80 { exit 1 }' "$work/log/out" || complain "a table is too wide"

# ---- text -----------------------------------------------------------------------------------

accepts trace export body.hdt
cp "$work/log/out" text
[ "$(head -1 text)" = "# heddle-trace-text 1" ] || complain "the text does not introduce itself"
[ "$(grep -c '^B [0-3] 64$' text)" -eq 4 ] || complain "not four blocks"
[ "$(grep -Ec '^[0-2] [0-9]+ [LS] 4 0:[0-9a-f]+ ' text)" -eq 12 ] || complain "not twelve MIs"
[ "$(tr ' ' '\n' <text | grep -c :)" -eq 768 ] || complain "not 768 lane accesses"
accepts trace export body.hdt -o text2
prints '^wrote text2: 4 blocks, 12 MIs, 768 lane accesses$'
cmp -s text text2 || complain "-o writes another text"
accepts trace import text -o back.hdt
prints '^back.hdt: 1 launch, 4 blocks, 12 MIs, 768 lane accesses$'
accepts trace export back.hdt
cmp -s text "$work/log/out" || complain "the text does not come back"

# ---- narrowed ----------------------------------------------------------------------------------

# The second launch reads where the first one wrote, so what is not traced must have run.
cat >chain.cl <<'END'
__kernel void first(__global int *index) {
    index[get_global_id(0)] = 255 - (int)get_global_id(0);
}
__kernel void second(__global int *index, __global int *out) {
    __local int t[64];
    t[get_local_id(0)] = index[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[t[get_local_id(0)]] = t[63 - get_local_id(0)];
}
END
cat >chain.yaml <<'END'
kernel: chain.cl
buffers:
  - {name: index, type: int, count: 256}
  - {name: out, type: int, count: 256}
launches:
  - {kernel: first, global: [256], local: [64], args: [{name: index, buffer: index}]}
  - kernel: second
    global: [256]
    local: [64]
    repeat: 2
    args: [{name: index, buffer: index}, {name: out, buffer: out}]
END
# lines_of FILE: its text without the comments.
lines_of() { "$heddle" trace export "$1" | grep -v '^#'; }
accepts trace chain.yaml -o chain.hdt
prints '^chain.hdt: 3 launches, 12 blocks, 44 MIs, '
lines_of chain.hdt >whole
accepts trace chain.yaml -o narrow.hdt --launch 1 --blocks 2-3
prints '^narrow.hdt: 1 launch, 2 blocks, 10 MIs, 640 lane accesses$'
accepts trace info narrow.hdt
prints '^  1 +second +4 x 64 +2 '
prints '^  complete$'
# Of the whole text, blocks 2 and 3 of the second launch are the 7th and 8th.
lines_of narrow.hdt | cmp -s - <(awk '/^B/ { b++ } b == 7 || b == 8' whole) ||
    complain "the narrowed trace is no part of the whole"
accepts trace chain.yaml -o narrow.hdt --launch 1-2 --blocks 0 --space local --workers 3
prints '^narrow.hdt: 2 launches, 2 blocks, '
lines_of narrow.hdt | grep -v '^B' | awk '{ print $2 }' | sort -u >narrow
awk '/^B/ { b++; p = b == 5 || b == 9; next } p { print $2, $3 }' whole | sort -u >all
[ "$(wc -l <all)" -eq 5 ] && [ "$(wc -l <narrow)" -eq 3 ] ||
    complain "--space local leaves $(cat narrow) of $(cat all)"
accepts trace info narrow.hdt
prints 'accesses to local$'
accepts trace chain.yaml -o narrow.hdt --space constant
prints ', 0 MIs, 0 lane accesses$'

for range in x 3-1 1- -2 1,2 1-2-3 ''; do
    refuses "error: --blocks takes" trace chain.yaml -o no.hdt "--blocks=$range"
    refuses "error: --launch takes" trace chain.yaml -o no.hdt "--launch=$range"
done
refuses "error: --blocks 4: .*4 blocks" trace chain.yaml -o no.hdt --blocks 4
refuses "error: --launch 3-5: .*3 launches" trace chain.yaml -o no.hdt --launch 3-5
refuses "error: --space takes .*'shared'" trace chain.yaml -o no.hdt --space shared
refuses "error: --space takes" trace chain.yaml -o no.hdt --space global,
refuses "error: --space takes" trace chain.yaml -o no.hdt --space ''
accepts trace chain.yaml -o wide.hdt --blocks 3-99999
prints '^wide.hdt: 3 launches, 3 blocks, '

# ---- narrowed when it is exported ----------------------------------------------------------------

# blocks_of FIRST LAST: these blocks of the whole text, counted over all launches.
blocks_of() { awk -v f="$1" -v l="$2" '/^B/ { b++ } b > f && b <= l + 1' whole; }
accepts trace export chain.hdt --launch 1 --blocks 2-3 -o narrow.text
prints '^wrote narrow.text: 2 blocks, 10 MIs, 640 lane accesses$'
grep -v '^#' narrow.text | cmp -s - <(blocks_of 6 7) || complain "export: not those blocks"
[ "$(grep -c '^# launch 1 second 1 4 1 1 64 1 1 0 0 0$' narrow.text)" -eq 1 ] ||
    complain "export: not the launch"
accepts trace export chain.hdt --blocks 0
grep -v '^#' "$work/log/out" | cmp -s - <(blocks_of 0 0; blocks_of 4 4; blocks_of 8 8) ||
    complain "export --blocks 0: not these blocks"
accepts trace export chain.hdt --launch 2 --space local
[ "$(grep -c '^B' "$work/log/out")" -eq 4 ] || complain "export --space: not four blocks"
grep '^[0-9]' "$work/log/out" | awk '{ print $2 }' | sort -u | cmp -s - narrow ||
    complain "export --space local: other accesses"
accepts trace export chain.hdt --launch 1 --json -o narrow.text
prints '"runs": 1'
prints '"blocks": 4'
refuses "error: --launch takes a number" trace export chain.hdt --launch 0-1
refuses "error: --launch takes a number" trace export chain.hdt --launch x
refuses "error: --blocks takes" trace export chain.hdt --blocks 3-1
refuses "error: --space takes" trace export chain.hdt --space shared
refuses "^chain.hdt: error: --launch 3: " trace export chain.hdt --launch 3
refuses "^chain.hdt: error: --blocks 4-9: " trace export chain.hdt --blocks 4-9 -o no.text
refuses "^chain.hdt: error: --space local,private: .* only to global, local" \
    trace export chain.hdt --space local,private

# A text that is read has the spaces of its accesses.
accepts trace export chain.hdt -o chain.text
accepts trace import chain.text -o back.hdt
accepts trace info back.hdt
prints 'of chain.text, accesses to global, local$'

# ---- files that cannot be written -----------------------------------------------------------------

refuses "error: where to\?" trace body.yaml
refuses "error: where to\?" trace import text
refuses "^absent/x.hdt: error: .*no folder absent" trace body.yaml -o absent/x.hdt
refuses "^absent/x.hdt: error: .*no folder absent" trace import text -o absent/x.hdt
refuses "^absent/x: error: .*no folder absent" trace export body.hdt -o absent/x
mkdir folder
refuses "^folder: error: .*a folder" trace body.yaml -o folder
refuses "^body.yaml: error: .*replaced" trace body.yaml -o body.yaml
refuses "^body.cl: error: .*replaced" trace body.yaml -o body.cl
refuses "^text: error: .*replaced" trace import text -o text
refuses "^./body.hdt: error: .*replaced" trace export body.hdt -o ./body.hdt
cp text text.hdt.part
refuses "^text.hdt.part: error: .*replaced" trace import text.hdt.part -o text.hdt
rm text.hdt.part
for words in "trace body.yaml" "trace import text" "trace export body.hdt"; do
    # shellcheck disable=SC2086
    refuses "error: --out: the name is empty" $words -o ''
    mkfifo pipe
    ln -s /dev/null device
    for other in pipe device; do
        # shellcheck disable=SC2086
        refuses "^$other: error: --out: this is no regular file" $words -o $other
    done
    rm pipe device
done
mkfifo x.hdt.part
refuses "^x.hdt.part: error: --out: this is no regular file" trace body.yaml -o x.hdt
rm x.hdt.part
cat >long.cl <<'END'
__kernel void scatter(__global uint *a) {
    uint at = get_global_id(0);
    for (int i = 0; i < 200; i++) {
        at = at * 1664525u + 1013904223u;
        a[at % 65536] = i;
    }
}
END
mkdir limited
(
    trap '' XFSZ
    ulimit -f 8
    cd limited || exit 1
    "$heddle" trace ../long.cl --global 65536 -o x.hdt >"$work/log/out" 2>"$work/log/err"
)
status=$?
[ $status -eq 2 ] || complain "with a limit on files: exit status $status, not 2"
[ ! -s "$work/log/out" ] || complain "with a limit on files: wrote on standard output"
[ "$(grep -c '^x.hdt: error: cannot write' "$work/log/err")" -eq 1 ] ||
    complain "with a limit on files: not one message"
[ "$(ls -A limited)" = "" ] || complain "with a limit on files: left behind $(ls -A limited)"
accepts trace export body.hdt --json -o x
refuses "error: --json needs -o" trace export body.hdt --json
"$heddle" trace export body.hdt >/dev/full 2>"$work/log/err"
[ $? -eq 2 ] && grep -q 'cannot write to standard output' "$work/log/err" ||
    complain "export to a full disk"

# ---- files that cannot be read -------------------------------------------------------------------

refuses "^absent.hdt: error: cannot open" trace info absent.hdt
refuses "^body.cl: error: .*no trace|^body.cl: error: .*not a trace" trace info body.cl
: >empty.hdt.part
refuses "^empty.hdt.part: error: " trace info empty.hdt.part
patched body.hdt later.hdt 12 '\002'
refuses "^later.hdt: error: .*version 2" trace info later.hdt
refuses "^later.hdt: error: .*version 2" trace export later.hdt
size=$(stat -c %s body.hdt)
for at in 0 40 $((size / 3)) $((size / 2)); do
    patched body.hdt damaged.hdt $at '\252\125'
    refuses "^damaged.hdt: error: " trace export damaged.hdt -o damaged.text
done
# Where its index should be found is lost, and the blocks are found all the same.
patched body.hdt damaged.hdt $((size - 9)) '\252\125'
call trace export damaged.hdt
[ "$status" -eq 0 ] && cmp -s text "$work/log/out" || complain "a damaged end loses blocks"
grep -q 'warning: the trace is not complete' "$work/log/err" || complain "no warning"

# A file without its end is what a killed run leaves: its complete blocks are there.
accepts trace long.cl --global 16384 --local 256 --count 65536 -o long.hdt
lines_of long.hdt >whole
head -c $(($(stat -c %s long.hdt) * 2 / 3)) long.hdt >cut.hdt
accepts trace info cut.hdt
prints '^  not complete: [a-z]'
call trace export cut.hdt -o cut.text
[ "$status" -eq 0 ] || complain "export of a cut file: exit status $status, not 0"
grep -q '^cut.hdt: warning: the trace is not complete: ' "$work/log/err" ||
    complain "no warning that the trace is not complete"
grep -v '^#' cut.text >cut
[ "$(grep -c '^B' cut)" -ge 20 ] || complain "$(grep -c '^B' cut) blocks are left of 64"
head -c "$(stat -c %s cut)" whole | cmp -s - cut || complain "the rest is not that of the whole"
accepts trace info cut.hdt --json
prints '"complete": false'

# text MESSAGE LINES...: a text that is refused, at its place.
text() {
    local message=$1
    shift
    printf '%s\n' '# heddle-trace-text 1' "$@" >bad.text
    refuses "^bad.text:$message" trace import bad.text -o bad.hdt
}
text '5:1: error: .*position' 'B 0 2' '0 0 L 4 0:100' '1 0 L 4 0:100' '0 0 L 4 1:104'
text '4:1: error: .*position' 'B 0 2' '0 0 L 4 0:100' '2 0 L 4 0:100'
text '3:[0-9]+: error: ' 'B 0 2' '0 0 L 4 2:100'
text '3:[0-9]+: error: ' 'B 0 2' '0 0 X 4 0:100'
text '3:[0-9]+: error: ' 'B 0 2' '0 0 L 4 0:xyz'
text '4:[0-9]+: error: ' 'B 0 2' '0 0 L 4 0:100' '1 0 L 8 0:100'
text '2:[0-9]+: error: ' '0 0 L 4 0:100'
text '2:1: error: .*file of the table has no name' '# launch 0 k 1 1 1 1 2 1 1 0 0 0' '# file -'
# Each record has twice the fields of the one before.
{
    printf '%s\n' '# heddle-trace-text 1' '# launch 0 k 1 1 1 1 2 1 1 0 0 0' '# record r r 8 4' \
        '# field f int 0 4 4 1 -'
    for row in $(seq 0 25); do
        printf '%s\n' '# record r r 8 4' "# field f r 0 8 4 1 $row" "# field g r 0 8 4 1 $row"
    done
    printf '%s\n' '# buffer b r global 0 8 8 26' 'B 0 2'
} >bad.text
refuses "^bad.text:2:1: error: .*4096 fields" trace import bad.text -o bad.hdt

# Many launches with one large table: a few bytes each in the file, and each a table in JSON.
{
    echo '# heddle-trace-text 1'
    for launch in $(seq 0 39); do
        echo "# launch $launch k 1 1 1 1 2 1 1 0 0 0"
        cat table 2>/dev/null || seq 1 30000 | sed 's/.*/# buffer b int global & 4 4 -/' | tee table
        echo '# access 0 L 4 global - - - 0 0 0'
    done
} >large.text
accepts trace import large.text -o large.hdt
refuses '^large.hdt: error: its launches have 1200040 accesses and buffers' \
    trace info large.hdt --json
accepts trace info large.hdt
rm large.text large.hdt table

# A trace may be of anybody: what it has no name for, and names that a terminal would obey.
printf '%s\n' '# heddle-trace-text 1' '# launch 0 k%1b[2J 1 4 1 1 2 1 1 0 0 0' '# file a' '# file b%0dc' \
    '# record r%1b r 8 4' '# buffer - int%07 global 100 8 4 -' '# buffer n%1b]0; - local 0 8 4 -' \
    '# access 0 L 4 global 0 - f%1b 1 7 0' '# access 1 L 4 global 1 - - 1 8 0' 'B 0 2' '0 0 L 4 0:100' \
    >odd.text
cp odd.text "$(printf 'odd\033.text')"
accepts trace import "$(printf 'odd\033.text')" -o odd.hdt
accepts trace info odd.hdt
! grep -q "$(printf '[\033\015\007]')" "$work/log/out" || complain "control characters are shown"
prints '^Accesses of k\?\[2J$'
prints '^  0 +b\?c:7 +load +\?\.f\? +global '
prints 'of odd\?.text, accesses to global$'
! grep -q null "$work/log/out" || complain "what has no name is shown as null"
head -c $(($(stat -c %s odd.hdt) - 40)) odd.hdt >odd.cut
accepts trace info odd.cut
! grep -q "$(printf '\033')" "$work/log/out" || complain "control characters in what is missing"

refuses "^body.cl:1:1: error: .*heddle-trace-text" trace import body.cl -o bad.hdt
refuses "^absent: error: cannot open" trace import absent -o bad.hdt

# ---- the words -------------------------------------------------------------------------------------

for command in info export import; do
    accepts trace $command --help
    prints "^usage: heddle trace $command "
    awk 'length > 80 { exit 1 }' "$work/log/out" || complain "trace $command --help is too wide"
    cp "$work/log/out" help
    accepts help trace $command
    cmp -s "$work/log/out" help || complain "help trace $command is another page"
    refuses "error: which file\? heddle trace $command" trace $command
done
accepts help trace
prints '^usage: heddle trace -o FILE'
refuses "error: there is no command or topic 'trace infos'" help trace infos
refuses "error: there is no command or topic 'run info'" help run info
refuses "^infos: error: neither a kernel file" trace infos -o x.hdt
accepts help trace-text
prints '<pos> <pc>'

# ---- signals ------------------------------------------------------------------------------------------

# What reads for long can be stopped, and leaves nothing.
given many.cl
accepts trace --as-written many.cl --global 8192 --local 1024 --arg n=100000 -o many.hdt

# catches PID: whether it is heddle, no more the shell, and has a handler for SIGTERM.
catches() {
    local mask
    [ "$(readlink "/proc/$1/exe")" = "$plain" ] || return 1
    mask=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status" 2>/dev/null)
    [ -n "$mask" ] && [ $((0x$mask & 0x4000)) -ne 0 ]
}

# stopped PATTERN FILE ARGUMENTS: SIGTERM as soon as it has a handler, and the FILE if one is named:
# exit status 130, a line that matches, and the files here are those of before.
stopped() {
    local pattern=$1 file=$2 before after process
    shift 2
    before=$(files_here)
    "$plain" "$@" >"$work/log/out" 2>"$work/log/err" </dev/null &
    process=$!
    while kill -0 $process && ! { catches $process && [ -z "$file" -o -e "$file" ]; }; do
        sleep 0.01
    done 2>"$work/log/kill"
    kill -TERM $process 2>"$work/log/kill"
    wait $process
    status=$?
    after=$(files_here)
    [ "$status" -eq 130 ] || complain "heddle $*: exit status $status after a signal, not 130"
    grep -Eq -- "$pattern" "$work/log/err" || complain "heddle $*: no line matches: $pattern"
    [ "$before" = "$after" ] || complain "heddle $*: the files changed: $after"
}
stopped 'warning: stopped by a signal' '' trace export many.hdt -o many.text
[ ! -s "$work/log/out" ] || complain "a stopped export says something"
stopped 'warning: stopped by a signal' '' cache --locality many.hdt
stopped 'warning: stopped by a signal' '' cache --reuse many.hdt -s 6 --clusters 2 --units 16
[ "${HEDDLE_PAGE:-ON}" = OFF ] ||
    stopped 'warning: stopped by a signal' '' report many.hdt -o many.html

# On standard output it ends with lines that say so.
"$plain" trace export many.hdt >many.text 2>"$work/log/err" &
process=$!
while [ ! -s many.text ]; do sleep 0.01; done
kill -TERM $process
wait $process
[ $? -eq 130 ] || complain "a stopped export to standard output: another exit status than 130"
[ "$(tail -n 1 many.text)" = "# launch stopped" ] || complain "a stopped text does not say so"
grep -q '^many.hdt: warning: .*the text is not complete' "$work/log/err" ||
    complain "nothing says that the text is not complete"
rm many.text
"$heddle" trace export many.hdt 2>"$work/log/err" | head -c 60000000 | sed '$d' >part.text
stopped '^part.text: warning: stopped by a signal: nothing was written$' back2.hdt.part \
    trace import part.text -o back2.hdt
rm part.text

# ---- on a terminal -----------------------------------------------------------------------------------

# Progress shows there at once; script gives a terminal.
if command -v script >/dev/null; then
    cat >slow.cl <<'END'
__kernel void slow(__global int *a, int n) {
    for (int i = 0; i < n; i++)
        a[get_global_id(0)] += i;
}
END
    script -qec "'$heddle' run --as-written slow.cl --global 65536 --local 256 --arg n=5000 --workers 1" \
        "$work/log/terminal" >/dev/null </dev/null
    grep -q 'slow: [0-9]*% \.\.\.' "$work/log/terminal" ||
        complain "no progress on a terminal"
fi
accepts run slow.cl --global 256 --local 256 --arg n=20
finish
