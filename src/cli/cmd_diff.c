/*
 * heddle diff: what two versions move, side by side, for each line, kernel and field: a job in two
 * layouts, or two jobs, kernel files or traces.
 *
 * Lines of one file are matched by their numbers. Those of two files, an old and a new version say,
 * are matched by their text, in order: the longest sequence of lines that both have (Wagner and
 * Fischer, "The String-to-String Correction Problem", 1974).
 */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/counted.h"
#include "cli/report/members.h"
#include "cli/stop.h"

enum {
    SIDES = 2,
    LONGEST_LABEL = 12,
    MOST_SOURCE = 60,
    NO_TERMINAL = 10000,
    MOST_MATCHED = 1 << 24
};

/* What is compared: of a line, a kernel, a field or all. */
typedef struct pair {
    const char *name; /* NULL: a line */
    const hd_annotated_file *file;
    const hd_annotated_line *lines[SIDES];
    const char *label;                   /* as text */
    const hd_annotated_sum *sums[SIDES]; /* NULL: not there */
} pair;
typedef hd_vec(pair) pairs;

/* Both on the device. */
typedef struct times {
    hd_time before, after;
    hd_time_gain gain;
    double simulated; /* share of the blocks whose caches were */
} times;

typedef struct request {
    cli_counted sides[SIDES];
    const char *labels[SIDES];
    cli_texts layouts;
    bool by_cost, caches; /* are simulated */
    uint64_t top;
    /* what came of it */
    pairs lines, kernels, targets;
    pair total;
    times *times; /* NULL: not known */
} request;

/* ---- matching ------------------------------------------------------------------------------ */

static bool same_line(bool same_file, const hd_annotated_line *a, const hd_annotated_line *b) {
    if (same_file || !a->text || !b->text)
        return a->number == b->number;
    const char *x = a->text + strspn(a->text, " \t"), *y = b->text + strspn(b->text, " \t");
    return !strcmp(x, y);
}

static void add_line(cli *c, request *r, const hd_annotated_file *file, const hd_annotated_line *a,
                     const hd_annotated_line *b) {
    uint32_t number = a ? a->number : b->number;
    pair line = {.file = file, .lines = {a, b}};
    line.label = !number ? "?"
                 : file->path && r->sides[0].annotated->files.count > 1
                     ? hd_format(c->arena, "%s:%u", hd_path_name(file->path), number)
                     : hd_format(c->arena, "%u", number);
    line.sums[0] = a ? &a->sum : NULL;
    line.sums[1] = b ? &b->sum : NULL;
    hd_push(c->arena, &r->lines, line);
}

/* Two files, or one that only one side has. */
static void match_lines(cli *c, request *r, const hd_annotated_file *a,
                        const hd_annotated_file *b) {
    static const hd_annotated_file none = {0};
    const hd_annotated_file *x = a ? a : &none, *y = b ? b : &none;
    bool same = a && b && a->path && b->path &&
                (!strcmp(a->path, b->path) || hd_same_file(a->path, b->path));
    size_t rows = x->lines.count, columns = y->lines.count;
    hd_arena *own = hd_arena_new();
    same |= rows * columns > MOST_MATCHED;
    /* most[i][j]: how many can be matched of those from i and j on */
    uint32_t *most = same ? NULL : hd_new_array(own, uint32_t, (rows + 1) * (columns + 1));
#define MOST(i, j) most[(i) * (columns + 1) + (j)]
    for (size_t i = same ? 0 : rows; i-- > 0;)
        for (size_t j = columns; j-- > 0;) {
            uint32_t skip = MOST(i + 1, j) > MOST(i, j + 1) ? MOST(i + 1, j) : MOST(i, j + 1);
            bool match = same_line(same, &x->lines.data[i], &y->lines.data[j]);
            MOST(i, j) = match ? MOST(i + 1, j + 1) + 1 : skip;
        }
    for (size_t i = 0, j = 0; i < rows || j < columns;) {
        if (i < rows && j < columns && same_line(same, &x->lines.data[i], &y->lines.data[j])) {
            add_line(c, r, x, &x->lines.data[i++], &y->lines.data[j++]);
            continue;
        }
        bool first =
            j == columns || (i < rows && (same ? x->lines.data[i].number < y->lines.data[j].number
                                               : MOST(i + 1, j) >= MOST(i, j + 1)));
        if (first)
            add_line(c, r, x, &x->lines.data[i], NULL), i++;
        else
            add_line(c, r, y, NULL, &y->lines.data[j]), j++;
    }
#undef MOST
    hd_arena_free(own);
}

