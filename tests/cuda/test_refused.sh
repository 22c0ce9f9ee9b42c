# Every call that kernel/cuda_calls.def says is refused returns cudaErrorNotSupported, whatever it is given,
# and is named where it is called first, with the reason of its row.
source "$(dirname "$0")/../folder.sh"
root=$(realpath "$(dirname "$0")/../..")
libraries=$(dirname "$(realpath "$1")")/cuda
[ -e "$libraries/libcudart.so.13" ] || { echo "there is no $libraries/libcudart.so.13"; exit 1; }
cat >"$work/call.py" <<'END'
import ctypes, os, re, sys
libraries, table = sys.argv[1:]
files = {"RUNTIME": "libcudart.so.13", "RUNTIME_13": "libcudart.so.13", "RUNTIME_12": "libcudart.so.12",
         "RUNTIME_11": "libcudart.so.11.0", "DRIVER": "libcuda.so.1"}
rows = re.findall(r'^REFUSED\((\w+), (\w+), \w+, (?:NULL|"(.*)")\)', open(table).read(), re.M)
failed = [] if len(rows) > 50 else ["there are %d rows" % len(rows)]
for name, interface, why in rows:
    if interface not in files:
        continue
    library = ctypes.CDLL(os.path.join(libraries, files[interface]))
    read, write = os.pipe()
    kept = os.dup(2)
    os.dup2(write, 2)
    got = [getattr(library, name)(), getattr(library, name)()]
    os.dup2(kept, 2)
    for end in (kept, write):
        os.close(end)
    said = b""
    while part := os.read(read, 4096):
        said += part
    os.close(read)
    said = said.decode()
    if got != [801, 801] or said.count(name + "()") != 1 or why not in said:
        failed.append("%s: %s, '%s'" % (name, got, said))
print(len(rows), "rows")
print("\n".join(failed))
sys.exit(bool(failed))
END
python3 "$work/call.py" "$libraries" "$root/src/kernel/cuda_calls.def"
