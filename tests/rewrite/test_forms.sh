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
# In several/ is a program of several files. Called with the path of heddle, and names of forms where not all are meant.
source "$(dirname "$0")/../cli/lib.sh"
forms=$source_folder/tests/rewrite/forms
export whole=$forms heddle work source_folder
source "$source_folder/tests/rewrite/whole.sh"

# layouts NAME: a line for each
layouts() { sed -n 's,^// in: ,,p' "$forms/$1.cu" | tr ';' '\n' | sed 's/^ *//'; }

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
[ -n "$nvcc" ] || names=("${names[@]/thrust}") # its headers come with nvcc
printf '%s\n' "${names[@]}" | sed '/^$/d' | xargs -P 2 -I {} bash -c 'check_form "{}"' >said
mapfile -t programs < <(cd "$forms" && grep -L '//! ' $(printf '%s.cu ' "${names[@]}") | sed 's/\.cu$//')
[ ${#programs[@]} -eq 0 ] || bash -c 'check_programs all "$@"' - "${programs[@]}" >>said

# A program of several files, by way of its recording.
check_several() {
    local name=several layout files="main.cu kernels.cu fill.cu"
    cp -r "$forms/several" several-original && cd several-original || return
    "$nvcc" -std=c++14 -gencode arch=compute_80,code=compute_80 -cudart shared -o app $files >log 2>&1 || fail 'nvcc refuses it'
    "$heddle" record $(printf -- '--source %s ' $files) -o ../several-run -- ./app >log 2>&1 ||
        fail 'not recorded'
    sed 1q log >../several-first
    cd ..
    for layout in soa aosoa:32; do
        "$heddle" apply several-run --layout Body=$layout --out "several-$layout" >log 2>&1 ||
            fail "$layout: not rewritten"
        (cd "several-$layout" && "$nvcc" -std=c++14 -gencode arch=compute_80,code=compute_80 -cudart shared -o app $files >log 2>&1 &&
            "$heddle" run -- ./app 2>&1 | sed 1q) | diff several-first - >log ||
            fail "$layout: other output"
    done
}
[ -z "$nvcc" ] || [ $# -gt 1 ] || (check_several) >>said
cat said
failures=$((failures + $(grep -c '^FAILED' said)))
finish
