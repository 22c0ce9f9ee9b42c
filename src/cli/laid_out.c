/* A trace in the layouts that --layout names: priced without the kernel that it is of. */
#include "cli/input.h"
#include "cli/stop.h"

/* The records of a trace's buffers, each name once. */
typedef struct records {
    hd_vec(const hd_record *) all;
    hd_str names;
} records;

static records records_of(cli *c, const hd_trace *trace) {
    const hd_trace_contents *contents = hd_trace_get(trace);
    records r = {.names = {.arena = c->arena}};
    for (uint32_t n = 0; n < contents->launch_count; n++)
        for (uint32_t b = 0; b < contents->launches[n].launch.buffer_count; b++) {
            const hd_record *record = contents->launches[n].launch.buffers[b].record;
            size_t at = 0;
            while (record && at < r.all.count && strcmp(r.all.data[at]->name, record->name) != 0)
                at++;
            if (!record || at < r.all.count)
                continue;
            hd_push(c->arena, &r.all, record);
            hd_str_printf(&r.names, "%s%s", at ? ", " : "",
                          hd_plain_text(c->arena, record->name, false));
        }
    return r;
}

/* What "L" or "RECORD=L" says. */
static hd_status read_layout(cli *c, const cli_input *input, const hd_trace *trace,
                             const char *text, hd_record_layout *of) {
    const records r = records_of(c, trace);
    const char *equals = strchr(text, '=');
    const char *name = equals ? hd_strndup(c->arena, text, (size_t)(equals - text)) : NULL;
    hd_layout *layout;
    of->record = !name && r.all.count == 1 ? r.all.data[0] : NULL;
    for (size_t i = 0; i < r.all.count && name; i++)
        of->record = strcmp(r.all.data[i]->name, name) ? of->record : r.all.data[i];
    if (!r.all.count)
        return cli_fail_at(c, input->path,
                           input->is_foreign
                               ? "--layout: the trace knows no record: name its members with "
                                 "--record, and with --of where its array is"
                               : "--layout: the trace has no buffer of records");
    if (!of->record)
        return cli_refuse(c, "--layout %s: which record? The trace has: %s; write RECORD=LAYOUT",
                          text, hd_str_text(&r.names));
    hd_status status =
        hd_layout_parse(c->arena, &c->diag, of->record, equals ? equals + 1 : text, &layout);
    of->layout = layout;
    return status;
}

static hd_status write_laid_out(cli *c, const cli_input *input, hd_trace *trace,
                                const hd_record_layout *of, const char *path, bool *stopped) {
    cli_meter meter = {.c = c};
    const hd_trace_watch watch = {cli_show_meter, &meter, cli_stop_wanted()};
    const hd_trace_contents *contents = hd_trace_get(trace);
    const hd_trace_header header = {contents->source, contents->spaces};
    cli_about about;
    const hd_diag diag = cli_diag_about(c, &about, input->path);
    hd_trace_writer *writer;
    hd_status status = hd_trace_create(c->arena, &diag, path, &header, &writer);
    if (status != HD_OK)
        return status;
    const hd_sink sink = hd_trace_sink(writer);
    status = hd_trace_lay_out(&diag, trace, of, &watch, &sink);
    cli_progress(c, NULL);
    *stopped = *watch.stop != 0;
    if (!*stopped)
        return hd_trace_end(writer, status, true);
    hd_trace_abandon(writer);
    return status;
}

hd_status cli_lay_out_trace(cli *c, const cli_input *input, const cli_texts *layouts,
                            hd_trace **trace) {
    cli_stop stop;
    bool stopped = false;
    (void)cli_catch_stop(&stop); /* until the folders are gone */
    hd_status status = HD_OK;
    for (size_t l = 0; l < layouts->count && !status && !stopped; l++) {
        hd_record_layout of;
        char *folder;
        hd_trace *laid_out;
        status = read_layout(c, input, *trace, layouts->data[l], &of);
        if (status != HD_OK || (status = hd_scratch_make(c->arena, &c->diag, &folder)) != HD_OK)
            break;
        const char *path = hd_format(c->arena, "%s/layout.hdt", folder);
        status = write_laid_out(c, input, *trace, &of, path, &stopped);
        if (status == HD_OK && !stopped)
            status = hd_trace_open(c->arena, &c->diag, path, &laid_out);
        hd_scratch_remove(folder);
        if (status != HD_OK || stopped)
            break;
        hd_trace_close(*trace);
        *trace = laid_out;
    }
    cli_release_stop(&stop);
    if (stopped)
        cli_end_stopped();
    if (status != HD_OK)
        hd_trace_close(*trace);
    return status;
}
