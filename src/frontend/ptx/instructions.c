/*
 * Which rule an instruction has; and, of the same tables, all instructions that there are.
 */
#include "frontend/ptx/internal.h"

typedef struct table {
    const char *group;
    const ptx_rule *rules;
} table;

/* Floats come first, for instructions of floats alone. */
static const table tables[] = {{"floats", ptx_float_rules},
                               {"control", ptx_jump_rules},
                               {"bulk copies", ptx_bulk_rules},
                               {"integers", ptx_integer_rules},
                               {"bits and comparison", ptx_logic_rules},
                               {"conversion", ptx_convert_rules},
                               {"memory", ptx_memory_rules},
                               {"threads", ptx_thread_rules},
                               {"mbarrier", ptx_mbarrier_rules},
                               {"matrices", ptx_matrix_rules},
                               {"matrices", ptx_wmma_rules},
                               {"textures and surfaces", ptx_texture_rules}};
enum { TABLES = sizeof tables / sizeof *tables };

#define REFUSED(name, why) {name, ptx_lower_refused, why, true}
#define STACK ": stacks that grow at run time are not supported"
static const ptx_rule refused[] = {
    REFUSED("istypep", ": what an object is, is not known to it"),
    REFUSED("tcgen05", ": tensor memory is not part of Heddle's machine"),
    REFUSED("clusterlaunchcontrol", ": blocks that have been launched are not taken back"),
    REFUSED("tensormap", ": tensor maps are made by the host alone"),
    REFUSED("multimem", ": addresses of several devices are not part of Heddle's machine"),
    REFUSED("stackrestore", STACK),
    REFUSED("stacksave", STACK),
    REFUSED("alloca", STACK),
    {NULL}};

/* What is not exact, of rules: errors as PTX ISA 9.0 states them, below which those of the machine are
 * (tests/machine/test_approximations.c). */
#define WITHIN(error)                                                                    \
    "within " error " of the result, as on a GPU; the last bits may differ from a GPU's"
#define NEAREST "the nearest float; a GPU is within 2 ulp"
#define IN_ORDER "threads add one after the other, in their order; a GPU's order is not fixed"
#define SUBNORMALS ", and in global memory it makes zeros of subnormal numbers"
#define SUMS                                                                                     \
    "exact products, summed as doubles and rounded once; a GPU rounds within the sum, by a few " \
    "ulp of its largest term"
#define NOTHING(what) "does nothing: " what
#define ABOUT(group, name, how) {group, name, HD_IS_APPROXIMATE, how}
static const hd_feature approximate[] = {
    ABOUT("floats", "rcp.approx.ftz.f64", WITHIN("2^-20")),
    ABOUT("floats", "rcp.approx", WITHIN("2^-23")),
    ABOUT("floats", "rsqrt.approx.ftz.f64", WITHIN("2^-20")),
    ABOUT("floats", "rsqrt", WITHIN("2^-22.9")),
    ABOUT("floats", "sqrt.approx", WITHIN("2^-23")),
    ABOUT("floats", "div.approx", NEAREST),
    ABOUT("floats", "div.full", NEAREST),
    ABOUT("floats", "sin", "within 2^-20.5 in one turn, 2^-14.7 in fifty, as on a GPU"),
    ABOUT("floats", "cos", "within 2^-20.5 in one turn, 2^-14.7 in fifty, as on a GPU"),
    ABOUT("floats", "lg2", WITHIN("2^-22")),
    ABOUT("floats", "ex2.f16", WITHIN("2^-9.9")),
    ABOUT("floats", "ex2", WITHIN("2^-22.5")),
    ABOUT("floats", "tanh", WITHIN("2^-11")),
    ABOUT("memory", "atom.add.f32", IN_ORDER SUBNORMALS),
    ABOUT("memory", "atom.add.f64", IN_ORDER),
    ABOUT("memory", "red.add.f32", IN_ORDER SUBNORMALS),
    ABOUT("memory", "red.add.f64", IN_ORDER),
    ABOUT("matrices", "mma.f32", SUMS),
    ABOUT("matrices", "mma.f16", SUMS),
    ABOUT("matrices", "wgmma.mma_async.f32", SUMS),
    ABOUT("matrices", "wgmma.mma_async.f16", SUMS),
    ABOUT("matrices", "wmma.mma.f32", SUMS),
    ABOUT("matrices", "wmma.mma.f16", SUMS),
    ABOUT("memory", "prefetch", NOTHING("caches do not hear of it")),
    ABOUT("memory", "prefetchu", NOTHING("caches do not hear of it")),
    ABOUT("memory", "discard", NOTHING("memory keeps what it holds")),
    ABOUT("memory", "applypriority", NOTHING("caches do not hear of it")),
    ABOUT("memory", "createpolicy", NOTHING("caches do not hear of it")),
    ABOUT("threads", "nanosleep", "no time passes; the other threads of the block run first"),
    ABOUT("threads", "brkpt", NOTHING("there is no debugger")),
    ABOUT("threads", "pmevent", NOTHING("there are no performance counters")),
    ABOUT("threads", "setmaxnreg", NOTHING("registers are not limited")),
    ABOUT("threads", "griddepcontrol", NOTHING("a grid is at its end before the next one begins")),
};
enum { APPROXIMATE = sizeof approximate / sizeof *approximate };

