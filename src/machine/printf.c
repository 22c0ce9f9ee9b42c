/*
 * printf, and the two calls that end a run: a failed assertion and a trap.
 *
 * The format is read from the machine's memory when the call runs, so it does not
 * matter how the kernel came by it. Each conversion is checked against its
 * argument, made into one of the C library's, and printed by it; a vector's
 * components are printed one by one with commas between them:
 *
 *     printf("%5.2v4hlf|", v)   ->   "%5.2f" four times   ->    1.00, 2.00, ...
 *
 * vprintf, which CUDA's compilers call, has its arguments in memory.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "machine/builtin.h"
#include "machine/lane_flow.h"

/* ---- arguments -------------------------------------------------------------------- */

typedef struct argument {
    kir_kind kind;
    uint32_t count; /* components */
    vm_operand part[VM_MAX_COMPONENTS];
} argument;

typedef struct printing {
    argument *args; /* the format first; of vprintf, then where the others are */
    uint32_t count;
    vm_operand result;
    bool has_result, in_memory; /* vprintf */
    uint64_t returns;
} printing;

/* One call of one lane. */
typedef struct printer {
    vm_run *r;
    const vm_op *op;
    const printing *call;
    uint32_t lane, next; /* argument */
    uint64_t at;         /* its address, in memory */
    hd_str *out;
} printer;

/* The numbers of one argument. */
typedef struct given {
    kir_kind kind;
    uint32_t count;
    vm_elem elem;
    uint64_t bits[VM_MAX_COMPONENTS];
} given;

/* The string at an address, or a fault. */
static const char *string_at(vm_run *r, const vm_op *op, uint32_t lane, uint64_t address) {
    const vm_region *region = vm_find_region(r, address, 1);
    if (!region)
        vm_fault(r, op->inst, lane,
                 "a string at 0x%llx, where no memory is; give printf strings "
                 "that are alive",
                 (unsigned long long)address);
    uint64_t offset = address - region->base;
    const char *text = (const char *)region->host + offset;
    if (region->space == KIR_PRIVATE)
        text += lane * r->private_stride;
    if (!memchr(text, '\0', region->bytes - offset))
        vm_fault(r, op->inst, lane, "a string in %s has no end; close it with a 0 byte",
                 region->name);
    return text;
}

/* As C promotes arguments: each stands at a multiple of its size. */
static given argument_in_memory(printer *p, vm_elem elem) {
    uint32_t bytes = vm_elem_bytes(elem);
    given g = {.kind = elem >= VM_F16 ? KIR_FLOAT : KIR_INT, .count = 1, .elem = elem};
    uint64_t address = hd_align_up(p->at, bytes);
    const vm_region *region = vm_find_region(p->r, address, bytes);
    if (!region)
        vm_fault(p->r, p->op->inst, p->lane,
                 "vprintf reads an argument of %u bytes at 0x%llx, where no memory is; its buffer "
                 "ends before its format does",
                 bytes, (unsigned long long)address);
    uint64_t own = region->space == KIR_PRIVATE ? p->lane * p->r->private_stride : 0;
    memcpy(g.bits, region->host + (address - region->base) + own, bytes);
    p->at = address + bytes;
    return g;
}

/* The argument that a conversion prints; in memory it is an `elem`. */
static given next_argument(printer *p, const char *conversion, vm_elem elem) {
    if (p->call->in_memory)
        return argument_in_memory(p, elem);
    if (p->next == p->call->count)
        vm_fault(p->r, p->op->inst, p->lane, "printf has no argument left for %s", conversion);
    const argument *a = &p->call->args[p->next++];
    given g = {.kind = a->kind, .count = a->count, .elem = a->part[0].elem};
    for (uint32_t k = 0; k < a->count; k++)
        g.bits[k] = vm_element(p->r, a->part[k], p->lane);
    return g;
}

/* ---- one conversion --------------------------------------------------------------- */

/* "%-08.3v4hlf" taken apart. */
typedef struct conversion {
    char flags[8];
    int width;     /* 0: none; below: to the left */
    int precision; /* below 0: none */
    uint32_t lanes;
    uint32_t bits; /* that the length says; 0: nothing */
    char letter;
    char text[48]; /* as written, for messages */
} conversion;

_Noreturn static void refuse(const printer *p, const conversion *v, const char *why) {
    vm_fault(p->r, p->op->inst, p->lane, "printf: %s %s", v->text, why);
}

/* A number, or one of the arguments when it is '*'. */
static int read_size(printer *p, const conversion *v, const char **at) {
    if (**at == '*') {
        (*at)++;
        given width = next_argument(p, v->text, VM_I32);
        if (width.kind != KIR_INT || width.count != 1)
            refuse(p, v, "takes its width from an argument that is no integer");
        return (int32_t)width.bits[0];
    }
    int size = 0;
    for (; isdigit((unsigned char)**at); (*at)++)
        size = size < 100000 ? size * 10 + (**at - '0') : size;
    return size;
}

