# vendors.sh SLIM_POCL FOLDER: the system's OpenCL, for tests, with a PoCL that starts sooner.
#
# In each context in which it compiles PoCL reads all functions of the language, 23,000, which takes
# it longer than most kernels of tests. Here it finds half of them: those for vectors of 8 or 16
# numbers are left out (slim.c says which). A kernel that calls one is not built, and PoCL names the
# function; tests that try all functions have the system's PoCL.
#
#     FOLDER/vendors/   for OCL_ICD_VENDORS: the files of /etc/OpenCL/vendors, where PoCL's names
#     FOLDER/lib/pocl/  a link to its library, and to its devices, which it looks for beside it;
#     FOLDER/share/     and from there its headers and functions
#
# Where anything is otherwise than it is known here, the vendors are the system's as they are.
slim=$1 folder=$2
rm -rf "$folder"
mkdir -p "$folder"/vendors "$folder"/lib/pocl "$folder"/share/pocl
cp /etc/OpenCL/vendors/*.icd "$folder/vendors/" 2>/dev/null || exit 0

icd=$(grep -l libpocl "$folder"/vendors/*.icd) && library=$("$slim" "$(cat "$icd")") || exit 0
share=$(dirname "$library")/../../share/pocl
set=sse2
for flag in avx2 avx512f; do
    ! grep -qw "$flag" /proc/cpuinfo || set=${flag%f}
done
functions=$(ls "$share"/kernel-*-$set.bc) || exit 0 # for this processor
ln -s "$share"/* "$folder/share/pocl/"
rm "$folder/share/pocl/$(basename "$functions")"
"$slim" "$library" "$functions" "$folder/share/pocl/$(basename "$functions")" || exit 0
ln -s "$library" "$(dirname "$library")/pocl" "$folder/lib/pocl/"
echo "$folder/lib/pocl/$(basename "$library")" >"$icd"
