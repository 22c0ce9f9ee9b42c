/* Small questions about kir: names, kinds, constants, places. */
#include <ctype.h>

#include "kernel/kir.h"

#define X(name, text, ...) text,
const char *const kir_op_names[] = {KIR_OPS(X)};
const char *const kir_query_names[] = {KIR_QUERIES(X)};
const char *const kir_pred_names[] = {KIR_PREDS(X)};
const char *const kir_rmw_names[] = {KIR_RMWS(X)};
const char *const kir_rule_names[] = {KIR_RULES(X)};
const char *const kir_order_names[] = {KIR_ORDERS(X)};
#undef X
const char *const kir_space_names[] = {"private", "global", "local", "constant", "generic"};

#define X(name, text, args, kind) #kind[0],
static const char op_kinds[] = {KIR_OPS(X)};
#undef X

const char *kir_op_name(kir_op op) { return (unsigned)op < KIR_OP_COUNT ? kir_op_names[op] : "?"; }

static bool is_of_kind(kir_op op, char kind) {
    return (unsigned)op < KIR_OP_COUNT && op_kinds[op] == kind;
}

bool kir_is_terminator(kir_op op) { return is_of_kind(op, 'T'); }
bool kir_is_memory(kir_op op) { return is_of_kind(op, 'M'); }
bool kir_is_leaf(kir_op op) { return is_of_kind(op, 'C'); }

uint32_t kir_type_bytes(kir_type type) {
    uint32_t lanes = type.lanes == 3 ? 4 : type.lanes;
    return type.kind == KIR_VOID ? 0 : (type.bits + 7u) / 8 * lanes;
}

int64_t kir_sign_extend(uint64_t bits, uint32_t width) {
    if (width == 1)
        return bits & 1;
    if (width >= 64)
        return (int64_t)bits;
    uint64_t sign = (uint64_t)1 << (width - 1);
    bits &= (sign << 1) - 1;
    return (int64_t)((bits ^ sign) - sign);
}

bool kir_const_int(const kir_kernel *kernel, kir_value value, int64_t *result) {
    if (value >= kernel->inst_count)
        return false;
    const kir_inst *inst = &kernel->insts[value];
    if (inst->op != KIR_CONST || inst->type.kind != KIR_INT || inst->type.lanes != 1)
        return false;
    *result = kir_sign_extend(inst->imm[0], inst->type.bits);
    return true;
}

bool kir_calls(const kir_kernel *kernel, const char *function) {
    for (uint32_t v = 0; v < kernel->inst_count; v++)
        if (kernel->insts[v].op == KIR_CALL && !strcmp(kernel->insts[v].name, function))
            return true;
    return false;
}

hd_place kir_place(hd_arena *arena, const kir_module *module, const kir_inst *inst) {
    hd_place place = {.line = inst->line, .column = inst->column};
    if (inst->line && inst->file < module->file_count) {
        const kir_file *file = &module->files[inst->file];
        place.file = file->name;
        place.text = file->text ? hd_line_of(arena, file->text, inst->line) : NULL;
    }
    return place;
}

/* Behind the folders of "(lambda at folder/file.cu:13:25)", which depend on where the file is seen
 * from. */
static const char *past_folders(const char *at) {
    static const char begin[] = "(lambda at ";
    if (strncmp(at, begin, sizeof begin - 1) != 0)
        return at;
    const char *name = at += sizeof begin - 1;
    for (; *at && *at != ':'; at++)
        if (*at == '/')
            name = at + 1;
    return name;
}

/* The next character of a name that counts: blanks do not, nor the suffixes of numbers. `number`
 * tells whether the one before was a digit of a number. */
static char next_of_name(const char **at, char before, bool *number) {
    while (**at == ' ' || (*number && **at && strchr("uUlL", **at)))
        (*at)++;
    *at = past_folders(*at);
    char c = **at;
    *number = isdigit((unsigned char)c) &&
              (*number || !(isalnum((unsigned char)before) || before == '_'));
    *at += c != '\0';
    return c;
}

/* "reduce<float,256>" is "reduce<float, 256U>". */
static bool means_name(const char *a, const char *b) {
    bool a_number = false, b_number = false;
    for (char before = 0;;) {
        char x = next_of_name(&a, before, &a_number), y = next_of_name(&b, before, &b_number);
        if (x != y || !x)
            return x == y;
        before = x;
    }
}

bool kir_names_kernel(const char *kernel, const char *meant) {
    return !strcmp(kernel, meant) || (strchr(meant, '<') && means_name(kernel, meant));
}

const kir_kernel *kir_find_kernel(const kir_module *module, const char *name) {
    for (uint32_t i = 0; i < module->kernel_count; i++)
        if (!strcmp(module->kernels[i]->name, name))
            return module->kernels[i];
    for (uint32_t i = 0; i < module->kernel_count; i++)
        if (kir_names_kernel(module->kernels[i]->name, name))
            return module->kernels[i];
    return NULL;
}

const hd_record *kir_find_record(const kir_module *module, const char *name) {
    for (uint32_t i = 0; i < module->record_count; i++)
        if (!strcmp(module->records[i]->name, name))
            return module->records[i];
    return NULL;
}

uint32_t kir_given_params(const kir_kernel *kernel) {
    uint32_t count = kernel->param_count;
    while (count && kernel->params[count - 1].object == KIR_IMAGE &&
           kernel->params[count - 1].type.kind == KIR_INT)
        count--;
    return count;
}

const char *kir_asked_of_image(const kir_kernel *kernel, uint32_t param, uint32_t *image) {
    const char *name = kernel->params[param].name, *dot = strrchr(name, '.');
    const size_t length = (size_t)(dot - name);
    for (*image = 0;
         strncmp(kernel->params[*image].name, name, length) || kernel->params[*image].name[length];)
        ++*image;
    return dot + 1;
}
