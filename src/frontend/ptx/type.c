/* The types of PTX. */
#include "frontend/ptx/ast.h"

static const struct type {
    const char *name;
    uint32_t bits;
} types[] = {
    [PTX_NO_TYPE] = {"no type", 0}, [PTX_PRED] = {"pred", 1},      [PTX_B8] = {"b8", 8},
    [PTX_B16] = {"b16", 16},        [PTX_B32] = {"b32", 32},       [PTX_B64] = {"b64", 64},
    [PTX_B128] = {"b128", 128},     [PTX_U8] = {"u8", 8},          [PTX_U16] = {"u16", 16},
    [PTX_U32] = {"u32", 32},        [PTX_U64] = {"u64", 64},       [PTX_S8] = {"s8", 8},
    [PTX_S16] = {"s16", 16},        [PTX_S32] = {"s32", 32},       [PTX_S64] = {"s64", 64},
    [PTX_F16] = {"f16", 16},        [PTX_F16X2] = {"f16x2", 32},   [PTX_BF16] = {"bf16", 16},
    [PTX_BF16X2] = {"bf16x2", 32},  [PTX_TF32] = {"tf32", 32},     [PTX_F32] = {"f32", 32},
    [PTX_F64] = {"f64", 64},        [PTX_E4M3X2] = {"e4m3x2", 16}, [PTX_E5M2X2] = {"e5m2x2", 16},
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
