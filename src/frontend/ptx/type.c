/* The types of PTX. */
#include "frontend/ptx/ast.h"

static const struct type {
    const char *name;
    uint32_t bits;
} types[] = {
#define X(name, text, bits) {text, bits},
    PTX_TYPES(X)
#undef X
};
enum { TYPES = sizeof types / sizeof *types };

uint32_t ptx_type_bits(ptx_type type) { return types[type].bits; }

const char *ptx_type_name(ptx_type type) { return types[type].name; }

bool ptx_type_parse(const char *word, ptx_type *type) {
    for (int t = PTX_NO_TYPE + 1; t < TYPES; t++)
        if (!strcmp(types[t].name, word)) {
            *type = (ptx_type)t;
            return true;
        }
    return false;
}
