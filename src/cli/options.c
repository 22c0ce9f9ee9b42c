/*
 * Options: parsed by getopt_long, checked, and printed as help, all from the tables of commands.c.
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>

#include "cli/commands.h"
#include "driver/compute.h"

/* Values that getopt_long returns for our options: FIRST + index. */
enum { MOST_OPTIONS = 64, FIRST = 256, NAME_COLUMN = 24 };

/* The options of one command, and what was given of them. */
typedef struct option_set {
    const cli_option *all[MOST_OPTIONS];
    const char *given[MOST_OPTIONS]; /* the last value; of flags ""; NULL: not given */
    uint32_t count;
} option_set;

bool cli_takes(const cli_command *command, const cli_option *option) {
    return option->commands >> (command - cli_commands) & 1;
}

static option_set options_of(const cli_command *command) {
    option_set set = {.count = 0};
    for (const cli_option *option = cli_all_options; option->name; option++)
        if (cli_takes(command, option) && set.count < MOST_OPTIONS)
            set.all[set.count++] = option;
    return set;
}

hd_status cli_read_percent(cli *c, const char *option, const char *text, double most,
                           double *share) {
    char *end;
    if (!text)
        return HD_OK;
    double percent = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%")) || !isfinite(percent) || percent <= 0 ||
        percent > most)
        return cli_refuse(c, "--%s takes a share above 0%% and up to %g%%, such as 50%%, not '%s'",
                          option, most, text);
    *share = percent / 100;
    return HD_OK;
}

bool cli_read_line(hd_arena *arena, const char *text, const char **file, uint32_t *line) {
    const char *colon = strrchr(text, ':'), *end;
    uint64_t number;
    if (!cli_whole(colon ? colon + 1 : text, &end, &number) || *end || !number ||
        number > UINT32_MAX || colon == text)
        return false;
    *file = colon ? hd_strndup(arena, text, (size_t)(colon - text)) : NULL;
    *line = (uint32_t)number;
    return true;
}

/* ---- the nearest name ------------------------------------------------------------- */

/* Levenshtein's distance, for words of up to 63 letters. */
static size_t distance(const char *a, const char *b) {
    size_t row[64], length = strlen(b);
    if (length > 63)
        return SIZE_MAX;
    for (size_t j = 0; j <= length; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            diagonal = row[j];
            row[j] = change < shorter ? change : shorter;
        }
    }
    return row[length];
}

const char *cli_nearest(const char *word, const char *const *names, size_t count) {
    const char *best = NULL;
    size_t least = strlen(word) / 3 + 2; /* more changes than that are another word */
    for (size_t i = 0; i < count; i++) {
        bool begins = strlen(word) > 1 && !strncmp(word, names[i], strlen(word));
        size_t d = begins ? 0 : distance(word, names[i]);
        if (d < least) {
            least = d;
            best = names[i];
        }
    }
    return best;
}

/* ---- help --------------------------------------------------------------------------- */

const char *const cli_part_titles[] = {"Options", "For a kernel file without a job", "Everywhere"};

cli_part cli_part_of(const cli_option *option) {
    size_t source = offsetof(cli_options, input.source);
    bool is_source = option->target >= source && option->target < source + sizeof(cli_source);
    return option->commands == UINT64_MAX ? CLI_EVERYWHERE : is_source ? CLI_KERNELS : CLI_OWN;
}

static void add_line(hd_str *out, const char *name, const char *text) {
    hd_str_printf(out, "  %-*s", NAME_COLUMN - 2, name);
    if (strlen(name) + 3 > NAME_COLUMN)
        hd_str_printf(out, "\n%*s", NAME_COLUMN, "");
    hd_wrap(out, text, NAME_COLUMN, HD_TABLE_WIDTH);
}

/* What else the command does, each with a page of its own. */
static void add_variants(hd_str *out, const char *name) {
    const char *title = "\nAlso\n";
    for (const cli_command *command = cli_commands; command->name; command++)
        if (command->variant && command->summary && !strcmp(command->name, name)) {
            hd_str_add(out, title);
            add_line(out, hd_format(out->arena, "%s %s", name, command->variant), command->summary);
            title = "";
        }
}