/* h, hh, hl (32 bits, of vectors), l, ll and C's other ways to say 64 bits. */
static void read_length(conversion *v, const char **at) {
    static const struct {
        const char *text;
        uint32_t bits;
    } lengths[] = {{"hh", 8}, {"hl", 32}, {"h", 16}, {"ll", 64}, {"l", 64},
                   {"j", 64}, {"z", 64},  {"t", 64}, {"L", 64}};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t length = strlen(lengths[i].text);
        if (strncmp(*at, lengths[i].text, length))
            continue;
        v->bits = lengths[i].bits;
        *at += length;
        return;
    }
}

/* Reads what follows a '%'; `at` is left behind it. */
static conversion read_conversion(printer *p, const char **at) {
    conversion v = {.precision = -1, .lanes = 1};
    const char *start = *at;
    size_t length = strcspn(start, "diouxXeEfFgGaAcsp%n");
    length = length < sizeof v.text - 3 ? length + (start[length] != '\0') : sizeof v.text - 3;
    v.text[0] = '%';
    memcpy(v.text + 1, start, length);
    size_t flags = 0;
    for (; **at && strchr("-+ #0", **at); (*at)++)
        if (flags + 1 < sizeof v.flags && !strchr(v.flags, **at))
            v.flags[flags++] = **at;
    if (isdigit((unsigned char)**at) || **at == '*')
        v.width = read_size(p, &v, at);
    if (**at == '.') {
        (*at)++;
        v.precision = read_size(p, &v, at);
    }
    if (**at == 'v') {
        (*at)++;
        v.lanes = (uint32_t)read_size(p, &v, at);
    }
    read_length(&v, at);
    v.letter = **at;
    if (v.letter)
        (*at)++;
    if (v.width > 4096 || v.width < -4096 || v.precision > 4096)
        refuse(p, &v, "is wider than the 4096 characters that Heddle prints");
    return v;
}

/* An integer cut to the bits of its length (32 without), with its sign where that counts. */
static uint64_t cut(const conversion *v, vm_elem elem, uint64_t bits) {
    uint32_t own = vm_elem_bytes(elem) * 8, kept = v->bits ? v->bits : v->lanes > 1 ? own : 32;
    uint32_t above = 64 - (kept < own ? kept : own);
    if (v->letter == 'd' || v->letter == 'i')
        return (uint64_t)((int64_t)(bits << above) >> above);
    return bits << above >> above;
}

/* What the C library is given: flags, width and precision as arguments, the letter behind
 * `length`. */
static void make_format(const conversion *v, const char *length, char format[32]) {
    snprintf(format, 32, "%%%s*.*%s%c", v->flags, length, v->letter);
}

static void print_part(const printer *p, const conversion *v, vm_elem elem, uint64_t bits) {
    char format[32];
    bool is_float = strchr("eEfFgGaA", v->letter) != NULL, is_char = v->letter == 'c';
    make_format(v, is_float || is_char ? "" : "ll", format);
    if (is_float)
        hd_str_printf(p->out, format, v->width, v->precision, vm_real_of(elem, bits));
    else if (is_char)
        hd_str_printf(p->out, format, v->width, v->precision, (int)(uint8_t)bits);
    else
        hd_str_printf(p->out, format, v->width, v->precision, (long long)cut(v, elem, bits));
}

static void print_numbers(printer *p, const conversion *v, kir_kind kind) {
    vm_elem promoted = kind == KIR_FLOAT ? VM_F64 : v->bits == 64 ? VM_I64 : VM_I32;
    given g = next_argument(p, v->text, promoted);
    if (g.kind != kind)
        refuse(p, v,
               kind == KIR_FLOAT ? "is for floating-point numbers; its argument is none"
                                 : "is for integers; its argument is none");
    if (g.count != v->lanes)
        refuse(p, v, "is for another number of components than its argument has");
    for (uint32_t k = 0; k < g.count; k++) {
        if (k)
            hd_str_add(p->out, ",");
        print_part(p, v, g.elem, g.bits[k]);
    }
}

static void print_pointer(printer *p, const conversion *v) {
    given g = next_argument(p, v->text, VM_I64);
    char format[32];
    if (g.kind == KIR_FLOAT || g.count != 1)
        refuse(p, v, "is for pointers; its argument is none");
    uint64_t address = g.bits[0];
    make_format(v, "", format);
    hd_str_printf(p->out, format, v->width, v->precision,
                  v->letter == 's' ? (const void *)string_at(p->r, p->op, p->lane, address)
                                   : (const void *)(uintptr_t)address);
}

/* ---- printf ----------------------------------------------------------------------- */