/* The file of the other side that is this one, or else has its name. */
static size_t partner(const hd_annotated_file *file, const hd_annotated *others,
                      const bool *taken) {
    for (int how = 0; how < 2; how++)
        for (size_t f = 0; f < others->files.count; f++) {
            const char *path = file->path, *other = others->files.data[f].path;
            bool match = !path || !other ? path == other
                         : how == 0      ? !strcmp(path, other) || hd_same_file(path, other)
                                         : !strcmp(hd_path_name(path), hd_path_name(other));
            if (match && !taken[f])
                return f;
        }
    return SIZE_MAX;
}

static void match_files(cli *c, request *r) {
    const hd_annotated *a = r->sides[0].annotated, *b = r->sides[1].annotated;
    bool *taken = hd_new_array(c->arena, bool, b->files.count + 1);
    size_t *partners = hd_new_array(c->arena, size_t, a->files.count + 1);
    size_t alone = SIZE_MAX, alone_count = 0, left = SIZE_MAX, left_count = 0;
    for (size_t f = 0; f < a->files.count; f++) {
        partners[f] = partner(&a->files.data[f], b, taken);
        if (partners[f] != SIZE_MAX)
            taken[partners[f]] = true;
        else
            alone = f, alone_count++;
    }
    for (size_t f = 0; f < b->files.count; f++)
        if (!taken[f])
            left = f, left_count++;
    if (alone_count == 1 && left_count == 1) { /* a kernel file under another name */
        partners[alone] = left;
        taken[left] = true;
    }
    for (size_t f = 0; f < a->files.count; f++)
        match_lines(c, r, &a->files.data[f],
                    partners[f] != SIZE_MAX ? &b->files.data[partners[f]] : NULL);
    for (size_t f = 0; f < b->files.count; f++)
        if (!taken[f])
            match_lines(c, r, NULL, &b->files.data[f]);
}

/* By name: those of the first side in its order, then what only the second one has. */
static void match_sums(cli *c, pairs *to, const hd_annotated_sums *a, const hd_annotated_sums *b) {
    for (size_t i = 0; i < a->count; i++)
        hd_push(c->arena, to, (pair){.name = a->data[i].name, .sums = {&a->data[i], NULL}});
    for (size_t j = 0; j < b->count; j++) {
        const hd_annotated_sum *sum = &b->data[j];
        size_t i = 0;
        while (i < a->count && strcmp(a->data[i].name, sum->name))
            i++;
        if (i == a->count)
            hd_push(c->arena, to, (pair){.name = sum->name, .sums = {NULL, sum}});
        else
            to->data[i].sums[1] = sum;
    }
    for (size_t i = 0; i < to->count; i++)
        to->data[i].label = to->data[i].name;
}

/* ---- order ----------------------------------------------------------------------------------- */

static uint64_t weight_of(const pair *p, int side) {
    return p->sums[side] ? hd_weight(&p->sums[side]->counts, 0) : 0;
}

static uint64_t change_of(const pair *p) {
    uint64_t a = weight_of(p, 0), b = weight_of(p, 1);
    return a > b ? a - b : b - a;
}

static int by_change(const void *left, const void *right) {
    const pair *a = left, *b = right;
    uint64_t x = change_of(a), y = change_of(b);
    if (x != y)
        return x > y ? -1 : 1;
    const hd_annotated_line *p = a->lines[0] ? a->lines[0] : a->lines[1];
    const hd_annotated_line *q = b->lines[0] ? b->lines[0] : b->lines[1];
    return p->number < q->number ? -1 : p->number > q->number;
}

/* ---- showing ---------------------------------------------------------------------------------- */

/* One side of a pair. */
typedef struct side {
    const char *label;
    const hd_annotated_sum *sum; /* or NULL */
    const hd_cache_sum *cached;  /* NULL: not there, or not simulated */
} side;

