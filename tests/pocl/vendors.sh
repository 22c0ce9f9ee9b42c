# vendors.sh SLIM_POCL LAZY_C FOLDER: the system's OpenCL, for tests, with a PoCL that starts sooner and
# compiles sooner.
#
# In each context in which it compiles PoCL reads all functions of the language, 23,000, and with
# each kernel it parses as many declarations; both take it longer than most kernels of tests. Here
# it finds half of the functions: those for vectors of 8 or 16 numbers are left out (slim.c says
# which). A kernel that calls one is not built, and PoCL names the function; tests that try all
# functions have the system's PoCL. And there are no declarations: clang knows them by itself
# (lazy.c), by the names that the language gives them, not those that PoCL's header makes of them.
#
#     FOLDER/vendors/   for OCL_ICD_VENDORS: the files of /etc/OpenCL/vendors, where PoCL's names
#     FOLDER/lib/pocl/  lazy.c's library, beside a link to PoCL's, and to its devices, which it
#                       looks for beside it;
#     FOLDER/share/     and from there its headers and functions
#
# Where anything is otherwise than it is known here, the vendors are the system's as they are.
slim=$1 lazy=$2 folder=$3
rm -rf "$folder"
mkdir -p "$folder"/vendors "$folder"/lib/pocl "$folder"/share/pocl/include
cp /etc/OpenCL/vendors/*.icd "$folder/vendors/" 2>/dev/null || exit 0

icd=$(grep -l libpocl "$folder"/vendors/*.icd) && library=$("$slim" "$(cat "$icd")") || exit 0
share=$(dirname "$library")/../../share/pocl
set=sse2
for flag in avx2 avx512f; do
    ! grep -qw "$flag" /proc/cpuinfo || set=${flag%f}
done
functions=$(ls "$share"/kernel-*-$set.bc) || exit 0 # for this processor
ln -s "$share"/*.bc "$folder/share/pocl/"
rm "$folder/share/pocl/$(basename "$functions")"
"$slim" "$library" "$functions" "$folder/share/pocl/$(basename "$functions")" || exit 0

include=$folder/share/pocl/include
ln -s "$share"/include/* "$include/"
rm "$include"/{opencl-c.h,_builtin_renames.h,_clang_opencl.h}
cat >"$include/opencl-c.h" <<'END'
#include "opencl-c-base.h"
/* Clang takes the events to be anywhere in memory. */
void __attribute__((overloadable)) wait_group_events(int, event_t *);
END
echo '#include "opencl-c.h"' >"$include/_clang_opencl.h"
touch "$include/_builtin_renames.h"

ln -s "$(dirname "$library")/pocl" "$folder/lib/pocl/"
ln -s "$library" "$folder/lib/pocl/libpocl.so.2"
"${CC:-cc}" -shared -fPIC -O1 -o "$folder/lib/pocl/lazy.so" "$lazy" -Wl,--no-as-needed \
    "$folder/lib/pocl/libpocl.so.2" -Wl,-rpath,'$ORIGIN' -ldl || exit 0
echo "$folder/lib/pocl/lazy.so" >"$icd"
