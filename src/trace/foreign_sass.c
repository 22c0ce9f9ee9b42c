/*
 * What an instruction of NVIDIA's GPUs does, by its name: LDG.E.64.CONSTANT loads 8 bytes for each
 * thread from global memory. The names are those of NVIDIA's list of instructions ("CUDA Binary
 * Utilities", Instruction Set Reference).
 */
#include "foreign.h"

typedef struct sass_name {
    const char *name;
    hd_access_kind kind;
    kir_space space;
} sass_name;

static const sass_name names[] = {
    {"LDG", HD_LOAD, KIR_GLOBAL},     {"STG", HD_STORE, KIR_GLOBAL},
    {"LD", HD_LOAD, KIR_GENERIC},     {"ST", HD_STORE, KIR_GENERIC},
    {"LDS", HD_LOAD, KIR_LOCAL},      {"STS", HD_STORE, KIR_LOCAL},
    {"LDSM", HD_LOAD, KIR_LOCAL},     {"STSM", HD_STORE, KIR_LOCAL},
    {"LDL", HD_LOAD, KIR_PRIVATE},    {"STL", HD_STORE, KIR_PRIVATE},
    {"LDC", HD_LOAD, KIR_CONSTANT},   {"LDGSTS", HD_LOAD, KIR_GLOBAL},
    {"RED", HD_ATOMIC, KIR_GLOBAL},   {"REDG", HD_ATOMIC, KIR_GLOBAL},
    {"ATOM", HD_ATOMIC, KIR_GENERIC}, {"ATOMG", HD_ATOMIC, KIR_GLOBAL},
    {"ATOMS", HD_ATOMIC, KIR_LOCAL}};

/* Bits of "64", "U8" and "F32"; 0 for what is no type. */
static uint64_t bits_of(hd_span part) {
    uint64_t bits = 0;
    if (part.length && strchr("USFB", *part.at))
        part = (hd_span){part.at + 1, part.length - 1};
    return hd_span_number(part, 10, 512, &bits) ? bits : 0;
}

static hd_span part_at(const char *at, const char *end) {
    const char *dot = memchr(at, '.', (size_t)(end - at));
    return (hd_span){at, (size_t)((dot ? dot : end) - at)};
}

bool foreign_sass(warp_access *access, hd_span opcode) {
    const char *end = opcode.at + opcode.length;
    hd_span part = part_at(opcode.at, end);
    const sass_name *is = NULL;
    for (size_t n = 0; n < sizeof names / sizeof *names && !is; n++)
        if (hd_span_is(part, names[n].name))
            is = &names[n];
    if (!is)
        return false;
    access->kind = is->kind;
    access->space = is->space;
    access->width = 4;
    if (!strcmp(is->name, "LDSM") || !strcmp(is->name, "STSM")) { /* rows of a matrix */
        access->width = 16;
        return true;
    }
    while (part.at + part.length < end) {
        part = part_at(part.at + part.length + 1, end);
        uint64_t bits = bits_of(part);
        if (bits >= 8) {
            access->width = (uint32_t)bits / 8;
            break;
        }
    }
    return true;
}

hd_span foreign_opcode(hd_span sass) {
    hd_scan s = {.text = sass.at, .at = sass.at, .end = sass.at + sass.length};
    hd_span word = hd_scan_until(&s, "");
    return word.length && *word.at == '@' ? hd_scan_until(&s, "") : word;
}

void foreign_sass_copies(warp_access *access, hd_span opcode) {
    const uint64_t shared_most = 1 << 24;
    if (!access->mask || opcode.length < 6 || memcmp(opcode.at, "LDGSTS", 6) != 0 ||
        access->address[__builtin_ctzll(access->mask)] >= shared_most)
        return;
    access->kind = HD_STORE;
    access->space = KIR_LOCAL;
}
