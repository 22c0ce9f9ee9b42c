/*
 * Options: a table for each command, parsed by getopt_long and printed as help.
 *
 *     const char *layout = NULL;
 *     const cli_option options[] = {
 *         {"layout", 'l', "L", "the layout to write", CLI_TEXT, &layout}, {0}};
 *     const cli_page page = {"--layout L JOB", "Writes …", {1, 1}};
 *     if (!cli_parse(c, &page, options, NULL, argc, argv))
 *         return c->status;
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "driver/compute.h"

/* Values that getopt_long returns for our options: FIRST + index. */
enum { MOST_OPTIONS = 48, FIRST = 256, NAME_COLUMN = 24 };

/* All options of one command, from its tables, as one array. */
typedef struct option_set {
    const cli_option *all[MOST_OPTIONS];
    uint32_t count;
} option_set;

static void add_options(option_set *set, const cli_option *table) {
    for (; table && table->name && set->count < MOST_OPTIONS; table++)
        if (table->included)
            add_options(set, table->included);
        else
            set->all[set->count++] = table;
}

const cli_option *cli_keep_options(cli *c, const cli_option *table) {
    size_t count = 0;
    while (table[count].name)
        count++;
    cli_option *kept = hd_new_array(c->arena, cli_option, count + 1);
    memcpy(kept, table, (count + 1) * sizeof *table);
    return kept;
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

static void add_group_help(hd_str *out, const char *title, const cli_option *table) {
    option_set set = {.count = 0};
    add_options(&set, table);
    if (set.count)
        hd_str_printf(out, "\n%s\n", title);
    for (uint32_t i = 0; i < set.count; i++) {
        const cli_option *option = set.all[i];
        hd_str name = {.arena = out->arena};
        if (option->letter)
            hd_str_printf(&name, "-%c, ", option->letter);
        hd_str_printf(&name, "--%s%s%s", option->name, option->argument ? " " : "",
                      option->argument ? option->argument : "");
        hd_str_printf(out, "  %-*s", NAME_COLUMN - 2, hd_str_text(&name));
        if (name.length + 3 > NAME_COLUMN)
            hd_str_printf(out, "\n%*s", NAME_COLUMN, "");
        hd_wrap(out, option->help, NAME_COLUMN, HD_TABLE_WIDTH);
    }
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

static hd_status set_option(cli *c, const cli_option *option, const char *text) {
    const char *end, *text_left = text;
    char *after;
    switch (option->kind) {
    case CLI_FLAG: *(bool *)option->target = true; return HD_OK;
    case CLI_TEXT: *(const char **)option->target = text; return HD_OK;
    case CLI_TEXTS: hd_push(c->arena, (cli_texts *)option->target, text); return HD_OK;
    case CLI_REAL: {
        double value = strtod(text, &after);
        if (after == text || *after || !isfinite(value) || value < 0)
            return wrong_value(c, option, text, "a number that is not negative");
        *(double *)option->target = value;
        return HD_OK;
    }
    case CLI_SIZES: {
        cli_sizes sizes = {0};
        while (sizes.dims < 3 && cli_whole(text_left, &text_left, &sizes.size[sizes.dims]) &&
               sizes.size[sizes.dims]) {
            sizes.dims++;
            if (!*text_left) {
                *(cli_sizes *)option->target = sizes;
                return HD_OK;
            }
            if (*text_left++ != ',')
                break;
        }
        return wrong_value(c, option, text, "one to three sizes such as 1024 or 64,64");
    }
    case CLI_NUMBER: break;
    }
    uint64_t *number = option->target;
    if (!cli_whole(text, &end, number) || *end || !*number)
        return wrong_value(c, option, text, "a whole number from 1 on");
    return option->most && *number > option->most
               ? cli_refuse(c, "--%s takes at most %llu", option->name,
                            (unsigned long long)option->most)
               : HD_OK;
}

/* ---- parsing ---------------------------------------------------------------------------- */

/* getopt_long returned '?': says what was meant by argv[optind - 1] or optopt. */
static void unknown_option(cli *c, const option_set *set, char **argv) {
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
    const char *near = cli_nearest(name, names, set->count);
    if (near)
        cli_refuse(c, "there is no option --%s; did you mean --%s?", name, near);
    else
        cli_refuse(c, "there is no option --%s; 'heddle %s --help' lists them", name, c->command);
}

/* The number of the option that getopt_long means by `value`. */
static uint32_t chosen(const option_set *set, int value) {
    uint32_t number = 0;
    while (value != (int)(FIRST + number) && value != set->all[number]->letter)
        number++;
    return number;
}

static hd_status parse_options(cli *c, const option_set *set, int argc, char **argv) {
    struct option longs[MOST_OPTIONS + 1] = {{0}};
    const char *given[MOST_OPTIONS] = {NULL};
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
            unknown_option(c, set, argv);
            return HD_EINPUT;
        }
        uint32_t number = chosen(set, value == ':' ? optopt : value);
        const cli_option *option = set->all[number];
        if (value == ':')
            return cli_refuse(c, "--%s needs a value: --%s %s", option->name, option->name,
                              option->argument);
        /* Of two values none is surely meant. */
        const char *before = given[number];
        if (before && option->kind != CLI_FLAG && option->kind != CLI_TEXTS &&
            strcmp(before, optarg) != 0)
            return cli_refuse(
                c, "--%s is given twice, as '%s' and as '%s', and takes one value: leave one out",
                option->name, before, optarg);
        hd_status status = set_option(c, option, optarg);
        if (status)
            return status;
        given[number] = optarg;
    }
    return HD_OK;
}

