# The command line itself: commands, options, help, and a full standard output.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

refuses "error: which command\?"
refuses "no command 'advize'; did you mean 'advise'\?" advize body.cl
refuses "no command 'xyzzy'; 'heddle help' lists them" xyzzy
refuses "no option --layot; did you mean --layout\?" apply --layot soa body.cl
refuses "no option --xyzzyplugh; 'heddle show --ir --help'" show --ir --xyzzyplugh body.cl
refuses "no option -Z" show --ir -Z body.cl
refuses "layout needs a value: --layout L" apply body.cl --layout
refuses "json takes no value" show --ir --json=yes body.cl
refuses "repeats takes a whole number from 1 on, not '-3'" measure --repeats -3 body.cl
refuses "repeats takes a whole number from 1 on, not '3x'" measure --repeats 3x body.cl
refuses "repeats takes a whole number from 1 on, not '0'" measure --repeats 0 body.cl
refuses "count takes a whole number from 1 on, not '0'" advise --accesses --count 0 body.cl
refuses "seconds takes a number that is not negative, not 'nan'" measure --seconds nan body.cl
refuses "global takes one to three sizes.*'64,0'" advise --accesses --global 64,0 body.cl
refuses "global takes one to three sizes.*'1,2,3,4'" advise --accesses --global 1,2,3,4 body.cl
refuses "global takes one to three sizes.*'99999999999999999999'" \
    advise --accesses --global 99999999999999999999 body.cl
refuses "global has 2 dimensions and --local 1" advise --accesses --global 64,64 --local 64 body.cl
refuses "color takes auto, always or never, not 'blue'" show --ir --color blue body.cl
refuses "which file\? heddle show --ir" show --ir
refuses "'b.cl' is one word too many" show --ir a.cl b.cl
refuses "no command or topic 'xyzzy'" help xyzzy
refuses "which layout\?" apply body.cl --out .
refuses "where to\?" apply body.cl --layout soa
refuses "which layout\?" measure body.cl

accepts --version
prints '^heddle [0-9]+\.[0-9]+'
accepts help
prints '^  advise '
accepts help layout
prints 'cluster  :='
commands=$("$heddle" help | sed -n '/^Topics/q;s/^  \([a-z-]*\) .*/\1/p')
variants=("advise --costs" "advise --graph" "advise --accesses" "show --ir" "trace info" "trace export"
    "trace import" "cache --locality" "cache --reuse" "cache --compare" "device list" "device probe"
    "device train" "device explore" "device check" "run --")
[ "$(echo "$commands" | wc -w)" -ge 6 ] || complain "help lists too few commands"
[ "$(echo "$commands" | wc -w)" -le 14 ] || complain "help lists more than 14 commands"
for command in $commands; do
    accepts "$command" --help
    prints "^usage: heddle $command"
    prints '^  --json '
    awk 'length > 80 { exit 1 }' "$work/log/out" || complain "$command --help is too wide"
    cp "$work/log/out" "$work/help-$command"
    [ -f "$(dirname "$heddle")/man/heddle-$command.1" ] || complain "no manual page of $command"
    grep -q "^## heddle $command\$" "$source_folder/docs/json.md" ||
        complain "docs/json.md has no section on $command"
done
for words in $commands "${variants[@]}"; do
    # shellcheck disable=SC2086
    accepts help $words
    [ ! -f "$work/help-$words" ] || cmp -s "$work/log/out" "$work/help-$words" ||
        complain "help $words is not $words --help"
    cp "$work/log/out" "$work/help-$words"
done

# A letter is the same option in every command, and those for outputs and devices are -o and -d.
cat "$work"/help-* | sed -nE 's/^  -(.), --([a-z-]+).*/\1 \2/p' | sort -u >"$work/log/out"
prints '^o out$'
prints '^d device$'
twice=$(cut -c 1 "$work/log/out" | uniq -d)
[ -z "$twice" ] || complain "letters of several options: $twice"
grep -E '^  --(out|device)' "$work"/help-* && complain "--out or --device has no letter"

# Manual pages explain every option of their command, those of many commands in heddle.1; and their
# prose tells more of no others.
pages=$(dirname "$heddle")/man
explained() { grep '^\.It ' "$1" | grep -Eo 'Fl -[a-z-]+' | sed 's/^Fl -//' | sort -u; }
explained "$pages/heddle.1" >"$work/shared"
for command in $commands; do
    sed -nE 's/^  (-., )?--([a-z-]+).*/\2/p' "$work/help-$command"{,\ *} 2>/dev/null |
        sort -u >"$work/options"
    explained "$pages/heddle-$command.1" | sort -u - "$work/shared" |
        comm -13 - "$work/options" >"$work/missing"
    [ ! -s "$work/missing" ] ||
        complain "man/heddle-$command.1 lacks options: $(cat "$work/missing")"
    explained "$source_folder/man/heddle-$command.mdoc" |
        comm -23 - "$work/options" >"$work/missing"
    [ ! -s "$work/missing" ] ||
        complain "man/heddle-$command.mdoc has options that are none: $(cat "$work/missing")"
done

# An option of one value is given one; lists take all, and flags do not mind.
refuses "error: --entry is given twice, as 'push' and as 'pull', and takes one value" \
    advise --accesses -e push --entry pull body.cl
refuses "error: --global is given twice, as '64' and as '128'" \
    advise --accesses --global=64 -g 128 body.cl
refuses "error: --color is given twice" advise --accesses --color never --color always body.cl
refuses "error: --layout is given twice, as 'soa' and as 'aos'" \
    measure body.yaml -l soa -l aos
accepts advise --accesses -e push -e push --all --all -q -q body.cl
accepts advise --costs -d h200 -d tesla-k20c -l soa -l aos body.yaml
prints '^body on tesla-k20c|^struct body on tesla-k20c'

# Colour: only when asked for, here, because nothing is a terminal.
call show --ir --color always missing.cl
grep -q $'\033\[' "$work/log/err" || complain "--color always gave no colour"
call show --ir missing.cl
! grep -q $'\033' "$work/log/err" || complain "colour without a terminal"

for arguments in "help" "help --json" "device list host" "show --ir body.cl" "advise --accesses body.cl --json"; do
    # shellcheck disable=SC2086
    "$heddle" $arguments >/dev/full 2>"$work/log/err"
    status=$?
    [ $status -eq 2 ] || complain "heddle $arguments on a full disk: exit status $status, not 2"
    grep -q 'cannot write to standard output' "$work/log/err" ||
        complain "heddle $arguments on a full disk: no message"
done
finish
