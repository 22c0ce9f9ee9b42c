/*
 * Findings in SARIF 2.1.0 (OASIS Standard, "Static Analysis Results Interchange Format (SARIF)
 * Version 2.1.0", 2020), as editors and code review services read them: one run of one tool, with
 * a rule for each kind of finding and a result for each access that breaks one.
 *
 *     heddle/uncoalesced     more transactions than the bytes that were asked for would need
 *     heddle/bank-conflict   passes of local memory that other addresses would not need
 *
 * What an access would need at the least: a transaction for each of its requests, and those that
 * the bytes asked for fill. A load of one value for a whole warp uses little of its segment, and
 * yet nothing can be done about it, so that it is no finding. Below a quarter of its transactions
 * (the ends of a row that is not aligned, say) the rest is none either.
 */
#include "cli/sarif.h"

#include <ctype.h>

#include "report/json.h"

/* Shares: of an access's own transactions or passes that are waste, to be a finding; of its own
 * and of those of all, to be a warning. */
static const double least_own = 0.25, warned_own = 0.5, warned_all = 0.01;

typedef enum rule { UNCOALESCED, BANK_CONFLICT, RULES } rule;

static const struct {
    const char *id, *name, *summary, *help;
} rules[RULES] = {
    {"heddle/uncoalesced", "Uncoalesced",
     "The lanes of a warp touch more segments of memory than their bytes would fill.",
     "Let neighbouring threads touch neighbouring bytes: lay the record out otherwise ('heddle "
     "advise' finds the layout, 'heddle rewrite' puts it in place), or let the thread's index be "
     "the last one of an array."},
    {"heddle/bank-conflict", "BankConflict",
     "The lanes of a warp touch different words of one bank of local memory, which serves them one "
     "after the other.",
     "Let neighbouring threads touch neighbouring words, or make the rows of the array longer by "
     "one word."}};

/* One finding. */
typedef struct finding {
    rule rule;
    const hd_access_row *row;
    uint64_t own, wasted, all; /* transactions or passes: of the access, in vain, of the run */
    uint64_t bytes;            /* moved in vain; 0 of local memory */
    const char *text;
} finding;

typedef struct findings {
    cli *c;
    const cli_counted *counted;
    json_t *results;
} findings;

static bool is_finding(const finding *f) {
    return f->wasted && (double)f->wasted >= least_own * (double)f->own;
}

/* ---- which there are ------------------------------------------------------------------------- */

static finding uncoalesced(const findings *all, const hd_access_row *row) {
    hd_arena *a = all->c->arena;
    const hd_device *device = all->counted->annotated->device;
    const hd_launch_counts counts = hd_access_row_moved(row);
    const hd_coalesce_counts *moved = &counts.hd_coalesce;
    uint32_t segment = hd_device_segment_for(device, row->width);
    uint64_t full = (moved->bytes_used + segment - 1) / segment;
    uint64_t least = full > moved->requests ? full : moved->requests;
    uint64_t wasted = moved->transactions > least ? moved->transactions - least : 0;
    uint64_t each = moved->transactions ? moved->bytes_moved / moved->transactions : 0;
    finding f = {UNCOALESCED,
                 row,
                 moved->transactions,
                 wasted,
                 all->counted->annotated->total.counts.hd_coalesce.transactions,
                 wasted * each,
                 NULL};
    if (!is_finding(&f))
        return f;
    f.text = hd_format(
        a,
        "%s of %s: %.3g transactions for each request of a warp, where %.3g would do; %s of the %s "
        "that it moves in '%s' are in vain.%s",
        hd_access_kind_name(row->kind), hd_access_row_target(a, row),
        (double)moved->transactions / (double)moved->requests,
        (double)least / (double)moved->requests, hd_show_bytes(a, f.bytes),
        hd_show_bytes(a, moved->bytes_moved), row->kernel,
        row->record ? hd_format(a, " Another layout of '%s' may mend that: heddle advise %s",
                                row->record, all->counted->input.path)
                    : " Let neighbouring threads touch neighbouring elements.");
    return f;
}