bool cli_parse(cli *c, const cli_page *page, const cli_option *options, cli_source *source,
               int argc, char **argv) {
    bool help = false;
    const char *colour = "auto";
    const cli_option common[] = {
        {"json", 0, NULL, "the result as JSON (docs/json.md explains it)", CLI_FLAG, &c->json},
        {"color", 0, "WHEN", "auto, always or never", CLI_TEXT, &colour, "auto always never"},
        {"quiet", 'q', NULL, "errors only: no warnings, notes or progress", CLI_FLAG, &c->quiet},
        {"help", 'h', NULL, "this text", CLI_FLAG, &help},
        {0}};
    option_set set = {.count = 0};
    add_options(&set, options);
    const cli_option *job_options = source ? cli_job_options(c, source) : NULL;
    add_options(&set, job_options);
    add_options(&set, common);
    for (uint32_t i = 0; c->list && i < set.count; i++)
        c->list(c->list_user, set.all[i]);
    c->status = c->list ? CLI_FINE : CLI_WRONG;
    if (c->list || parse_options(c, &set, argc, argv))
        return false;
    if (!strcmp(colour, "always") || !strcmp(colour, "never")) {
        c->style.bold = c->printer.colour = !strcmp(colour, "always");
    } else if (strcmp(colour, "auto") != 0) {
        cli_refuse(c, "--color takes auto, always or never, not '%s'", colour);
        return false;
    }
    c->printer.quiet = c->quiet;
    if (help) {
        hd_str out = {.arena = c->arena};
        hd_str_add(&out, "usage: ");
        hd_wrap(&out, hd_format(c->arena, "heddle %s %s", c->command, page->usage), 7,
                HD_TABLE_WIDTH);
        hd_str_add(&out, "\n");
        hd_wrap(&out, page->about, 0, HD_TABLE_WIDTH);
        add_group_help(&out, "Options", options);
        add_group_help(&out, "For a kernel file without a job", job_options);
        add_group_help(&out, "Everywhere", common);
        c->status = cli_print(c, &out);
        return false;
    }
    c->words = argv + optind;
    c->word_count = (uint32_t)(argc - optind);
    if (c->word_count < page->words.least)
        cli_refuse(c, "which file? heddle %s %s", c->command, page->usage);
    if (c->word_count > page->words.most)
        cli_refuse(c, "'%s' is one word too many: heddle %s %s", c->words[page->words.most],
                   c->command, page->usage);
    if (c->word_count < page->words.least || c->word_count > page->words.most)
        return false;
    return !source || !source->build || !c->word_count || cli_is_job(c->words[0]) ||
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
