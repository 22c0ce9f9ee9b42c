/* Traces that Heddle did not write: the text form, and those of other tools. */
#include <errno.h>
#include <stdlib.h>

#include "base/scan.h"
#include "cli/input.h"
#include "cli/stop.h"

/* "0x7f5e00000000" or "0x7f5e00000000+4096" */
static hd_status read_array(cli *c, const char *text, hd_trace_record *record) {
    char *end;
    record->has_base = true;
    if (!strncmp(text, "0x", 2)) {
        const char *plus = strchr(text, '+');
        errno = 0;
        record->base = strtoull(text, &end, 16);
        if (!errno && end > text + 2 && end == (plus ? plus : text + strlen(text)) &&
            (!plus || (hd_text_number(plus + 1, UINT64_MAX - record->base, &record->bytes) &&
                       record->bytes)))
            return HD_OK;
    }
    return cli_refuse(c,
                      "--of takes the address of an array, 0x7f5e00000000 or with its bytes "
                      "0x7f5e00000000+4096, not '%s'",
                      text);
}

/* What --record and --of say; *given is NULL without them. */
static hd_status read_record(cli *c, const cli_source *source, hd_trace_record *record,
                             const hd_trace_record **given) {
    *given = NULL;
    if (source->record_of && !source->record)
        return cli_refuse(c, "--of goes with --record and the members of a struct, such as "
                             "--record \"float x, y; int id\"");
    if (!source->record)
        return HD_OK;
    hd_job_declared declared = {.name = "record", .fields = source->record};
    hd_status status = hd_job_declare(c->arena, &c->diag, &declared);
    if (status == HD_OK && source->record_of)
        status = read_array(c, source->record_of, record);
    record->record = declared.record;
    *given = record;
    return status;
}

/* Either kind, read and checked. */
typedef struct imported {
    hd_trace_text *text;
    hd_foreign *foreign;
} imported;

static hd_status open_import(cli *c, const char *path, const cli_source *source,
                             const hd_trace_watch *watch, imported *in, hd_trace_header *header) {
    hd_trace_record record = {0};
    const hd_trace_record *given;
    const hd_place place = {.file = path};
    bool foreign = hd_foreign_tool(path);
    hd_status status = read_record(c, source, &record, &given);
    if (status == HD_OK && given && !foreign)
        return hd_fail(&c->diag, HD_EINPUT, &place,
                       "--record goes with another tool's trace; a text says itself what its "
                       "records are, in '# record' lines");
    header->source = path;
    if (status == HD_OK && !foreign) {
        status = hd_trace_text_open(c->arena, &c->diag, path, watch, &in->text);
        header->spaces = status ? 0 : hd_trace_text_spaces(in->text);
        return status;
    }
    if (status == HD_OK)
        status = hd_foreign_open(c->arena, &c->diag, path, given, watch, &in->foreign);
    if (status != HD_OK)
        return status;
    header->spaces = hd_foreign_spaces(in->foreign);
    const char *lacks = hd_foreign_lacks(in->foreign);
    if (lacks && (!watch->stop || !*watch->stop))
        hd_note(&c->diag, &place, "%s", lacks);
    if (!given && (!watch->stop || !*watch->stop))
        hd_note(&c->diag, &place, "it knows no fields: --record names the members of a struct");
    return HD_OK;
}

static hd_status send(const imported *in, const hd_sink *sink) {
    return in->foreign ? hd_foreign_send(in->foreign, sink) : hd_trace_text_send(in->text, sink);
}

hd_status cli_import_trace(cli *c, const char *path, const cli_source *source, const char *out,
                           bool *stopped) {
    imported in = {0};
    hd_trace_header header = {0};
    hd_trace_writer *writer;
    cli_stop stop;
    cli_meter meter = {.c = c};
    const hd_trace_watch watch = {cli_show_meter, &meter, cli_catch_stop(&stop)};
    hd_status status = open_import(c, path, source, &watch, &in, &header);
    if (status == HD_OK)
        status = hd_trace_create(c->arena, &c->diag, out, &header, &writer);
    if (status == HD_OK) {
        hd_sink sink = hd_trace_sink(writer);
        status = send(&in, &sink);
        *stopped = *watch.stop;
        if (*stopped) {
            hd_trace_abandon(writer);
            hd_warn(&c->diag, &(hd_place){.file = path},
                    "stopped by a signal: nothing was written");
            status = HD_OK;
        } else {
            status = hd_trace_end(writer, status, true);
        }
    }
    cli_release_stop(&stop);
    cli_progress(c, NULL);
    return status;
}

hd_status cli_open_foreign(cli *c, const char *path, const cli_source *source, hd_trace **trace) {
    char *folder;
    cli_stop stop;
    bool stopped = false;
    const volatile sig_atomic_t *wanted = cli_catch_stop(&stop); /* until the folder is gone */
    hd_status status = hd_scratch_make(c->arena, &c->diag, &folder);
    if (status == HD_OK) {
        const char *file = hd_format(c->arena, "%s/import.hdt", folder);
        status = cli_import_trace(c, path, source, file, &stopped);
        if (status == HD_OK && !stopped)
            status = hd_trace_open(c->arena, &c->diag, file, trace);
        hd_scratch_remove(folder);
    }
    cli_release_stop(&stop);
    if (stopped || *wanted)
        cli_end_stopped();
    return status;
}