static finding bank_conflict(const findings *all, const hd_access_row *row) {
    const hd_banks_counts *banks = &row->counts.hd_banks;
    finding f = {BANK_CONFLICT,
                 row,
                 banks->passes,
                 banks->conflicts,
                 all->counted->annotated->total.counts.hd_banks.passes,
                 0,
                 NULL};
    if (!is_finding(&f))
        return f;
    double requests = (double)banks->local_requests;
    f.text = hd_format(all->c->arena,
                       "%s of %s: %.3g passes of local memory for each request of a warp, where "
                       "%.3g would do; %s of %s passes in '%s' are bank conflicts. Let "
                       "neighbouring threads touch neighbouring words, or make the rows of the "
                       "array longer by one word.",
                       hd_access_kind_name(row->kind), hd_access_row_target(all->c->arena, row),
                       (double)f.own / requests, (double)(f.own - f.wasted) / requests,
                       hd_show_count(all->c->arena, (double)f.wasted),
                       hd_show_count(all->c->arena, (double)f.own), row->kernel);
    return f;
}

/* ---- as SARIF -------------------------------------------------------------------------------- */

/* A path as a reference of RFC 3986: as it was given, or, where it is absolute, a file: URI. */
static const char *uri_of(hd_arena *arena, const char *path) {
    hd_str uri = {.arena = arena};
    hd_str_add(&uri, *path == '/' ? "file://" : "");
    for (const char *at = !strncmp(path, "./", 2) ? path + 2 : path; *at; at++)
        if (isalnum((unsigned char)*at) || strchr("-._~/+,@=", *at))
            hd_str_addn(&uri, at, 1);
        else
            hd_str_printf(&uri, "%%%02X", (unsigned char)*at);
    return hd_str_text(&uri);
}

static json_t *text_object(const char *text) {
    return json_pack("{s:o}", "text", hd_json_text(text));
}

static json_t *location_of(const findings *all, const hd_access_row *row) {
    json_t *place = json_pack("{s:{s:o}}", "artifactLocation", "uri",
                              hd_json_text(uri_of(all->c->arena, row->file)));
    if (row->line) {
        json_t *region = json_pack("{s:I}", "startLine", (json_int_t)row->line);
        if (row->column)
            json_object_set_new(region, "startColumn", json_integer(row->column));
        json_object_set_new(place, "region", region);
    }
    return json_pack("[{s:o}]", "physicalLocation", place);
}

static void add_finding(findings *all, const finding *f) {
    bool warned = (double)f->wasted >= warned_own * (double)f->own &&
                  (double)f->wasted >= warned_all * (double)f->all;
    if (!is_finding(f))
        return;
    json_t *result =
        json_pack("{s:s, s:i, s:s, s:o}", "ruleId", rules[f->rule].id, "ruleIndex", (int)f->rule,
                  "level", warned ? "warning" : "note", "message", text_object(f->text));
    json_object_set_new(result, "locations",
                        f->row->file ? location_of(all, f->row) : json_array());
    json_t *properties = json_pack("{s:o, s:I, s:I}", "kernel", hd_json_text(f->row->kernel),
                                   f->rule == UNCOALESCED ? "transactions" : "passes",
                                   (json_int_t)f->own, "wasted", (json_int_t)f->wasted);
    if (f->bytes)
        json_object_set_new(properties, "bytesWasted", json_integer((json_int_t)f->bytes));
    json_object_set_new(result, "properties", properties);
    json_array_append_new(all->results, result);
}

static json_t *rule_list(void) {
    json_t *list = json_array();
    for (int r = 0; r < RULES; r++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:o, s:{s:s}}", "id", rules[r].id,
                                              "name", rules[r].name, "shortDescription",
                                              text_object(rules[r].summary), "help",
                                              text_object(rules[r].help), "defaultConfiguration",
                                              "level", "warning"));
    return list;
}

json_t *cli_sarif(cli *c, const cli_counted *counted) {
    findings all = {c, counted, json_array()};
    for (size_t i = 0; i < counted->table.count; i++) {
        const finding kinds[] = {uncoalesced(&all, &counted->table.data[i]),
                                 bank_conflict(&all, &counted->table.data[i])};
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            add_finding(&all, &kinds[k]);
    }
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "heddle", "version", HEDDLE_VERSION,
                               "rules", rule_list());
    return json_pack("{s:s, s:s, s:[{s:{s:o}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                     "tool", "driver", driver, "columnKind", "unicodeCodePoints", "results",
                     all.results);
}
