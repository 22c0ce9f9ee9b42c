/*
 * Commands and options: one table each, in commands.c. The parser, the check of what goes with what,
 * `--help`, the manual pages and the completion of shells are made from them (options.c,
 * completion.c, manual.c).
 */
#ifndef HD_CLI_COMMANDS_H
#define HD_CLI_COMMANDS_H

#include "cli/input.h"

/* What the options of all commands have set; what is not given is 0 or NULL. */
typedef struct cli_options {
    cli_input input; /* the words' path, kernels without a job, the machine, which launches */
    cli_texts devices, layouts, checks, dumps, vary, fix, only, thresholds;
    const char *on, *meter, *meter_command, *objective, *by, *budget, *placement, *placements,
        *loops, *run, *apply, *map, *host, *stages, *partitioner, *numbering, *sarif, *fail_below,
        *overhead, *svg, *job, *per, *schedule, *block, *cluster, *range, *k_list, *units_list,
        *kernel, *launches, *lengths, *bytes, *profile, *model, *keep, *pictures, *colour;
    uint64_t repeats, registers, epsilon, top, shuffle_threads, shuffle_data, every, sample, limit,
        element, memory, clusters, k, units, scenario, seed, line, blocks_at_once;
    double seconds, minutes;
    bool json, quiet, accesses, all, dot, no_verify, verify, automatic, whole, measure, again, diff,
        in_place, recover, as_made, data, no_data, reuse, no_caches, caches, leaks, by_cost, csv,
        energy, subtract_idle, force, meters, features, dry, names, ids, show, list, small, help;
} cli_options;

typedef enum cli_kind {
    CLI_FLAG,   /* bool */
    CLI_TEXT,   /* const char * */
    CLI_TEXTS,  /* cli_texts: may be given several times */
    CLI_NUMBER, /* uint64_t, from 1 */
    CLI_REAL,   /* double, not negative */
    CLI_SIZES   /* cli_sizes: N[,N[,N]], each from 1 */
} cli_kind;

/* An option of some commands. One that takes another text elsewhere has a row for each. */
typedef struct cli_option {
    const char *name;
    char letter;          /* of the short form, or 0 */
    const char *argument; /* its name in the help; NULL for flags */
    cli_kind kind;
    size_t target;     /* in a cli_options; of `json` and `quiet` it is not used */
    uint64_t commands; /* that take it: bits 1 << index in cli_commands */
    const char *help;
    const char *values; /* words that it takes, separated by blanks, for shells to complete */
    const char
        *otherwise;    /* the value where the next word is none of `values`; NULL: it needs one */
    const char *needs; /* options, separated by blanks: of those that the command takes one must
                             be there */
    const char *excludes; /* options that cannot be beside it */
    uint64_t most;        /* of a number, or of how many values; 0: any */
} cli_option;

/* "50%" or "50" as 0.5: above 0 and up to `most` percent; *share stays where text is NULL. */
hd_status cli_read_percent(cli *c, const char *option, const char *text, double most,
                           double *share);

/* In which groups `heddle help` shows commands. */
typedef enum cli_group { CLI_FIND, CLI_SEE, CLI_STUDY, CLI_SET_UP, CLI_GROUPS } cli_group;
extern const char *const cli_group_titles[CLI_GROUPS];

/* What a kernel file without a job means to a command: see cli_source. */
enum { CLI_ANY_ENTRY = 1, CLI_WHOLE_FILE = 2, CLI_FINDS_RECORDS = 4, CLI_TELLS_RECORDS = 8 };

typedef struct cli_command {
    const char *name;
    const char *variant; /* a word after the name, "info"; an option anywhere, "--costs"; or "--",
                            before a program; NULL: the command itself */
    cli_group group;
    const char *summary; /* one line, for `heddle help`; NULL: hidden */
    int (*run)(cli *c);
    uint32_t least, most; /* how many words it takes besides options */
    const char *usage;    /* after its name */
    const char *about;
    uint32_t reads;      /* CLI_ANY_ENTRY and the like */
    bool takes_programs; /* as a word: "-- PROGRAM ARGUMENTS", whose recording it reads */
    int (*live)(
        cli *c);     /* of a program, where no option says where files go: as it runs; or NULL */
    bool is_divided; /* among ranks, by heddle-mpi */
} cli_command;

extern const cli_command cli_commands[]; /* ends with a NULL name */
extern const cli_option cli_all_options[];

/* The command that words begin with, or its variant; *at is where the variant's word is, or 0.
 * NULL: there is none. */
const cli_command *cli_find_command(char *const *words, uint32_t count, uint32_t *at);
/* A variant that an option chooses, or "--". */
bool cli_is_option(const cli_command *command);
/* "trace info"; of "--" the command's alone. */
const char *cli_full_name(hd_arena *arena, const cli_command *command);
/* Whether the command takes the option. */
bool cli_takes(const cli_command *command, const cli_option *option);

/* In which part of a page an option stands. */
typedef enum cli_part { CLI_OWN, CLI_KERNELS, CLI_EVERYWHERE, CLI_PARTS } cli_part;
extern const char *const cli_part_titles[CLI_PARTS];
cli_part cli_part_of(const cli_option *option);

/* Parses argv, which has a word before options, into c->given, and c->words. True: go on. False:
 * help was printed or a message given, and c->status is the exit status. */
bool cli_parse(cli *c, const cli_command *command, int argc, char **argv);
/* `heddle NAME --help`. */
int cli_print_help(cli *c, const cli_command *command);

/* completion.c */

/* The shells that there are scripts for, separated by blanks. */
#define CLI_SHELLS "bash zsh fish"
/* Adds the script for `shell`; false when there is none. */
bool cli_add_completion(const char *shell, hd_str *out);
/* heddle help complete: prints what the last of the words after "heddle" may become. `topics` are
 * those that `heddle help` explains besides commands, separated by blanks. */
int cli_complete(cli *c, char **words, uint32_t count, const char *topics);

/* cmd_help.c: the same with its own topics. */
int cli_help_complete(cli *c, char **words, uint32_t count);

/* cmd_record.c: runs a program, and records all of its launches in a new folder. */
hd_status cli_record_program(cli *c, char **words, const char *folder);

/* manual.c: what the page "heddle", or "heddle-run", has from the tables. */
int cli_print_manual(cli *c, const char *page);

#endif
