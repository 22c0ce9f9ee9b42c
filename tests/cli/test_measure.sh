# Two versions of a kernel on whatever OpenCL device there is.
source "$(dirname "$0")/lib.sh"

accepts measure body.yaml --layout soa --repeats 3
prints '^(struct )?body on '
prints '^  original +[0-9.]+ (ns|us|ms|s) '
prints '^  soa .*[0-9]x$'
prints '^  outputs equal: yes$'
accepts measure body.cl --layout '{x,y}{tag}/da' --repeats 1
prints '^  outputs equal: yes$'
refuses "error: .*no_such_device" measure body.yaml --layout soa --on no_such_device
refuses "error: " measure body.yaml --layout soa --on 99:99
finish