int cli_print_help(cli *c, const cli_command *command) {
    const option_set set = options_of(command);
    hd_str out = {.arena = c->arena};
    hd_str_add(&out, "usage: ");
    hd_wrap(&out, hd_format(c->arena, "heddle %s %s", c->command, command->usage), 7,
            HD_TABLE_WIDTH);
    hd_str_add(&out, "\n");
    hd_wrap(&out, command->about, 0, HD_TABLE_WIDTH);
    if (!command->variant)
        add_variants(&out, command->name);
    for (int part = 0; part < CLI_PARTS; part++) {
        const char *title = hd_format(c->arena, "\n%s\n", cli_part_titles[part]);
        for (uint32_t i = 0; i < set.count; i++) {
            const cli_option *option = set.all[i];
            if (cli_part_of(option) != (cli_part)part)
                continue;
            hd_str name = {.arena = c->arena};
            if (option->letter)
                hd_str_printf(&name, "-%c, ", option->letter);
            hd_str_printf(&name, "--%s%s%s", option->name, option->argument ? " " : "",
                          option->argument ? option->argument : "");
            hd_str_add(&out, title);
            add_line(&out, hd_str_text(&name), option->help);
            title = "";
        }
    }
    return cli_print(c, &out);
}

/* ---- values --------------------------------------------------------------------------- */

static hd_status wrong_value(cli *c, const cli_option *option, const char *text,
                             const char *wanted) {
    return cli_refuse(c, "--%s takes %s, not '%s'", option->name, wanted, text);
}

bool cli_whole(const char *text, const char **end, uint64_t *value) {
    if (!isdigit((unsigned char)*text))
        return false;
    char *after;
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    errno = 0;
    *value = strtoull(text, &after, hex ? 16 : 10);
    *end = after;
    return !errno && *value <= INT64_MAX;
}

const char *cli_next_word(hd_arena *arena, const char **rest) {
    const char *word = *rest;
    if (!word)
        return NULL;
    size_t length = strcspn(word, ",");
    *rest = word[length] ? word + length + 1 + strspn(word + length + 1, " ") : NULL;
    return hd_strndup(arena, word, length);
}

static hd_status set_option(cli *c, const cli_option *option, const char *text) {
    void *target = (char *)c->given + option->target;
    const char *end, *text_left = text;
    char *after;
    switch (option->kind) {
    case CLI_FLAG: *(bool *)target = true; return HD_OK;
    case CLI_TEXT: *(const char **)target = text; return HD_OK;
    case CLI_TEXTS: hd_push(c->arena, (cli_texts *)target, text); return HD_OK;
    case CLI_REAL: {
        double value = strtod(text, &after);
        if (after == text || *after || !isfinite(value) || value < 0)
            return wrong_value(c, option, text, "a number that is not negative");
        *(double *)target = value;
        return HD_OK;
    }
    case CLI_SIZES: {
        cli_sizes sizes = {0};
        while (sizes.dims < 3 && cli_whole(text_left, &text_left, &sizes.size[sizes.dims]) &&
               sizes.size[sizes.dims]) {
            sizes.dims++;
            if (!*text_left) {
                *(cli_sizes *)target = sizes;
                return HD_OK;
            }
            if (*text_left++ != ',')
                break;
        }
        return wrong_value(c, option, text, "one to three sizes such as 1024 or 64,64");
    }
    case CLI_NUMBER: break;
    }
    uint64_t *number = target;
    if (!cli_whole(text, &end, number) || *end || !*number)
        return wrong_value(c, option, text, "a whole number from 1 on");
    return option->most && *number > option->most
               ? cli_refuse(c, "--%s takes at most %llu", option->name,
                            (unsigned long long)option->most)
               : HD_OK;
}

/* ---- parsing ---------------------------------------------------------------------------- */

