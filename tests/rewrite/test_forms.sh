# Forms of CUDA programs, a small program each, in forms/. Each says in its first lines
#
#     // in: RECORD=LAYOUT; RECORD=LAYOUT
#
# what `heddle apply` is to make of it, and is rewritten without an edit by hand; what its kernels do is
# checked on the machine. All versions of all programs are one, each in a namespace, which nvcc builds,
# and print under `heddle run` what the originals print. Their numbers are small enough for sums of
# products to be exact, however compilers contract them. A program with lines that end in
#
#     //! PATTERN
#
# is refused at all of these lines, with a message like that each, at no others, and nothing is
# written. Without nvcc clang takes what becomes of the programs, and nothing is run.
# In the folders several*/ are programs of several files. Called with the path of heddle, and names of forms where not all are meant.
source "$(dirname "$0")/../cli/lib.sh"
forms=$source_folder/tests/rewrite/forms
export standard=c++17 whole=$forms heddle work source_folder
source "$source_folder/tests/rewrite/whole.sh"

# layouts NAME [ENDING]: a line for each
layouts() { sed -n 's,^// in: ,,p' "$forms/$1.${2-cu}" | tr ';' '\n' | sed 's/^ *//'; }

# check_refused NAME
check_refused() {
    local name=$1 line pattern
    "$heddle" apply --no-verify --layout "$(layouts "$name")" --out refused "$forms/$name.cu" >log 2>&1
    [ $? -eq 2 ] || fail 'not refused'
    [ ! -e refused ] || fail 'refused, but something is written'
    grep -n '//! ' "$forms/$name.cu" | while IFS=: read -r line pattern; do
        pattern=${pattern#*//! }
        grep -Eq "$name.cu:$line:[0-9]+: error: .*$pattern" log ||
            fail "no such place: line $line: $pattern"
    done
    diff <(sed -nE "s/^.*$name.cu:([0-9]+):[0-9]+: error: .*/\1/p" log | sort -nu) \
        <(grep -n '//! ' "$forms/$name.cu" | cut -d: -f1) || fail 'other places'
}

# check_form NAME
check_form() {
    local name=$1 layout number=0
    mkdir "$name-rewritten" && cd "$name-rewritten" || return
    if grep -q '//! ' "$forms/$name.cu"; then
        check_refused "$name"
        return
    fi
    while read -r layout; do
        number=$((number + 1))
        "$heddle" apply --layout "$layout" --out "$number" "$forms/$name.cu" >log 2>&1 ||
            fail "$layout: not rewritten"
    done < <(layouts "$name")
}
export forms
export -f layouts check_refused check_form

names=("${@:2}")
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(basename -s .cu "$forms"/*.cu)
if [ -z "$nvcc" ]; then # which brings the headers of libraries
    mapfile -t names < <(cd "$forms" && grep -LE '#include <(thrust|cub|cuda/std)/' "${names[@]/%/.cu}" |
        sed 's/\.cu$//')
fi
printf '%s\n' "${names[@]}" | sed '/^$/d' | xargs -P 2 -I {} bash -c 'check_form "{}"' >said
mapfile -t programs < <(cd "$forms" && grep -L '//! ' $(printf '%s.cu ' "${names[@]}") | sed 's/\.cu$//')
[ ${#programs[@]} -eq 0 ] || bash -c 'check_programs all "$@"' - "${programs[@]}" >>said

# check_several NAME: a program of several files, by way of its recording. Its first lines say the
# layouts, and what else nvcc is told; or what is said of it where it is refused, "// refused: TEXT".
check_several() {
    local name=$1 main layout number=0 files options refused
    cp -r "$forms/$name" "$name-original" && cd "$name-original" || return
    files=$(echo *.cu *.cpp | sed 's/ \*\.cpp//')
    main=$(echo main.c*)
    options="-std=c++17 -gencode arch=compute_80,code=compute_80 -cudart shared $(sed -n 's,^// nvcc: ,,p' "$main")"
    "$nvcc" $options -o app $files >log 2>&1 || fail 'nvcc refuses it'
    "$heddle" record $(printf -- '--source %s ' $files) -o "../$name-run" -- ./app >log 2>&1 ||
        fail 'not recorded'
    refused=$(sed -n 's,^// refused: ,,p' "$main")
    [ -z "$refused" ] || grep -Fq "$refused" log || fail "does not say: $refused"
    sed 1q log >"../$name-first"
    layouts "$name/${main%.*}" "${main##*.}" >../"$name-layouts"
    cd ..
    while read -r layout; do
        number=$((number + 1))
        "$heddle" apply "$name-run" --layout "$layout" --out "$name-$number" >log 2>&1 ||
            [ -n "$refused" ] || fail "$layout: not rewritten"
        if [ -n "$refused" ]; then
            grep -q "'heddle record' says why" log || fail "$layout: says nothing of the recording"
            continue
        fi
        (cd "$name-$number" && "$nvcc" $options -o app $files >log 2>&1 &&
            "$heddle" run -- ./app 2>&1 | sed 1q) | diff "$name-first" - >log ||
            fail "$layout: other output"
    done <"$name-layouts"
}
export -f check_several
[ -z "$nvcc" ] || [ $# -gt 1 ] ||
    (cd "$forms" && ls -d several*) | xargs -P 2 -I {} bash -c 'check_several "{}"' >>said
cat said
failures=$((failures + $(grep -c '^FAILED' said)))
finish
