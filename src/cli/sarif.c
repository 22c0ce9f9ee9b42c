/*
 * Findings in SARIF 2.1.0 (OASIS Standard, "Static Analysis Results Interchange Format (SARIF)
 * Version 2.1.0", 2020), as editors and code review services read them: one run of one tool, with
 * a rule for each analysis that finds something (analysis/analysis.h), and a result for each access
 * that breaks one. Below a quarter of an access's transactions (the ends of a row that is not
 * aligned, say) what is in vain is no finding.
 */
#include "cli/counted.h"

#include <ctype.h>

#include "cli/report/report_result.h"

/* Shares: of an access's own transactions or passes that are waste, to be a finding; of its own
 * and of those of all, to be a warning. */
static const double least_own = 0.25, warned_own = 0.5, warned_all = 0.01;

typedef struct findings {
    cli *c;
    const cli_counted *counted;
    json_t *results;
} findings;

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

static void add_finding(findings *all, uint32_t number, int index, const hd_access_row *row) {
    hd_arena *arena = all->c->arena;
    const hd_analysis *analysis = hd_analyses[number];
    const char *advise = hd_format(arena, "heddle advise %s", all->counted->input.path);
    const hd_annotated *annotated = all->counted->annotated;
    const hd_access_finding f = analysis->find(arena, annotated->device, row, advise);
    uint64_t every = analysis->weight(&annotated->total.counts);
    bool warned = (double)f.wasted >= warned_own * (double)f.own &&
                  (double)f.wasted >= warned_all * (double)every;
    if (!f.wasted || (double)f.wasted < least_own * (double)f.own)
        return;
    json_t *result =
        json_pack("{s:s, s:i, s:s, s:o}", "ruleId", analysis->rule->id, "ruleIndex", index, "level",
                  warned ? "warning" : "note", "message", text_object(f.text));
    json_t *locations = json_array();
    if (row->file) {
        json_t *place = json_pack("{s:{s:o}}", "artifactLocation", "uri",
                                  hd_json_text(uri_of(arena, row->file)));
        json_t *region = row->line ? json_pack("{s:I}", "startLine", (json_int_t)row->line) : NULL;
        if (region && row->column)
            json_object_set_new(region, "startColumn", json_integer(row->column));
        if (region)
            json_object_set_new(place, "region", region);
        json_array_append_new(locations, json_pack("{s:o}", "physicalLocation", place));
    }
    json_object_set_new(result, "locations", locations);
    json_t *properties =
        json_pack("{s:o, s:I, s:I}", "kernel", hd_json_text(row->kernel), analysis->rule->unit,
                  (json_int_t)f.own, "wasted", (json_int_t)f.wasted);
    if (f.bytes)
        json_object_set_new(properties, "bytesWasted", json_integer((json_int_t)f.bytes));
    json_object_set_new(result, "properties", properties);
    json_array_append_new(all->results, result);
}

json_t *cli_sarif(cli *c, const cli_counted *counted) {
    findings all = {c, counted, json_array()};
    json_t *rules = json_array();
    int index[HD_ANALYSIS_COUNT];
    for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++) {
        index[i] = (int)json_array_size(rules);
        const hd_rule *rule = hd_analyses[i]->rule;
        if (rule)
            json_array_append_new(rules, json_pack("{s:s, s:s, s:o, s:o, s:{s:s}}", "id", rule->id,
                                                   "name", rule->name, "shortDescription",
                                                   text_object(rule->summary), "help",
                                                   text_object(rule->help), "defaultConfiguration",
                                                   "level", "warning"));
    }
    for (size_t row = 0; row < counted->table.count; row++)
        for (uint32_t i = 0; i < HD_ANALYSIS_COUNT; i++)
            if (hd_analyses[i]->rule)
                add_finding(&all, i, index[i], &counted->table.data[row]);
    json_t *driver =
        json_pack("{s:s, s:s, s:o}", "name", "heddle", "version", HEDDLE_VERSION, "rules", rules);
    return json_pack("{s:s, s:s, s:[{s:{s:o}, s:s, s:o}]}", "$schema",
                     "https://json.schemastore.org/sarif-2.1.0.json", "version", "2.1.0", "runs",
                     "tool", "driver", driver, "columnKind", "unicodeCodePoints", "results",
                     all.results);
}