static hd_value sides_of(const hd_view *view, const void *at) {
    const request *r = view->context;
    const pair *p = at;
    side *sides = hd_new_array(view->arena, side, SIDES);
    for (int s = 0; s < SIDES; s++)
        sides[s] = (side){r->labels[s], p->sums[s],
                          r->sides[s].has_caches && p->sums[s] ? &p->sums[s]->cached : NULL};
    return hd_rows(sides, SIDES);
}

static const char *source_of(const pair *p) {
    const hd_annotated_line *line = p->lines[0] ? p->lines[0] : p->lines[1];
    return line ? line->text : NULL;
}

/* On a terminal as much as leaves room for the rest. */
static hd_value shown_source(const hd_view *view, const void *at) {
    const char *text = source_of(at);
    if (!text)
        return hd_text("");
    text += strspn(text, " \t");
    size_t length = MOST_SOURCE;
    if (!isatty(STDOUT_FILENO) || strlen(text) <= length)
        return hd_text(text);
    for (; ((unsigned char)text[length] & 0xc0) == 0x80;)
        length--;
    return hd_text(hd_format(view->arena, "%.*s…", (int)length, text));
}

/* Transactions and passes of the second for each of the first. */
HD_GETTER(ratio_value, pair,
          hd_real(row->sums[1] && weight_of(row, 0)
                      ? (double)weight_of(row, 1) / (double)weight_of(row, 0)
                      : NAN))
HD_GETTER(source_value, pair, hd_text(source_of(row)))
HD_GETTER(line_value, pair, row->lines[0] ? hd_whole(row->lines[0]->number) : hd_null())
HD_GETTER(other_line, pair, row->lines[1] ? hd_whole(row->lines[1]->number) : hd_null())
HD_GETTER(weight_value, hd_annotated_sum, hd_whole(hd_weight(&row->counts, 0)))
HD_GETTER(used_value, hd_annotated_sum, hd_real(hd_efficiency(&row->counts)))
HD_GETTER(dram_value, hd_cache_sum, hd_whole(row->counts.dram_read + row->counts.dram_written))

#define OF_SUM .via = true, .via_offset = offsetof(side, sum)

static const hd_member weight_column = {NULL, "transactions %s", HD_COUNT, .get = weight_value,
                                        OF_SUM};
static const hd_member moved_column = {NULL, "moved %s", HD_BYTES,
                                       HD_AT(hd_annotated_sum, counts.moved.bytes_moved), OF_SUM};
static const hd_member used_column = {NULL, "used %s", HD_SHARE, .get = used_value, OF_SUM};
static const hd_member dram_column = {NULL,        "DRAM %s",
                                      HD_BYTES,    .get = dram_value,
                                      .via = true, .via_offset = offsetof(side, cached)};
static const hd_member ratio_column = {NULL, "ratio", HD_RATIO, .get = ratio_value};

/* A column for each side. */
static hd_member sided(hd_arena *arena, const hd_member *column) {
    hd_member *own = hd_new_array(arena, hd_member, 3);
    own[0] = (hd_member){"label", HD_AT(side, label)}; /* what "%s" in the title stands for */
    own[1] = *column;
    return (hd_member){.get = sides_of, .of = own};
}

/* "conflicts A", "conflicts B": of each analysis but the first what it shows here, if it counted
 * something of the two versions. */
static void add_counted(hd_arena *arena, const request *r, hd_member *columns, size_t *count) {
    const hd_annotated_sum *a = r->total.sums[0], *b = r->total.sums[1];
    for (uint32_t i = 1; i < HD_ANALYSIS_COUNT; i++)
        for (const hd_member *m = hd_analyses[i]->members; m->key || m->title; m++) {
            if (!(hd_analysis_column_of(hd_analyses[i], m).seen & HD_IN_DIFF) ||
                (!hd_analysis_counted(i, &a->counts) && !hd_analysis_counted(i, &b->counts)))
                continue;
            hd_member own = *m;
            own.key = NULL;
            own.title = hd_format(arena, "%s %%s", m->title);
            own.via = true;
            own.via_offset = offsetof(side, sum);
            own.offset += (uint32_t)((const char *)a->counts.of[i] - (const char *)a);
            columns[(*count)++] = sided(arena, &own);
        }
}

