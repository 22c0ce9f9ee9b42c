/*
 * One message, as compilers write it:
 *
 *     nbody.cl:14:23: error: 'struct body' has no field 'q'
 *         float4 p = bodies[i].q;
 *                              ^
 */
#include <ctype.h>

#include "cli/report/report.h"

/* Of a longer source line only this much, around the column, is shown. */
enum { SHOWN = 100 };

static const char *const severity_name[] = {"error", "warning", "note"};
static const char *const severity_colour[] = {"\033[1;31m", "\033[1;35m", "\033[1;36m"};

static const char *paint(const hd_printer *printer, const char *code) {
    return printer->colour ? code : "";
}

static bool continues(char c) { return ((unsigned char)c & 0xc0) == 0x80; }

/* Source and message text may hold anything; a terminal must not obey it. */
static char plain(char c, bool lines) {
    bool fine =
        (unsigned char)c >= 0x80 || isprint((unsigned char)c) || c == '\t' || (lines && c == '\n');
    return fine ? c : '?';
}

static void put_plain(FILE *out, const char *text, size_t length, bool lines) {
    for (size_t i = 0; i < length; i++)
        fputc(plain(text[i], lines), out);
}

const char *hd_plain_text(hd_arena *arena, const char *text, bool lines) {
    size_t length = strlen(text), fine = 0;
    while (fine < length && plain(text[fine], lines) == text[fine])
        fine++;
    if (fine == length)
        return text;
    char *copy = hd_strdup(arena, text);
    for (size_t i = fine; i < length; i++)
        copy[i] = plain(copy[i], lines);
    return copy;
}

/* The line, and under it a caret below byte `column`; tabs stay tabs in both. */
static void print_source(const hd_printer *printer, const hd_place *place) {
    const char *text = place->text;
    size_t length = strcspn(text, "\r\n");
    size_t caret = place->column ? place->column - 1 : 0;
    size_t start = 0;
    if (length > SHOWN && caret > SHOWN / 2)
        start = caret - SHOWN / 2;
    while (start < length && continues(text[start]))
        start++;
    if (start > length)
        start = length;
    size_t shown = length - start;
    if (shown > SHOWN)
        for (shown = SHOWN; continues(text[start + shown]);)
            shown--;
    fputs("    ", printer->out);
    put_plain(printer->out, text + start, shown, false);
    fputc('\n', printer->out);
    if (!place->column || caret > length)
        return;
    fputs("    ", printer->out);
    for (size_t i = start; i < caret; i++)
        if (!continues(text[i]))
            fputc(text[i] == '\t' ? '\t' : ' ', printer->out);
    fprintf(printer->out, "%s^%s\n", paint(printer, "\033[1;32m"), paint(printer, "\033[0m"));
}

void hd_print_message(const hd_message *message, void *user) {
    hd_printer *printer = user;
    if (printer->quiet && message->severity != HD_ERROR)
        return;
    if (printer->progress)
        fputs("\r\033[K", printer->out);
    printer->progress = false;
    const hd_place *place = &message->place;
    fputs(paint(printer, "\033[1m"), printer->out);
    put_plain(printer->out, place->file ? place->file : "heddle",
              place->file ? strlen(place->file) : 6, false);
    if (place->file && place->line)
        fprintf(printer->out, ":%u", place->line);
    if (place->file && place->line && place->column)
        fprintf(printer->out, ":%u", place->column);
    fprintf(printer->out, ":%s ", paint(printer, "\033[0m"));
    fprintf(printer->out, "%s%s:%s ", paint(printer, severity_colour[message->severity]),
            severity_name[message->severity], paint(printer, "\033[0m"));
    put_plain(printer->out, message->text, strlen(message->text), true);
    fputc('\n', printer->out);
    if (message->place.text)
        print_source(printer, &message->place);
}