static void print_lane(vm_run *r, const vm_op *op, uint32_t lane) {
    const printing *call = op->more;
    printer p = {.r = r, .op = op, .call = call, .lane = lane, .next = 1, .out = r->printed};
    if (call->in_memory)
        p.at = vm_element(r, call->args[1].part[0], lane);
    const char *at = string_at(r, op, lane, vm_element(r, call->args[0].part[0], lane));
    while (*at) {
        size_t plain = strcspn(at, "%");
        hd_str_addn(p.out, at, plain);
        at += plain;
        if (*at != '%')
            continue;
        at++;
        conversion v = read_conversion(&p, &at);
        if (v.letter == '%')
            hd_str_add(p.out, "%");
        else if (v.letter && strchr("diouxXc", v.letter))
            print_numbers(&p, &v, KIR_INT);
        else if (v.letter && strchr("eEfFgGaA", v.letter))
            print_numbers(&p, &v, KIR_FLOAT);
        else if (v.letter && strchr("sp", v.letter))
            print_pointer(&p, &v);
        else
            refuse(&p, &v, "is no conversion that a kernel can print");
    }
}

/* What the call gives, printed or not: conversions of its format, and their stars. */
static uint64_t result_of(vm_run *r, const vm_op *op, uint32_t lane) {
    const printing *call = op->more;
    uint64_t count = 0;
    if (!call->in_memory)
        return call->returns;
    const char *format = string_at(r, op, lane, vm_element(r, call->args[0].part[0], lane));
    while ((format = strchr(format, '%'))) {
        size_t length = strcspn(++format, "diouxXeEfFgGaAcsp%n");
        for (size_t i = 0; i < length; i++)
            count += format[i] == '*';
        format += length;
        count += *format && *format != '%';
        format += *format != '\0';
    }
    return count;
}

static void run_printf(vm_run *r, const vm_op *op) {
    enum { MOST_KEPT = 1 << 20 };
    const printing *call = op->more;
    VM_EACH_ACTIVE(r, lane) {
        if (r->printed)
            print_lane(r, op, lane);
        /* A block may print more than memory holds. Launches that print have one worker, so that
         * what is handed over before the block's end is in order, too. */
        if (r->printed && r->printed->length >= MOST_KEPT) {
            r->options->print(r->options->user, r->printed->data, r->printed->length);
            r->printed->length = 0;
        }
        if (call->has_result)
            vm_put_bits(r, call->result, lane, result_of(r, op, lane));
    }
}

/* `what`: the handler, a vm_op_fn *const *. */
static void compile_printing(vm_compiler *c, const void *what) {
    printing *call = hd_new(c->arena, printing);
    call->count = c->inst->arg_count;
    call->args = hd_new_array(c->arena, argument, call->count);
    for (uint32_t i = 0; i < call->count; i++) {
        kir_type type = c->kernel->insts[c->inst->args[i]].type;
        call->args[i].kind = (kir_kind)type.kind;
        call->args[i].count = type.lanes;
        for (uint32_t k = 0; k < type.lanes; k++)
            call->args[i].part[k] = vm_call_arg(c, i, k);
    }
    call->in_memory = !strcmp(c->inst->name, "vprintf");
    call->has_result = c->inst->type.kind != KIR_VOID;
    if (call->has_result)
        call->result = vm_result(c, 0);
    call->returns = KIR_HAS(c->module, PRINTF_COUNTS) ? call->count - 1 : 0;
    vm_emit_for_lanes(c, *(vm_op_fn *const *)what, call);
}

/* ---- the end of a run ------------------------------------------------------------- */

/* assert_fail(message, file, line, function) */
static void run_assert(vm_run *r, const vm_op *op) {
    const printing *call = op->more;
    uint32_t lane = vm_first_active(r);
    const char *text = string_at(r, op, lane, vm_element(r, call->args[0].part[0], lane));
    vm_fault(r, op->inst, lane, "the assertion '%s' does not hold", text);
}

static void run_trap(vm_run *r, const vm_op *op) {
    bool is_alone = r->program->asks_workspace && !r->workspace;
    vm_fault(r, op->inst, vm_first_active(r), "the kernel ends itself here (a trap)%s",
             is_alone
                 ? "; it asks for the barrier of its grid, which only a cooperative launch has: "
                   "cudaLaunchCooperativeKernel(), or 'cooperative: true' in a job"
                 : "");
}

static void run_trap_surface(vm_run *r, const vm_op *op) {
    vm_fault(r, op->inst, vm_first_active(r),
             "this access to a surface is outside of its array; .zero and .clamp "
             "(cudaBoundaryModeZero) take such");
}

const vm_builtin vm_print_builtins[] = {
    {"printf", "IP*", compile_printing, &(vm_op_fn *const){run_printf}},
    {"printf", "vP*", compile_printing, &(vm_op_fn *const){run_printf}},
    {"vprintf", "IPP", compile_printing, &(vm_op_fn *const){run_printf}},
    {"assert_fail", "vP*", compile_printing, &(vm_op_fn *const){run_assert}},
    {"trap", "v", VM_LANES(run_trap)},
    {"trap_surface", "v", VM_LANES(run_trap_surface)},
    {NULL},
};