/* The columns of a table: lines have their bytes and their source, sums the share that is used. */
static const hd_member *columns_of(hd_arena *arena, const request *r, const char *title) {
    bool lines = !strcmp(title, "line");
    hd_member *columns = hd_new_array(arena, hd_member, HD_ANALYSIS_COUNT * HD_MOST_COUNTS + 7);
    size_t count = 0;
    columns[count++] =
        (hd_member){NULL, title, lines ? HD_PLAIN_WORD : HD_PLAIN, HD_AT(pair, label)};
    columns[count++] = sided(arena, &weight_column);
    columns[count++] = ratio_column;
    columns[count++] = sided(arena, lines ? &moved_column : &used_column);
    add_counted(arena, r, columns, &count);
    if (r->caches)
        columns[count++] = sided(arena, &dram_column);
    if (lines)
        columns[count++] = (hd_member){NULL, "source", .get = shown_source};
    return columns;
}

static void show_pairs(cli *c, const request *r, const char *title, const char *what,
                       const pairs *rows, hd_str *out) {
    hd_style style = c->style;
    if (!isatty(STDOUT_FILENO) && rows == &r->lines)
        style.width = NO_TERMINAL;
    hd_str_printf(out, "\n%s\n", title);
    hd_show_rows(&(hd_view){c->arena}, columns_of(c->arena, r, what),
                 hd_with(hd_rows(rows->data, rows->count), r), style, out);
}

/* ---- as JSON ---------------------------------------------------------------------------------- */

static const hd_member side_members[] = {
    {"label", HD_AT(side, label)},
    {"counts", HD_VIA(side, sum, HD_IN, counts), .of = hd_launch_count_members},
    {"caches", HD_BEHIND(side, cached), .of = hd_annotated_cache_members},
    {0}};
static const hd_member pair_members[] = {
    {"ratio", .get = ratio_value}, {"sides", .get = sides_of, .of = side_members}, {0}};
static const hd_member line_members[] = {{"file", HD_VIA(pair, file, HD_AT, path)},
                                         {"line", .get = line_value},
                                         {"other_line", .get = other_line},
                                         {"source", .get = source_value},
                                         {HD_SELF, .of = pair_members},
                                         {0}};
static const hd_member sum_members[] = {
    {"name", HD_AT(pair, name)}, {HD_SELF, .of = pair_members}, {0}};
static const hd_member times_members[] = {{"before", HD_IN(times, before), .of = hd_time_members},
                                          {"after", HD_IN(times, after), .of = hd_time_members},
                                          {"gain", HD_IN(times, gain), .of = hd_time_gain_members},
                                          {"simulated", HD_AT(times, simulated)},
                                          {0}};
HD_GETTER(all_sides, request, hd_rows(row->sides, SIDES))
static const hd_member diff_members[] = {
    {"versions", .get = all_sides, .of = cli_counted_source_members},
    {"lines", HD_MANY(request, lines.data, lines.count), .of = line_members},
    {"kernels", HD_MANY(request, kernels.data, kernels.count), .of = sum_members},
    {"targets", HD_MANY(request, targets.data, targets.count), .of = sum_members},
    {"total", HD_IN(request, total), .of = pair_members},
    {"time", HD_BEHIND(request, times), .of = times_members},
    {0}};

/* ---- time ------------------------------------------------------------------------------------- */

static times *times_of(cli *c, const cli_counted *a, const cli_counted *b) {
    if (!(a->time.seconds > 0) || !(b->time.seconds > 0))
        return NULL;
    times *t = hd_new(c->arena, times);
    *t = (times){a->time, b->time, hd_time_gain_of(&a->time, &b->time),
                 fmin(a->simulated, b->simulated)};
    return t;
}

static void show_times(cli *c, const request *r, hd_str *out) {
    const times *t = r->times;
    if (!t && (r->sides[0].needs_caches || r->sides[1].needs_caches))
        hd_say(out,
               "--caches predicts times, too, which some blocks do not tell here: L2 has no room "
               "for what launches leave to the next ones");
    if (!t)
        return;
    const char *part = t->simulated < 1 ? hd_format(c->arena, ", by the caches of %s of the blocks",
                                                    hd_show_share(c->arena, t->simulated))
                                        : "";
    hd_say(out, "Predicted on %s%s: %s %s (%s), %s %s (%s): %s",
           r->sides[0].annotated->device->name, part, r->labels[0],
           hd_show_seconds(c->arena, t->before.seconds), hd_bound_print(c->arena, &t->before),
           r->labels[1], hd_show_seconds(c->arena, t->after.seconds),
           hd_bound_print(c->arena, &t->after), hd_gain_print(c->arena, t->gain));
}

