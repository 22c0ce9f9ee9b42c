#!/bin/bash
# The recipes of docs/ci.md: the commands in examples/ci/*.yml, but those that install packages, on
# examples/ci/project as it is, and with a fault, a race, a line below its threshold and memory that is not
# freed. The package that they fetch is what `cmake --install` leaves. Without nvcc nothing is tested;
# test_cmake.sh has heddle_test() with kept PTX.
source "$(dirname "$0")/../cli/lib.sh"
build=${HEDDLE_BUILD:?ctest sets it: the folder of the build}
ci=$source_folder/examples/ci
: >"$work/log/out" >"$work/log/err"

# ---- what the page says ------------------------------------------------------------------------

for name in github.yml gitlab.yml project/CMakeLists.txt; do
    grep -qF "](../examples/ci/$name)" "$source_folder/docs/ci.md" || complain "docs/ci.md does not name $name"
done

# The commands of a recipe, one a line.
github() { sed -nE -e 's/^        run: ([^|].*)/\1/p' -e 's/^          ([a-z].*)/\1/p' "$ci/github.yml"; }
gitlab() { sed -nE '/^  (before_)?script:/,/^  artifacts:/s/^    - (.*)/\1/p' "$ci/gitlab.yml"; }
for recipe in github gitlab; do
    $recipe | grep -v '^apt-get ' >"$work/$recipe"
    [ "$($recipe | wc -l)" -eq 8 ] && [ "$(wc -l <"$work/$recipe")" -eq 6 ] ||
        complain "$recipe.yml has other commands than this test knows: $($recipe)"
done
diff "$work/github" <(sed 's/ --output-junit junit.xml//' "$work/gitlab") >"$work/log/out" ||
    complain "the recipes (<: GitHub's, >: GitLab's) do different things"

nvcc=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/nvcc
for tool in "$nvcc" curl xz cmake; do
    command -v "$tool" >/dev/null || {
        echo "skipped: the recipes' commands, as there is no $tool"
        finish
    }
done
export CUDACXX=$nvcc

# ---- the package ------------------------------------------------------------------------------------

cmake --install "$build" --prefix "$work/heddle-package" --strip >"$work/log/out" 2>"$work/log/err" ||
    complain "cmake --install"
tar -C "$work" -cf - heddle-package | xz -T0 -0 >"$work/package.tar.xz"
rm -r "$work/heddle-package"
export HEDDLE_PACKAGE=file://$work/package.tar.xz

# ---- the commands, in a checkout ------------------------------------------------------------------------

# does RECIPE [LINES]: its commands succeed, one after the other.
does() {
    sed -n "${2-1,\$}p" "$work/$1" >"$work/commands"
    (cd "$work/checkout" && bash -e "$work/commands") >"$work/log/out" 2>"$work/log/err" </dev/null
}
# with WHAT SED_SCRIPT PATTERN: the project edited so fails its test, and says the pattern.
with() {
    sed -i.kept "$2" scale.cu
    ! cmp -s scale.cu scale.cu.kept || complain "$1: nothing is edited"
    ! does gitlab '5,$' || complain "with $1 the recipe succeeds"
    prints "$3"
    grep -q 'failures="1"' build/junit.xml || complain "with $1: no failure in junit.xml"
    mv scale.cu.kept scale.cu
}

cp -r "$ci/project" "$work/checkout"
cd "$work/checkout" || exit 2
does github || complain "github.yml"
prints '100% tests passed'
rm -r build heddle heddle.tar.xz
does gitlab || complain "gitlab.yml"
grep -q 'tests="1"' build/junit.xml && grep -q 'failures="0"' build/junit.xml || complain "junit.xml"
with 'a fault' 's/in\[i\];/in[i + 1];/' 'scale.cu:9:.*error: .*load of 4 bytes'
with 'a race' 's/out\[i\]/out[i \/ 2]/' 'scale.cu:9:.*race'
with 'a line below its threshold' 's/out\[i\] = 2 \* in\[i\]/out[i * 9 % count] = 2 * in[i * 9 % count]/' \
    "scale.cu:9: error: load of kernel 'scale.*' uses 1[0-9.]*% of the bytes that it moves, less than 80.0%"
with 'memory that is not freed' '/cudaFree(in)/d' 'not freed, of 1 allocation'
finish
