/* A study of micro-kernels as an HTML page: its tables and pictures, one below the other. */
#include "cli/report/report_explore.h"
#include "cli/report/members.h"
#include "cli/report/plot.h"
#include "cli/report/report_result.h"

/* As the report page (web/style.css). */
static const char style[] =
    "<style>:root{color-scheme:light dark}body{margin:0 auto;max-width:1500px;padding:1rem 1.5rem "
    "4rem;background:#fcfcfb;color:#1c2228;font:14px/1.45 system-ui,sans-serif;"
    "font-variant-numeric:tabular-nums}h2{margin-top:3.5rem}h3{margin-top:2.5rem}.quiet{color:#"
    "58626c}"
    "table{border-collapse:collapse;margin:.5rem 0 1rem}td,th{padding:.15rem .8rem .15rem 0;"
    "text-align:left;vertical-align:top;border-bottom:1px solid #e4e7ea}.right{text-align:right}"
    "th{font-weight:600}.pictures{display:flex;flex-wrap:wrap;gap:.5rem}"
    "svg{max-width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{background:#15191d;color:#dfe5ea}"
    ".quiet{color:#9aa5af}td,th{border-color:#2a3138}}</style>\n";

typedef struct page {
    hd_arena *arena;
    hd_view view;
    hd_str out;
} page;

static void add_heading(page *p, int level, const char *text) {
    hd_str_printf(&p->out, "<h%d>%s</h%d>\n", level, hd_svg_escape(p->arena, text), level);
}

static void add_paragraph(page *p, const char *text) {
    hd_str_printf(&p->out, "<p class=\"quiet\">%s</p>\n", hd_svg_escape(p->arena, text));
}

static void add_head(page *p, const hd_explore_head *head) {
    hd_str_printf(&p->out,
                  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width\">\n<title>%s</title>\n%s"
                  "</head>\n<body>\n",
                  hd_svg_escape(p->arena, hd_format(p->arena, "%s: layouts, placements and energy",
                                                    head->device)),
                  style);
    add_heading(p, 1, head->device);
    add_paragraph(p, hd_format(p->arena, "%s, %s", head->driver, head->date));
}

static void add_part(page *p, const hd_explore_part *part) {
    const hd_study *s = p->view.context = part->study;
    const hd_value handovers = hd_study_handovers(p->arena, s);
    const char *energy = s->why        ? hd_format(p->arena, "not known: %s", s->why)
                         : s->modelled ? "modelled, not metered"
                                       : hd_format(p->arena, "by the meter %s", s->meter);
    hd_str pictures = {.arena = p->arena};
    add_heading(p, 2, part->title);
    add_paragraph(p, hd_format(p->arena, "%u variants of %u kernels; %senergy is %s.", s->count,
                               s->point_count,
                               s->predicted ? "times are modelled, not measured; " : "", energy));
    add_heading(p, 3, "Findings on this device");
    hd_html_rows(&p->view, hd_finding_members, hd_rows(s->findings, (size_t)HD_FINDINGS), &p->out);
    for (int f = 0; f < HD_FINDINGS; f++)
        add_paragraph(p, hd_format(p->arena, "\"%s\" holds where %s.", s->findings[f].statement,
                                   s->findings[f].rule));
    add_paragraph(p, hd_findings_from);
    add_heading(p, 3, "Where the lead changes hands");
    if (handovers.count)
        hd_html_rows(&p->view, hd_line_handover_members, handovers, &p->out);
    else
        add_paragraph(p, "Nowhere along the lines below.");
    for (int q = 0; q < HD_QUANTITIES; q++)
        hd_placements_svg(p->arena, s, (hd_quantity)q, &pictures);
    if (pictures.length) {
        add_heading(p, 3, "Placements");
        hd_str_printf(&p->out, "<div class=\"pictures\">\n%s</div>\n", hd_str_text(&pictures));
    }
    for (uint32_t l = 0; l < s->line_count; l++) {
        const hd_line *line = &s->lines[l];
        add_heading(p, 3, hd_line_title(p->arena, line));
        hd_html_rows(&p->view, hd_line_stop_members, hd_line_stops(p->arena, s, line), &p->out);
        hd_str_add(&p->out, "<div class=\"pictures\">\n");
        for (int q = 0; q < HD_QUANTITIES; q++)
            hd_line_svg(p->arena, s, line, (hd_quantity)q, &p->out);
        hd_str_add(&p->out, "</div>\n");
    }
}

const char *hd_explore_page(hd_arena *arena, const hd_explore_head *head,
                            const hd_explore_part *parts, uint32_t count) {
    page p = {.arena = arena, .view = {.arena = arena}, .out = {.arena = arena}};
    add_head(&p, head);
    for (uint32_t i = 0; i < count; i++)
        add_part(&p, &parts[i]);
    hd_str_add(&p.out, "</body>\n</html>\n");
    return hd_str_text(&p.out);
}
