#include "kernel/cuda_calls.h"

#include <ctype.h>

static const struct {
    const char *name, *roles;
} calls[] = {
#define CALL(name, interface, names)
#define SAME(name, interface, names, call)
#define REFUSED(name, interface, names, why)
#define ABOUT(name, how)
#define HOST(name, interface, names, roles) {#name, roles},
#include "kernel/cuda_calls.def"
};
#undef CALL
#undef SAME
#undef REFUSED
#undef ABOUT
#undef HOST

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

/* ---- as features -------------------------------------------------------------------------------------- */

static const hd_feature features[] = {
#define CALL(name, interface, names) {#interface, #name, HD_IS_EXACT, NULL},
#define HOST(name, interface, names, roles) CALL(name, interface, names)
#define SAME(name, interface, names, call) {#interface, #name, HD_IS_EXACT, "the same as " #call},
#define REFUSED(name, interface, names, why) {#interface, #name, HD_IS_REFUSED, why},
#define ABOUT(name, how)
#include "kernel/cuda_calls.def"
#undef CALL
#undef SAME
#undef REFUSED
#undef ABOUT
};
static const hd_feature about[] = {
#define CALL(name, interface, names)
#define SAME(name, interface, names, call)
#define REFUSED(name, interface, names, why)
#define ABOUT(name, how) {"", #name, HD_IS_APPROXIMATE, how},
#include "kernel/cuda_calls.def"
};

/* A call has a row for each form that it has had. */
static const hd_feature *first_row(const char *name) {
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (!strcmp(features[i].name, name))
            return &features[i];
    return NULL;
}

hd_feature hd_cuda_feature(const char *name) {
    if (strncmp(name, "cu", 2) != 0 && strncmp(name, "__cu", 4) != 0) /* most names of programs */
        return (hd_feature){0};
    const hd_feature *row = first_row(name);
    hd_feature found = row ? *row : (hd_feature){0};
    for (size_t i = 0; i < sizeof about / sizeof *about && found.name; i++)
        if (!strcmp(about[i].name, name)) {
            found.fidelity = about[i].fidelity;
            found.how = about[i].how;
        }
    if (found.name)
        found.group = !strncmp(found.group, "RUNTIME", 7) ? "runtime" : "driver";
    return found;
}

void hd_cuda_add_features(hd_arena *arena, hd_features *all) {
    for (size_t i = 0; i < sizeof features / sizeof *features; i++)
        if (strcmp(features[i].group, "HEADERS") != 0 &&
            first_row(features[i].name) == &features[i])
            hd_push(arena, all, hd_cuda_feature(features[i].name));
}

/* ---- HIP ------------------------------------------------------------------------------------------- */

static const struct {
    const char *hip, *cuda;
} others[] = {{"hipHostMalloc", "cudaHostAlloc"}, {"hipHostFree", "cudaFreeHost"}};
enum { OTHERS = sizeof others / sizeof *others };

const char *hd_cuda_of_hip(hd_arena *arena, const char *name) {
    for (size_t i = 0; i < OTHERS; i++)
        if (!strcmp(others[i].hip, name))
            return others[i].cuda;
    return !strncmp(name, "hip", 3) && isupper((unsigned char)name[3])
               ? hd_format(arena, "cuda%s", name + 3)
               : name;
}

static void add_hip(hd_str *out, const char *name, size_t length) {
    for (size_t i = 0; i < OTHERS; i++)
        if (strlen(others[i].cuda) == length && !strncmp(others[i].cuda, name, length)) {
            hd_str_add(out, others[i].hip);
            return;
        }
    const bool is_cuda = length > 4 && !strncmp(name, "cuda", 4) && isupper((unsigned char)name[4]);
    hd_str_printf(out, "%s%.*s", is_cuda ? "hip" : "", (int)(length - (is_cuda ? 4 : 0)),
                  name + (is_cuda ? 4 : 0));
}

const char *hd_hip_of_cuda(hd_arena *arena, const char *text) {
    hd_str out = {.arena = arena};
    while (*text) {
        size_t length = 0;
        while (isalnum((unsigned char)text[length]) || text[length] == '_')
            length++;
        add_hip(&out, text, length);
        text += length;
        if (*text)
            hd_str_addn(&out, text++, 1);
    }
    return hd_str_text(&out);
}
