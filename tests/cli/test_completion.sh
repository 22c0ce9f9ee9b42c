# 'heddle help complete' has every option of every command, and the scripts of 'heddle help
# completion' ask it: bash really completes, and so do fish and zsh where they are installed.
source "$(dirname "$0")/lib.sh"
source "$source_folder/tests/cli/ready.sh"

for shell in bash zsh fish; do
    accepts help completion $shell
    cp "$work/log/out" "$work/$shell"
    if command -v $shell >"$work/log/err"; then
        $shell -n "$work/$shell" 2>"$work/log/err" || complain "$shell does not read its script"
    fi
done
refuses "error: there is no completion for 'tcsh', only for bash zsh fish" help completion tcsh
accepts help completion
prints 'heddle help completion bash'

# ---- every option of every help -----------------------------------------------------------

commands=$("$heddle" help | sed -n '/^Topics/q;s/^  \([a-z-]*\) .*/\1/p')
while read -r words; do
    # shellcheck disable=SC2086
    "$heddle" help $words |
        sed -nE 's/^  (-(.), )?--([a-z0-9-]+).*/--\3\n-\2/p' | grep -vx -- - | sort >"$work/options"
    [ -s "$work/options" ] || complain "$words has no options"
    # shellcheck disable=SC2086
    accepts help complete $words -
    # each with a text
    sed -n 's/	..*//p' "$work/log/out" | sort -u | comm -13 - "$work/options" >"$work/missing"
    [ ! -s "$work/missing" ] || complain "$words: not completed: $(cat "$work/missing")"
done <<END
$commands
trace info
trace export
trace import
advise --costs
advise --graph
advise --accesses
show --ir
show --ptx
cache --locality
cache --reuse
cache --compare
device list
device probe
device train
device explore
device check
END

# ---- bash -------------------------------------------------------------------------------------

mkdir here
touch here/job.yaml here/kernel.cl 'here/two words.cl'
mkdir here/folder
cat >complete.bash <<'END'
# WORDS...: what bash completes the last of them to, each on a line
cd here && source "$script" && type _heddle >/dev/null || exit 2
complete -p heddle | grep -q -- '-F _heddle' || exit 3
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_heddle
[ ${#COMPREPLY[@]} -eq 0 ] || printf '%s\n' "${COMPREPLY[@]}"
END

# completes "LINES" WORDS...: the last word becomes these, whatever their order.
completes() {
    local expected=$1
    shift
    script=$work/bash bash complete.bash "$heddle" "$@" >"$work/log/out" 2>"$work/log/err"
    [ "$(sort "$work/log/out" | paste -sd' ')" = "$expected" ] && [ ! -s "$work/log/err" ] ||
        complain "heddle $*: completes not to: $expected"
}

completes 'record report' re
script=$work/bash bash complete.bash "$heddle" '' | grep -vx -- '--.*' | sort >"$work/log/out"
echo "$commands" | sort | cmp -s - "$work/log/out" || complain "not every command is completed"
completes '--version' --v
completes '--local --loops' advise --costs --lo
completes '--json' trace info --j
completes '--out' trace import --ou
completes '' trace info --ou
completes 'h100 h200 host' advise --costs --device h
completes 'h100 h200 host' advise --costs -d h
completes 'h200' advise --costs --device = h2
completes 'h200' device list h2
completes 'always auto' run --color a
completes 'peng' advise --loops p
completes 'folder job.yaml kernel.cl two words.cl' apply ''
completes 'folder' apply --layout soa --out ''
completes 'folder job.yaml kernel.cl two words.cl' trace -o ''
completes 'job.yaml' trace j
completes 'info' trace inf
completes '--compare' cache --compa
completes 'check' device ch
completes 'job.yaml' trace info j
completes '' run --workers ''
completes 'trace trace-text' help tr
completes 'train' help device tr
completes 'fish' help completion f
completes 'info' help trace inf
[ -z "$("$heddle" device list --ids)" ] || completes "$("$heddle" device list --ids | sort | paste -sd' ')" run --on ''

# ---- fish, zsh --------------------------------------------------------------------------------

if command -v fish >"$work/log/out"; then
    mkdir bin home
    ln -s "$heddle" bin/heddle
    for line in "heddle app=apply" "heddle trace inf=info" "heddle trace info --js=--json" \
        "heddle advise --costs -d h2=h200" "heddle advise --loops p=peng" "heddle help completion zs=zsh" \
        "heddle advise --costs here/jo=here/job.yaml"; do
        env PATH="$PWD/bin:$PATH" HOME="$PWD/home" fish -c "source '$work/fish'; complete -C '${line%=*}'" \
            >"$work/log/out" 2>"$work/log/err"
        prints "^${line#*=}( |	|\$)"
    done
fi
# What zsh's _heddle offers to the system of completion, which these functions stand in for.
if command -v zsh >"$work/log/out"; then
    mkdir -p bin && ln -sf "$heddle" bin/heddle
    zsh -f -c "autoload -U compinit; compinit -D; source '$work/zsh'; print \$_comps[heddle]" \
        >"$work/log/out" 2>"$work/log/err"
    prints '^_heddle$'
    cat >complete.zsh <<'END'
compdef() { :; }
_call_program() { shift; eval "$*"; }
_describe() { print -l -- ${(P)2%%:*}; }
_files() { print -r -- "files $*"; }
source $script
words=(heddle "$@") CURRENT=$(($# + 1))
_heddle
END
    for line in "app=apply" "trace inf=info" "trace info --js=--json" "diff -d h2=h200" \
        "help completion zs=zsh" "diff jo=files " "apply --out x=files -/"; do
        # shellcheck disable=SC2086
        script=$work/zsh PATH="$PWD/bin:$PATH" zsh -f complete.zsh ${line%=*} \
            >"$work/log/out" 2>"$work/log/err"
        prints "^${line#*=}"
        [ ! -s "$work/log/err" ] || complain "zsh: $line"
    done
fi
finish
