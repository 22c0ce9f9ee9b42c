#include "kernel/cuda_calls.h"

#include <string.h>

static const struct {
    const char *name, *roles;
} calls[] = {
#define CALL(name, interface, names)
#define SAME(name, interface, names, call)
#define REFUSED(name, interface, names, why)
#define HOST(name, interface, names, roles) {#name, roles},
#include "kernel/cuda_calls.def"
};

const char *hd_cuda_call_roles(const char *name) {
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        if (!strcmp(calls[i].name, name))
            return calls[i].roles;
    return NULL;
}

bool hd_cuda_call_launches(const char *name) {
    const char *roles = hd_cuda_call_roles(name);
    return roles && strchr(roles, 'L');
}
