/* Stems as SVG, for papers: black on nothing, so that it can stand on any page. */
#include <math.h>

#include "cli/report/plot.h"
#include "cli/report/report.h"

enum { WIDTH = 800, HEIGHT = 400, LEFT = 84, RIGHT = 16, TOP = 36, BOTTOM = 52, TICKS = 6 };
enum { TITLE_LETTERS = 84 }; /* that fit, as wide as most are */

typedef struct frame {
    double low, high; /* of the y axis: multiples of its step */
    double step;
} frame;

double report_round_up(double least) {
    double power = pow(10, floor(log10(least)));
    for (int i = 0; i < 3; i++)
        if (power * (int[]){1, 2, 5}[i] >= least * (1 - 1e-9))
            return power * (int[]){1, 2, 5}[i];
    return power * 10;
}

static double y_of(const frame *f, double value) {
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (value - f->low) / (f->high - f->low);
}

const char *hd_svg_escape(hd_arena *arena, const char *text) {
    hd_str out = {.arena = arena};
    for (text = hd_plain_text(arena, text, false); *text; text++) {
        const char *escaped = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;";
        hd_str_addn(&out, strchr("<>&", *text) ? escaped : text,
                    strchr("<>&", *text) ? strlen(escaped) : 1);
    }
    return hd_str_text(&out);
}

void report_svg_text(hd_str *out, double x, double y, const char *more, const char *text) {
    hd_str_printf(out, "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", x, y, more,
                  hd_svg_escape(out->arena, text));
}

/* Of an axis up to `most`: as many digits as its step needs, in millions or more from there. */
static const char *number(hd_arena *arena, double value, double step, double most) {
    static const char *const names[] = {"", "M", "G", "T", "P", "E"};
    double unit = 1;
    size_t name = 0;
    for (double next = 1e6; name < 5 && most >= next; next *= 1000, name++)
        unit = next;
    int digits = step < unit ? (int)ceil(-log10(step / unit) - 1e-9) : 0;
    return fabs(value) < step / 2 ? "0"
                                  : hd_format(arena, "%.*f%s", digits, value / unit, names[name]);
}

void hd_plot_svg(hd_arena *arena, const hd_stems *stems, hd_str *out) {
    frame f = {0};
    double most = 0, least = 0;
    hd_stems_extent(stems, 1, 0, &most, &least);
    f.step = report_round_up(most > least ? (most - least) / TICKS : 1);
    f.high = ceil(most / f.step) * f.step;
    f.low = floor(least / f.step) * f.step;
    f.high = f.high > f.low ? f.high : f.low + f.step;
    /* The end of a title that is too long, which says more than its beginning: paths are long. */
    const char *title = stems->title;
    uint32_t letters = report_text_width(title);
    if (letters > TITLE_LETTERS) {
        for (uint32_t left = letters - TITLE_LETTERS + 3; left || (*title & 0xc0) == 0x80; title++)
            left -= (*title & 0xc0) != 0x80;
        title = hd_format(arena, "...%s", title);
    }
    hd_str_printf(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                  "viewBox=\"0 0 %d %d\">\n"
                  "<g stroke=\"#000\" fill=\"none\">\n",
                  WIDTH, HEIGHT, WIDTH, HEIGHT);
    /* A stem for each value, or one for each pixel. */
    uint64_t pixels = WIDTH - LEFT - RIGHT, count = stems->count;
    uint64_t columns = count < pixels ? count : pixels;
    double width = 0.8 * (double)pixels / (double)columns;
    hd_str_printf(out, "<path stroke-width=\"%.2f\" d=\"", width < 1 ? 1 : width > 12 ? 12 : width);
    for (uint64_t c = 0; c < columns; c++) {
        hd_stems_extent(stems, columns, c, &most, &least);
        if (most == 0 && least == 0)
            continue;
        double x = LEFT + (double)pixels * ((double)c + 0.5) / (double)columns;
        hd_str_printf(out, "M%.2f %.2fV%.2f", x, y_of(&f, least), y_of(&f, most));
    }
    hd_str_add(out, "\"/>\n");
    hd_str_add(out, "</g>\n<g stroke=\"#000\" fill=\"#000\" font-family=\"Helvetica, Arial, "
                    "sans-serif\" font-size=\"12\" paint-order=\"stroke\">\n"
                    "<style>text{stroke:none}</style>\n");
    for (int t = 0; t <= (int)round((f.high - f.low) / f.step); t++) {
        double value = f.low + t * f.step, y = y_of(&f, value);
        hd_str_printf(out, "<path d=\"M%d %.1fH%d\" stroke-opacity=\"%s\"/>\n", LEFT - 5, y,
                      WIDTH - RIGHT, fabs(value) < f.step / 2 ? "1" : "0.15");
        report_svg_text(out, LEFT - 9, y + 4, " text-anchor=\"end\"",
                        number(arena, value, f.step, fmax(f.high, -f.low)));
    }
    report_svg_text(out, 16, (TOP + HEIGHT - BOTTOM) / 2.0,
                    " text-anchor=\"middle\" transform=\"rotate(-90 16 192)\"", stems->y);
    double first = (double)stems->first, last = first + (double)count - 1;
    double step = report_round_up(fmax((last - first) / (2 * TICKS), 1));
    for (double value = ceil(first / step) * step; value <= last; value += step) {
        double share = (value - first + 0.5) / (double)count;
        double x = LEFT + (WIDTH - LEFT - RIGHT) * share;
        hd_str_printf(out, "<path d=\"M%.1f %dv5\"/>\n", x, HEIGHT - BOTTOM);
        report_svg_text(out, x, HEIGHT - BOTTOM + 20, " text-anchor=\"middle\"",
                        number(arena, value, step, last));
    }
    hd_str_printf(out, "<path d=\"M%d %dH%d\"/>\n", LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT);
    report_svg_text(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 10, " text-anchor=\"middle\"",
                    stems->x);
    report_svg_text(out, (LEFT + WIDTH - RIGHT) / 2.0, 20,
                    " text-anchor=\"middle\" font-size=\"14\"", title);
    hd_str_add(out, "</g>\n</svg>\n");
}