static const hd_feature registers[] = {
    {.name = "%clock", .how = "the number of instructions that the block has run"},
    {.name = "%globaltimer", .how = "the number of instructions that the block has run"},
    {.name = "%smid", .how = "0: one multiprocessor"},
    {.name = "%nsmid", .how = "1: one multiprocessor"},
    {.name = "%gridid", .how = "0"},
    {.name = "%envreg", .how = "what cooperative groups ask of it; else 0"},
};

/* The instruction's first word is that of the name, and it has all others of it. */
static bool has_words(const ptx_inst *inst, const char *name) {
    const size_t length = strlen(inst->words[0]);
    if (strncmp(name, inst->words[0], length) || (name[length] && name[length] != '.'))
        return false;
    for (const char *rest = name + length; *rest;) {
        const size_t word = strcspn(rest + 1, ".");
        bool is_there = false;
        for (uint32_t w = 1; w < inst->word_count && !is_there; w++)
            is_there = !strncmp(inst->words[w], rest + 1, word) && !inst->words[w][word];
        if (!is_there)
            return false;
        rest += 1 + word;
    }
    return true;
}

const ptx_rule *ptx_find_rule(const ptx_rule *rules, const ptx_inst *inst) {
    while (rules->name && !has_words(inst, rules->name))
        rules++;
    return rules->name ? rules : NULL;
}

/* And its table. */
static const ptx_rule *find(const ptx_inst *inst, const char **group) {
    const bool is_float = ptx_is_float(ptx_type_of(inst, 0)) || ptx_has(inst, "f32x2");
    const ptx_rule *found = NULL;
    for (size_t t = !is_float; t < TABLES && !found; t++) {
        found = ptx_find_rule(tables[t].rules, inst);
        *group = tables[t].group;
    }
    if (!found)
        *group = "not there";
    return found ? found : ptx_find_rule(refused, inst);
}

const ptx_rule *ptx_rule_of(const ptx_inst *inst) {
    const char *group;
    return find(inst, &group);
}

/* ---- all that there are ---------------------------------------------------------------------------- */

static hd_feature feature_of_rule(const char *group, const ptx_rule *rule) {
    const bool is_refused = rule->lower == ptx_lower_refused;
    const char *why = is_refused ? rule->what : NULL;
    while (why && (*why == ':' || *why == ';' || *why == ' '))
        why++;
    return (hd_feature){group, rule->name, is_refused ? HD_IS_REFUSED : HD_IS_EXACT,
                        why && *why ? why : NULL};
}

hd_feature ptx_feature_of(const ptx_inst *inst) {
    const char *group;
    const ptx_rule *rule = find(inst, &group);
    if (!rule)
        return (hd_feature){group, NULL, HD_IS_REFUSED, "there is no such instruction"};
    for (size_t i = 0; i < APPROXIMATE && rule->lower != ptx_lower_refused; i++)
        if (has_words(inst, approximate[i].name))
            return approximate[i];
    return feature_of_rule(group, rule);
}

static const char *how_of_register(const char *name) {
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (!strncmp(registers[i].name + 1, name, strlen(registers[i].name + 1)))
            return registers[i].how;
    return NULL;
}

/* "%cluster_ctaid.x" of "cluster.ctaid.x": what is behind the last dot may be a part of the register. */
static const char *register_name(hd_arena *arena, const char *name) {
    if (!strcmp(name, "warpsize")) /* the one that PTX calls otherwise */
        return "WARP_SZ";
    char *full = hd_format(arena, "%%%s", name);
    for (char *at = strchr(full, '.'); at; at = strchr(at + 1, '.'))
        if (!hd_has_word("x y z w", at + 1))
            *at = '_';
    return full;
}

static void add_registers(hd_arena *arena, const front_named_recipe *rows, hd_features *all) {
    for (; rows->name; rows++) {
        const char *how = how_of_register(rows->name);
        hd_push(arena, all,
                (hd_feature){"registers", register_name(arena, rows->name),
                             how ? HD_IS_APPROXIMATE : HD_IS_EXACT, how});
    }
}

static bool is_approximate(const char *name) {
    for (size_t i = 0; i < APPROXIMATE; i++)
        if (!strcmp(approximate[i].name, name))
            return true;
    return false;
}

/* But those for words that are no PTX. */
static void add_rules(hd_arena *arena, const char *group, const ptx_rule *rules, hd_features *all) {
    for (; rules->name; rules++)
        if (!is_approximate(rules->name) && rules->lower != ptx_lower_wordless)
            hd_push(arena, all, feature_of_rule(group, rules));
}

void ptx_add_features(hd_arena *arena, hd_features *all) {
    for (size_t t = 0; t < TABLES; t++) {
        add_rules(arena, tables[t].group, tables[t].rules, all);
        for (size_t i = 0; i < APPROXIMATE; i++)
            if (!strcmp(approximate[i].group, tables[t].group) && tables[t].rules != ptx_wmma_rules)
                hd_push(arena, all, approximate[i]);
    }
    add_rules(arena, "not there", refused, all);
    add_registers(arena, front_special_registers, all);
    add_registers(arena, ptx_special_registers, all);
    for (const ptx_machine_function *f = ptx_machine_functions; f->name; f++)
        hd_push(arena, all, (hd_feature){"functions", f->name, HD_IS_EXACT, NULL});
}