/* getopt_long returned '?': says what was meant by argv[optind - 1] or optopt. */
static void unknown_option(cli *c, const cli_command *command, const option_set *set, char **argv) {
    if (optopt >= FIRST) {
        cli_refuse(c, "--%s takes no value", set->all[optopt - FIRST]->name);
        return;
    }
    if (optopt) {
        cli_refuse(c, "there is no option -%c; 'heddle %s --help' lists them", optopt, c->command);
        return;
    }
    const char *word = argv[optind - 1];
    const char *names[MOST_OPTIONS];
    for (uint32_t i = 0; i < set->count; i++)
        names[i] = set->all[i]->name;
    char *name = hd_strdup(c->arena, word + 2);
    name[strcspn(name, "=")] = '\0';
    const cli_command *other = NULL; /* a variant that takes an option of this name */
    for (const cli_command *of = cli_commands; of->name && !other; of++)
        for (const cli_option *option = cli_all_options; option->name && !other; option++)
            if (of != command && of->summary && !strcmp(of->name, command->name) &&
                !strcmp(option->name, name) && cli_takes(of, option))
                other = of;
    const char *near = cli_nearest(name, names, set->count);
    if (other)
        cli_refuse(c, "--%s goes with 'heddle %s%s'", name, cli_full_name(c->arena, other),
                   other->variant && !strcmp(other->variant, "--") ? " -- PROGRAM" : "");
    else if (near)
        cli_refuse(c, "there is no option --%s; did you mean --%s?", name, near);
    else
        cli_refuse(c, "there is no option --%s; 'heddle %s --help' lists them", name, c->command);
}

/* Whether a word is a list of the option's values, as far as its first one tells. */
static bool begins_with_value(cli *c, const cli_option *option, const char *word) {
    uint32_t count;
    char **values = hd_split_words(c->arena, option->values, &count);
    const char *first = cli_next_word(c->arena, &word);
    for (uint32_t v = 0; v < count; v++)
        if (!strcmp(values[v], first))
            return true;
    return false;
}

