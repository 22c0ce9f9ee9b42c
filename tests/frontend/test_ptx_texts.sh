# Texts of PTX that people wrote for the tests are PTX: NVIDIA's assembler takes them. Where there is
# none, nothing is checked.
set -u
cd "${HEDDLE_SOURCE:-$(dirname "$0")/../..}/tests/frontend/ptx" || exit 2
ptxas=$(command -v ptxas || echo "${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/bin/ptxas")
[ -x "$ptxas" ] || { echo "there is no ptxas here"; exit 0; }
source ../../folder.sh
failed=0
for text in styles.ptx statements.ptx; do
    sed '/^#/d' "$text" >"$work/text.ptx" # lines that a preprocessor leaves are gone by then
    "$ptxas" -c -arch sm_90a "$work/text.ptx" -o "$work/out" >"$work/said" 2>&1 ||
        { echo "FAILED $text:"; head -5 "$work/said"; failed=1; }
done
# It can fail.
echo 'add.s32 %r1;' >"$work/text.ptx"
"$ptxas" -c -arch sm_90a "$work/text.ptx" -o "$work/out" >"$work/said" 2>&1 &&
    { echo "FAILED: ptxas takes everything"; failed=1; }
exit $failed
