# Headers of CUDA C that are kept precompiled: the same kir as without, made anew when what they are
# of has changed, and nothing lost where they cannot be kept.
source "$(dirname "$0")/../cli/lib.sh"
source "$source_folder/tests/cli/ready.sh"
export XDG_CACHE_HOME=$PWD/cache CUDA_PATH=
cat >k.cu <<'END'
struct body { float x, y; };
template <class T> __global__ void scale(T *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i].x = sinf(a[i].y) * N + min(i, 3);
}
int main() { scale<<<1, 2>>>((body *)nullptr, 2); }
END
# ir OPTIONS FILE WHEN: the kir with these options, into a file.
ir() {
    call show --ir --options "$1" k.cu
    [ "$status" -eq 0 ] || complain "$3"
    cp "$work/log/out" "$2"
}
kept() { ls cache/heddle/cuda-*."$1" 2>/dev/null; }

XDG_CACHE_HOME=/dev/null/none ir "-DN=3" plain "without a folder to keep them in"
ir "-DN=3" first "the first time"
[ "$(kept pch | wc -l)" -eq 1 ] || complain "kept: $(kept pch)"
cp -p "$(kept pch)" before
ir "-DN=3 -I. -Wall" second "the second time"
cmp plain first && cmp plain second || complain "not the same kir"
[ "$(kept pch)" -nt before ] && complain "made anew for folders, warnings and macros"
ir "-DN=4" four "with another macro"
cmp -s four plain && complain "a macro says nothing"
ir "-DN=3 -std=c++20" other "in C++20"
[ "$(kept pch | wc -l)" -eq 2 ] || complain "for C++20 kept: $(kept pch)"

# A header that changed, a file that is damaged.
for file in $(kept files); do
    sed -i '3s/^[0-9]*/1/' "$file"
done
for file in $(kept pch); do
    head -c 1000 "$file" >short && cp short "$file"
done
ir "-DN=3" third "with damaged files"
cmp plain third || complain "not the same kir"
sed -i '3s/^[0-9]*/1/' "$(ls -t $(kept files) | head -1)"
ir "-DN=3" fourth "with a header that changed"
cmp plain fourth || complain "not the same kir"
[ "$(sed -n '3s/ .*//p' "$(ls -t $(kept files) | head -1)")" -gt 1 ] || complain "not made anew"

# What is kept has an end.
for i in $(seq 20); do
    touch -d "2001-01-$i" "cache/heddle/cuda-$i.pch" "cache/heddle/cuda-$i.files"
done
ir "-DN=3 -std=c++14" last "in C++14"
[ ! -e cache/heddle/cuda-1.pch ] && [ ! -e cache/heddle/cuda-1.files ] || complain "the oldest is still there"
finish