/* ---- the command ------------------------------------------------------------------------------ */

/* Which two they are. */
static hd_status choose_sides(cli *c, request *r) {
    if (c->word_count == 2 && r->layouts.count)
        return cli_refuse(c, "--layout goes with one job, which it gives two layouts; compare two "
                             "jobs as they are");
    if (c->word_count == 1 && (!r->layouts.count || r->layouts.count > SIDES))
        return cli_refuse(c,
                          "which two? Give a job and --layout twice (once: against the layout that "
                          "it has), or two jobs or traces");
    r->sides[1].input = r->sides[0].input;
    for (uint32_t s = 0; s < SIDES; s++) {
        cli_counted *k = &r->sides[s];
        /* Of one layout the job as it is is the first side. */
        uint32_t missing = c->word_count == 1 ? SIDES - (uint32_t)r->layouts.count : SIDES;
        k->input.path = c->words[c->word_count == 2 ? s : 0];
        if (s >= missing)
            hd_push(c->arena, &k->layouts, r->layouts.data[s - missing]);
        r->labels[s] = k->layouts.count     ? k->layouts.data[0]
                       : c->word_count == 2 ? hd_path_name(k->input.path)
                                            : "original";
    }
    const char *const *labels = r->labels;
    if (!strcmp(labels[0], labels[1]) || strlen(labels[0]) > LONGEST_LABEL ||
        strlen(labels[1]) > LONGEST_LABEL) {
        r->labels[0] = "A";
        r->labels[1] = "B";
    }
    return HD_OK;
}

int cmd_diff(cli *c) {
    const cli_options *o = c->given;
    request r = {.sides[0].input = o->input,
                 .layouts = o->layouts,
                 .by_cost = o->by_cost,
                 .caches = o->caches,
                 .top = o->top};
    const hd_device *device;
    cli_end_on_stop();
    r.sides[0].input.machine.keep_text = true; /* of two runs: nobody could tell whose it is */
    if (choose_sides(c, &r) || cli_find_device(c, &device))
        return CLI_WRONG;
    for (int s = 0; s < SIDES; s++) {
        r.sides[s].no_caches = !r.caches;
        r.sides[s].timed = true;
        if (cli_count(c, &r.sides[s], device))
            return CLI_WRONG;
        if (r.sides[s].run.total.counts.stopped)
            return CLI_STOPPED;
    }
    const hd_annotated *a = r.sides[0].annotated, *b = r.sides[1].annotated;
    match_files(c, &r);
    match_sums(c, &r.kernels, &a->kernels, &b->kernels);
    match_sums(c, &r.targets, &a->targets, &b->targets);
    r.total = (pair){.name = "in all", .label = "in all", .sums = {&a->total, &b->total}};
    if ((r.by_cost || r.top) && r.lines.count)
        qsort(r.lines.data, r.lines.count, sizeof *r.lines.data, by_change);
    if (r.top && r.lines.count > r.top)
        r.lines.count = r.top;
    r.times = times_of(c, &r.sides[0], &r.sides[1]);
    if (c->json)
        return cli_print_row(c, diff_members, hd_with(hd_row(&r), &r));
    hd_str out = {.arena = c->arena};
    for (int s = 0; s < SIDES; s++) {
        hd_str_printf(&out, "%s: ", r.labels[s]);
        cli_show_counted(c, &r.sides[s], &out);
    }
    show_times(c, &r, &out);
    show_pairs(c, &r, r.by_cost || r.top ? "Lines, the greatest change first" : "Lines", "line",
               &r.lines, &out);
    show_pairs(c, &r, "Fields and buffers", "field or buffer", &r.targets, &out);
    hd_push(c->arena, &r.kernels, r.total);
    show_pairs(c, &r, "Kernels", "kernel", &r.kernels, &out);
    return cli_print(c, &out);
}
