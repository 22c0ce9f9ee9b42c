# docs/fidelity.md is what its tables say, and each row of these has a test (fidelity.c). First it is seen
# that a row without one is found.
source "$(dirname "$0")/../folder.sh"
root=$(realpath "$(dirname "$0")/../..")
page=${HEDDLE_BUILD:-$root/build/release}/tests/fidelity

mkdir -p "$work/tests/cuda/programs"
echo 'cudaMalloc(0, 0);' >"$work/tests/cuda/programs/one.cu"
"$page" "$work" >"$work/page.md" 2>"$work/said" && { echo "rows without a test are not found"; exit 1; }
grep -q '^no test has cudaFree (' "$work/said" || { head -5 "$work/said"; exit 1; }
grep -q '^no test has cudaMalloc (' "$work/said" && { echo "the test of cudaMalloc is not found"; exit 1; }

# Which of several tests is named may change.
"$page" "$root" >"$work/page.md" || exit 1
without_tests() { sed 's/ [^|]* |$/ |/' "$1"; }
diff <(without_tests "$root/docs/fidelity.md") <(without_tests "$work/page.md") || {
    echo "docs/fidelity.md is not what the tables say (>); './run docs' makes it"
    exit 1
}