static hd_status parse_options(cli *c, const cli_command *command, option_set *set, int argc,
                               char **argv) {
    struct option longs[MOST_OPTIONS + 1] = {{0}};
    char shorts[2 * MOST_OPTIONS + 2] = ":";
    size_t length = 1;
    for (uint32_t i = 0; i < set->count; i++) {
        const cli_option *option = set->all[i];
        longs[i] = (struct option){option->name, option->argument ? required_argument : no_argument,
                                   NULL, (int)(FIRST + i)};
        if (!option->letter)
            continue;
        shorts[length++] = option->letter;
        if (option->argument)
            shorts[length++] = ':';
    }
    optind = 0; /* glibc: start anew */
    opterr = 0;
    int value;
    while ((value = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        if (value == '?') {
            unknown_option(c, command, set, argv);
            return HD_EINPUT;
        }
        int meant = value == ':' ? optopt : value;
        uint32_t number = 0;
        while (meant != (int)(FIRST + number) && meant != set->all[number]->letter)
            number++;
        const cli_option *option = set->all[number];
        if (option->otherwise && value == ':') {
            optarg = (char *)option->otherwise;
        } else if (option->otherwise && optarg == argv[optind - 1] &&
                   !begins_with_value(c, option, optarg)) {
            optarg = (char *)option->otherwise;
            optind--; /* the word is another's */
        } else if (value == ':')
            return cli_refuse(c, "--%s needs a value: --%s %s", option->name, option->name,
                              option->argument);
        /* Of two values none is surely meant. */
        const char *before = set->given[number];
        bool takes_one = option->kind == CLI_TEXTS ? option->most == 1 : option->kind != CLI_FLAG;
        if (before && takes_one && strcmp(before, optarg) != 0)
            return cli_refuse(
                c, "--%s is given twice, as '%s' and as '%s', and takes one value: leave one out",
                option->name, before, optarg);
        hd_status status = set_option(c, option, optarg);
        if (status)
            return status;
        set->given[number] = option->argument ? optarg : "";
    }
    return HD_OK;
}

/* ---- what goes with what ------------------------------------------------------------------- */

static bool is_given(const option_set *set, const char *name) {
    for (uint32_t i = 0; i < set->count; i++)
        if (set->given[i] && !strcmp(set->all[i]->name, name))
            return true;
    return false;
}

/* The words of `names`, separated by blanks, that are options of this command. */
static const char **known_names(cli *c, const option_set *set, const char *names, uint32_t *count) {
    uint32_t all;
    char **words = hd_split_words(c->arena, names ? names : "", &all);
    const char **known = hd_new_array(c->arena, const char *, all + 1);
    *count = 0;
    for (uint32_t w = 0; w < all; w++)
        for (uint32_t i = 0; i < set->count; i++)
            if (!strcmp(set->all[i]->name, words[w]))
                known[(*count)++] = words[w];
    return known;
}

static hd_status check_options(cli *c, const option_set *set) {
    for (uint32_t i = 0; i < set->count; i++) {
        const cli_option *option = set->all[i];
        uint32_t needed, excluded, found = 0;
        const char **needs = known_names(c, set, option->needs, &needed);
        const char **excludes = known_names(c, set, option->excludes, &excluded);
        if (!set->given[i])
            continue;
        for (uint32_t n = 0; n < needed; n++)
            found += is_given(set, needs[n]);
        if (needed && !found)
            return cli_refuse(c, "--%s goes with --%s%s%s", option->name, needs[0],
                              needed > 1 ? " or --" : "", needed > 1 ? needs[1] : "");
        for (uint32_t e = 0; e < excluded; e++)
            if (is_given(set, excludes[e]))
                return cli_refuse(c, "--%s and --%s: choose one of them", option->name,
                                  excludes[e]);
    }
    return HD_OK;
}

bool cli_parse(cli *c, const cli_command *command, int argc, char **argv) {
    option_set set = options_of(command);
    cli_options *o = c->given = hd_new(c->arena, cli_options);
    cli_source *source = &o->input.source;
    o->minutes = 20; /* of which 0 is not the default, but wrong */
    c->status = CLI_WRONG;
    if (parse_options(c, command, &set, argc, argv))
        return false;
    c->json = o->json;
    c->quiet = c->quiet || o->quiet;
    c->printer.quiet = c->quiet;
    bool is_set = o->colour && strcmp(o->colour, "auto") != 0;
    if (is_set && strcmp(o->colour, "always") != 0 && strcmp(o->colour, "never") != 0) {
        cli_refuse(c, "--color takes auto, always or never, not '%s'", o->colour);
        return false;
    }
    if (is_set)
        c->style.bold = c->printer.colour = !strcmp(o->colour, "always");
    if (o->help) {
        c->status = cli_print_help(c, command);
        return false;
    }
    c->words = argv + optind;
    c->word_count = (uint32_t)(argc - optind);
    if (c->word_count < command->least) {
        cli_refuse(c, "which file? heddle %s %s", c->command, command->usage);
        return false;
    }
    if (c->word_count > command->most) {
        cli_refuse(c, "'%s' is one word too many: heddle %s %s", c->words[command->most],
                   c->command, command->usage);
        return false;
    }
    if (check_options(c, &set))
        return false;
    o->input.path = c->word_count ? c->words[0] : NULL;
    source->any_entry = command->reads & CLI_ANY_ENTRY;
    source->whole_file = command->reads & CLI_WHOLE_FILE;
    source->finds_records = command->reads & CLI_FINDS_RECORDS;
    source->tells_records = command->reads & CLI_TELLS_RECORDS;
    return !source->build || !c->word_count || !hd_is_kernel_file(c->words[0]) ||
           !cli_build_options(c, source->build, c->words[0], &source->options);
}

const char *cli_backend_of(const char *device) {
    return device && !strncmp(device, "cuda:", 5) ? "cuda" : "opencl";
}

const char *cli_device_name(cli *c, const char *device) {
    const char *missing;
    uint32_t count = 0;
    const hd_compute_device *devices =
        hd_compute_named(cli_backend_of(device))->list(c->arena, &count, &missing);
    for (uint32_t d = 0; device && d < count; d++)
        if (!strcmp(devices[d].id, device))
            return devices[d].name;
    return device;
}
