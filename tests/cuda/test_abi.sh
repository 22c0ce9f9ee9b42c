# The types of src/cuda/runtime/abi.h beside those of a toolkit's headers: every member has the same
# place and size. Without a toolkit there is nothing to compare.
source "$(dirname "$0")/../folder.sh"
source_folder=${HEDDLE_SOURCE:-$(cd "$(dirname "$0")/../.." && pwd)}
include=${CUDA_PATH-${CUDA_HOME-/usr/local/cuda}}/include
[ -f "$include/cuda_runtime_api.h" ] || { echo "skipped: there is no toolkit ($include)"; exit 0; }
version=$(sed -nE 's/^#define CUDART_VERSION +([0-9]+)([0-9]{3})$/\1/p' "$include/cuda_runtime_api.h")
cd "$work" || exit 2

# A line for each member of the structs of abi.h, as it is for this version: what prints its place.
python3 - "$source_folder/src/cuda/runtime/abi.h" "$version" >members.h <<'END'
import re, subprocess, sys
text = subprocess.run(['cc', '-E', '-P', '-DCUDART=' + sys.argv[2], '-I/nowhere', sys.argv[1]],
                      capture_output=True, text=True, check=True).stdout
text = re.sub(r'union \{.*?\} (\w+);', r'int \1;', text, flags=re.S)
for name, body in re.findall(r'typedef struct (\w+) \{(.*?)\n?\} \w+;', text, re.S):
    if not (name.startswith('cuda') or name == 'dim3'):
        continue
    print(f'    SIZE({name})')
    for line in body.split(';'):
        line = re.sub(r'\(\*(\w+)\)\s*\(.*\)', r'\1', line)
        line = re.sub(r'\[[^]]*\]', '', line).strip()
        if not line:
            continue
        first, *rest = [part.strip() for part in line.split(',')]
        for member in [first.split()[-1]] + rest:
            member = member.lstrip('*')
            if member not in ('reserved', 'pad'):
                print(f'    MEMBER({name}, {member})')
END
[ "$(wc -l <members.h)" -gt 150 ] || { echo "found only $(wc -l <members.h) members"; exit 1; }

# print_places NAME COMPILER-OPTIONS: a program that includes the header, and what it prints.
print_places() {
    local name=$1 header=$2
    shift 2
    cat >"$name.c" <<END
#include <stddef.h>
#include <stdio.h>
#include $header
#define SIZE(T) printf(#T " %zu\\n", sizeof(T));
#define MEMBER(T, m) printf(#T "." #m " %zu %zu\\n", offsetof(T, m), sizeof(((T *)0)->m));
int main(void) {
#include "members.h"
    return 0;
}
END
    cc "$@" -o "$name" "$name.c" && "./$name" >"$name.txt"
}
print_places ours "\"$source_folder/src/cuda/runtime/abi.h\"" -DCUDART="$version" || exit 1
# There most are no types of their own name in C.
sed -i -E '/(SIZE|MEMBER)\((dim3|cudaLaunch|cudaGraph)/!s/\(cuda/(struct cuda/' members.h
print_places theirs '<cuda_runtime_api.h>' -I"$include" || exit 1
sed -i 's/^struct //' theirs.txt
diff ours.txt theirs.txt || { echo 'abi.h is not what the toolkit has'; exit 1; }
echo "$(wc -l <ours.txt) sizes and places are the toolkit's, of version $version"
