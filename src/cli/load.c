/*
 * A path becomes a module and a job.
 *
 *     nbody.yaml  a job: it names its kernel file, and says everything itself
 *     recorded/   a folder of heddle record: its source.yaml, or job.yaml
 *     nbody.cl    a kernel file of some front end: options say what matters, defaults the rest
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/whole_program.h"

bool cli_is_job(const char *path) { return hd_ends_in(path, ".yaml") || hd_ends_in(path, ".yml"); }

static const char *inside(cli *c, const char *path, const char *name) {
    const char *file = hd_format(c->arena, "%s/%s", path, name);
    struct stat at;
    return !stat(path, &at) && S_ISDIR(at.st_mode) && !access(file, R_OK) ? file : path;
}

const char *cli_recorded_path(cli *c, const char *path) { return inside(c, path, "job.yaml"); }

const char *cli_job_path(cli *c, const char *path) {
    const char *over_source = inside(c, path, "source.yaml");
    return over_source != path ? over_source : cli_recorded_path(c, path);
}

/* ---- copies are told as their originals ------------------------------------------------------- */

/* The original of a copy, as seen from here; the copy itself where the original has gone, or has been
 * changed since. */
static const char *original_of(const hd_job *job, const char *file) {
    struct stat copy, from;
    for (uint32_t o = 0; file && o < job->origin_count; o++) {
        const hd_job_origin *origin = &job->origins[o];
        if (!hd_same_file(file, origin->copy) || stat(file, &copy) || stat(origin->from, &from) ||
            from.st_mtime > copy.st_mtime)
            continue;
        char *here = getcwd(NULL, 0);
        size_t length = here ? strlen(here) : 0;
        bool is_below =
            length && !strncmp(origin->from, here, length) && origin->from[length] == '/';
        free(here);
        return is_below ? origin->from + length + 1 : origin->from;
    }
    return file;
}

static void tell_originals(const hd_job *job, kir_module *module) {
    for (uint32_t f = 0; f < module->file_count; f++)
        module->files[f].name = original_of(job, module->files[f].name);
    for (uint32_t k = 0; k < module->kernel_count; k++)
        module->kernels[k]->place.file = original_of(job, module->kernels[k]->place.file);
    for (uint32_t r = 0; r < module->record_count; r++)
        module->records[r]->place.file = original_of(job, module->records[r]->place.file);
    for (uint32_t l = 0; l < module->left_out_count; l++)
        module->left_out[l].place.file = original_of(job, module->left_out[l].place.file);
}

/* As what kernels are counted: as the compiler of the first device that is asked for makes them. */
static hd_status choose_form(cli *c, const cli_source *source, kir_form *form) {
    const hd_device *device;
    *form = KIR_AS_WRITTEN;
    if (source->as_written)
        return HD_OK;
    if (!c->given->devices.count) { /* CLI_DEVICE need not be there where nothing is priced */
        *form = KIR_FOR_NVIDIA;
        return HD_OK;
    }
    hd_status status = cli_find_device(c, &device);
    if (status == HD_OK)
        *form = hd_form_for(device);
    return status;
}

/* Kernels that cannot be taken as compiled, but as written, are. */
static hd_status compile(cli *c, const char *path, const char *options, kir_form form,
                         const char *const *wanted, kir_module **module) {
    hd_kept_messages first = {.arena = c->arena}, second = {.arena = c->arena};
    const hd_diag keep_first = {hd_keep_message, &first}, keep_second = {hd_keep_message, &second};
    kir_module *written = NULL;
    if (form == KIR_AS_WRITTEN)
        return hd_frontend_of(c->arena, &c->diag, path, options, form, wanted, module);
    hd_status status = hd_frontend_of(c->arena, &keep_first, path, options, form, wanted, module);
    if ((status == HD_OK && !(*module)->left_out_count) || status == HD_ESYSTEM ||
        hd_frontend_of(c->arena, &keep_second, path, options, KIR_AS_WRITTEN, wanted, &written) ||
        (status == HD_OK && written->left_out_count >= (*module)->left_out_count)) {
        hd_tell_kept(&c->diag, &first);
        return status;
    }
    *module = written;
    hd_tell_kept(&c->diag, &second);
    for (size_t m = 0; m < first.all.count; m++)
        if (first.all.data[m].severity != HD_NOTE) {
            hd_note(&c->diag, &first.all.data[m].place,
                    "the kernels are counted as they are written: compiled, %s",
                    first.all.data[m].text);
            break;
        }
    return HD_OK;
}

/* Of a kernel file without a job. HIP's kernels have waves of the first device that is asked for, unless the
 * options say others. */
static const char *own_options(cli *c, const char *path, const cli_source *source) {
    const hd_device *device;
    if (!c->given->devices.count || !hd_is_hip(path) || cli_find_device(c, &device))
        return source->options;
    return hd_format(c->arena, "%s %s",
                     device->warp == 32 ? "-mno-wavefrontsize64" : "-mwavefrontsize64",
                     source->options ? source->options : "");
}

/* Without a job kernels are compiled for the usual images and samplers. */
static const char *with_usual(const cli *c, const char *path, const char *options) {
    return !hd_ends_in(path, ".cl")
               ? options
               : hd_format(c->arena,
                           KIR_KNOWN_OPTION "images=%u,%u " KIR_KNOWN_OPTION "samplers=%d %s",
                           kir_image_usual.order, kir_image_usual.type, KIR_SAMPLER_USUAL,
                           options ? options : "");
}

hd_status cli_load_module(cli *c, const char *path, const cli_source *source, hd_job **job,
                          kir_module **module) {
    const hd_place place = {.file = path};
    hd_status status;
    *job = NULL;
    if (cli_finish_recording(c, path) ||
        cli_finish_recording(c, hd_format(c->arena, "%s/job.yaml", path)))
        return HD_EINPUT;
    path = cli_job_path(c, path);
    if (source->global.dims && source->local.dims && source->global.dims != source->local.dims)
        return cli_refuse(c, "--global has %u dimensions and --local %u; give both as many",
                          source->global.dims, source->local.dims);
    if (source->record_of && !source->record)
        return cli_refuse(c, "--of goes with --record and the members of a struct, such as "
                             "--record \"float x, y; int id\"");
    if (cli_is_job(path)) {
        /* A job says everything itself: an option beside it would be ignored. Of a program that is
         * recorded first, the recording has taken the compiler's options. */
        const char *given = source->entry                    ? "entry"
                            : source->global.dims            ? "global"
                            : source->local.dims             ? "local"
                            : source->count                  ? "count"
                            : source->values.count           ? "arg"
                            : source->build                  ? "build"
                            : source->options && !c->program ? "options"
                            : source->record_of              ? "of"
                                                             : NULL;
        if (given)
            return hd_fail(&c->diag, HD_EINPUT, &place,
                           "--%s goes with a kernel file; this job says it itself, so change it "
                           "there",
                           given);
        if ((status = hd_job_read(c->arena, &c->diag, path, job)) ||
            (!source->trust_options && (status = hd_job_check_options(c->arena, &c->diag, *job))))
            return status;
        if (access((*job)->kernel_path, R_OK))
            return hd_fail(&c->diag, HD_EINPUT, &(*job)->kernel_place,
                           "cannot read the kernel file %s: %s", (*job)->kernel_path,
                           strerror(errno));
        hd_vec(const char *)
            all = {0}; /* what the options take apart comes after what the job does */
        for (uint32_t s = 0; s < (*job)->split_count; s++)
            hd_push(c->arena, &all, (*job)->split[s]);
        for (size_t s = 0; s < source->split.count; s++)
            hd_push(c->arena, &all, source->split.data[s]);
        if (source->record) {
            (*job)->record_name = source->record;
            (*job)->record_place = (hd_place){.file = path};
        }
        if (!(*job)->split_count)
            (*job)->split_place = (*job)->record_place;
        (*job)->split = all.data;
        (*job)->split_count = (uint32_t)all.count;
    } else if (!hd_is_kernel_file(path)) {
        return hd_fail(&c->diag, HD_EINPUT, &place, "neither a kernel file (%s) nor a job (.yaml)",
                       hd_kernel_endings(c->arena));
    }
    const char *const one[] = {source->entry, NULL}; /* else all, which a job is over */
    kir_form form;
    if ((status = choose_form(c, source, &form)))
        return status;
    cli_progress(c, "compiling");
    status = compile(c, *job ? (*job)->kernel_path : path,
                     *job ? hd_job_front_options(c->arena, *job, (*job)->options)
                          : with_usual(c, path, own_options(c, path, source)),
                     form, source->entry && !*job && !source->whole_file ? one : NULL, module);
    cli_progress(c, NULL);
    if (!status && *job)
        tell_originals(*job, *module);
    return status;
}

static void tell_found(cli *c, const hd_job *job) {
    const hd_place place = {.file = job->kernel_path};
    for (uint32_t d = 0; d < job->declared_count; d++) {
        const hd_job_declared *declared = &job->declared[d];
        hd_str names = {.arena = c->arena};
        for (uint32_t b = 0; b < job->buffer_count; b++)
            if (!strcmp(job->buffers[b].type, declared->name))
                hd_str_printf(&names, "%s'%s'", names.length ? ", " : "", job->buffers[b].name);
        hd_note(&c->diag, &place, "%s found in the indices of %s: %s%s%s",
                strcmp(declared->name, job->record_name) ? "another record is" : "the record is",
                hd_str_text(&names), declared->fields, declared->stride ? "; stride " : "",
                declared->stride ? declared->stride : "");
    }
    for (uint32_t a = 0; a < job->arrays_count; a++)
        hd_note(&c->diag, &place, "the record is made of buffers that are gathered alike: %s",
                hd_record_field_names(c->arena, job->arrays[a].record));
}

/* The images of a job of flags. */
static void tell_images(cli *c, const hd_job *job) {
    hd_str names = {.arena = c->arena};
    const hd_image *first = NULL;
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        if (!buffer->image)
            continue;
        first = first ? first : buffer->image;
        hd_str_printf(&names, "%s%s", names.length ? ", " : "", buffer->name);
    }
    if (first)
        hd_warn(&c->diag, &(hd_place){.file = job->kernel_path},
                "sizes and channels of images (%s) are made up, as in {%s}; a job says its own, as "
                "heddle init writes one",
                hd_str_text(&names), kir_image_text(c->arena, first));
}

/* Ties a job of flags to its kernels, and finds the buffers that are records where these know none. */
static hd_status resolve(cli *c, const cli_source *source, const kir_module *module, hd_job *job) {
    hd_status status = hd_job_resolve(c->arena, &c->diag, job, module);
    if (status || !source->finds_records || job->declared_count)
        return status;
    hd_job before = *job;
    before.buffers = hd_new_array(c->arena, hd_buffer, job->buffer_count);
    if (job->buffer_count)
        memcpy(before.buffers, job->buffers, job->buffer_count * sizeof *before.buffers);
    hd_job_find_records(c->arena, job);
    if (!job->declared_count && !job->arrays_count)
        return HD_OK;
    if (hd_job_resolve(c->arena, &hd_silent, job, module)) { /* one parameter would be two things */
        *job = before;
        return hd_job_resolve(c->arena, &c->diag, job, module);
    }
    if (source->tells_records)
        tell_found(c, job);
    return HD_OK;
}

/* The first kernel with a record behind a pointer, that record where one is named; else any kernel,
 * since records may also be reached from structs that it is given. */
static void choose_entry(const kir_module *module, hd_job_flags *flags) {
    const char *any = module->kernel_count ? module->kernels[0]->name : NULL, *wanted = NULL;
    for (uint32_t k = module->kernel_count; k-- > 0;)
        for (uint32_t p = 0; p < module->kernels[k]->param_count; p++) {
            const kir_param *param = &module->kernels[k]->params[p];
            if (param->type.kind != KIR_PTR || param->by_value_struct || !param->record)
                continue;
            any = module->kernels[k]->name;
            if (flags->record && !strcmp(param->record->name, flags->record))
                wanted = any;
        }
    for (uint32_t r = 0; !wanted && r < module->record_count && flags->record; r++)
        if (!strcmp(module->records[r]->name, flags->record))
            flags->record = NULL;
    flags->entry = wanted ? wanted : any;
}

hd_status cli_job_of_kernel(cli *c, const char *path, const cli_source *source,
                            const kir_module *module, hd_job **job) {
    hd_job_flags flags = {.kernel_path = path,
                          .options = own_options(c, path, source),
                          .entry = source->entry,
                          .record = source->record,
                          .record_of = source->record_of,
                          .dims = source->global.dims ? source->global.dims : source->local.dims,
                          .count = source->count,
                          .split = source->split.data,
                          .split_count = (uint32_t)source->split.count,
                          .values = source->values.data,
                          .value_count = (uint32_t)source->values.count};
    if (source->any_entry && !flags.entry)
        choose_entry(module, &flags);
    memcpy(flags.global, source->global.size, sizeof flags.global);
    memcpy(flags.local, source->local.size, sizeof flags.local);
    bool is_one = module->kernel_count == 1, has_sizes = flags.dims || flags.count;
    bool takes_all = (!source->any_entry || !flags.entry) && !source->record_of &&
                     (is_one ? !has_sizes : !source->entry);
    hd_host host; /* launches as the host code has them, where there is any */
    hd_status status =
        takes_all ? hd_host_read(c->arena, &c->diag, path, flags.options, &host) : HD_OK;
    takes_all = takes_all && (!is_one || host.launch_count);
    if (!status)
        status = takes_all ? hd_job_draft(c->arena, &c->diag, &flags, module, &host, job)
                           : hd_job_from_flags(c->arena, &c->diag, &flags, module, job);
    if (!status)
        tell_images(c, *job);
    return status ? status : resolve(c, source, module, *job);
}

hd_status cli_load(cli *c, const char *path, const cli_source *source, hd_job **job) {
    static const char mark[] = HD_GENERATED_START;
    kir_module *module;
    hd_status status = cli_load_module(c, path, source, job, &module);
    if (status)
        return status;
    if (!*job)
        return cli_job_of_kernel(c, path, source, module, job);
    status = hd_job_resolve(c->arena, &c->diag, *job, module);
    /* Maybe it fitted the kernels before they were rewritten in place. */
    for (uint32_t f = 0; status && f < module->file_count; f++) {
        const kir_file *file = &module->files[f];
        const char *found = file->text ? strstr(file->text, mark) : NULL;
        if (!found)
            continue;
        const char *record = found + sizeof mark - 1;
        hd_note(&c->diag, &(hd_place){.file = file->name},
                "this has been rewritten for a layout of '%.*s'; in %s each buffer of that becomes "
                "buffers of uchar, one for each allocation of the layout, and each launch gives "
                "them and then their number of elements",
                (int)strcspn(record, "'"), record, (*job)->path);
        break;
    }
    return status;
}

hd_status cli_find_devices(cli *c, const hd_device ***devices, size_t *count) {
    static const char *usual[] = {CLI_DEVICE};
    const cli_texts *names = &c->given->devices;
    const char **wanted = names->count ? names->data : usual;
    hd_status status = HD_OK;
    *count = names->count ? names->count : 1;
    *devices = hd_new_array(c->arena, const hd_device *, *count);
    for (size_t d = 0; d < *count && status == HD_OK; d++)
        status = hd_device_find(c->arena, &c->diag, wanted[d], &(*devices)[d]);
    return status;
}

hd_status cli_find_device(cli *c, const hd_device **device) {
    const cli_texts *names = &c->given->devices;
    return hd_device_find(c->arena, &c->diag, names->count ? names->data[0] : CLI_DEVICE, device);
}

hd_status cli_no_layout(cli *c) {
    return cli_refuse(c, "which layout? Say --layout soa, for example; 'heddle help layout' has "
                         "the notation");
}

typedef hd_vec(const hd_record *) record_list;

static void add_record(hd_arena *arena, record_list *list, const hd_record *record) {
    for (size_t i = 0; i < list->count; i++)
        if (list->data[i] == record)
            return;
    if (record)
        hd_push(arena, list, record);
}

/* What can be laid out: records of the job, or, with any_entry, of all its kernels. */
static record_list records_of(hd_arena *arena, const hd_job *job, bool any_entry) {
    record_list list = {0};
    for (uint32_t a = 0; a < job->arrays_count; a++)
        add_record(arena, &list, job->arrays[a].record);
    for (uint32_t b = 0; b < job->buffer_count; b++)
        add_record(arena, &list, job->buffers[b].record);
    for (uint32_t r = 0; r < job->module->record_count && any_entry; r++)
        add_record(arena, &list, job->module->records[r]);
    return list;
}

static bool is_called(const hd_record *record, const char *name, bool loosely) {
    const char *whole = record->name, *stop = whole + strcspn(whole, "<"), *last = whole;
    if (!loosely)
        return !strcmp(whole, name);
    for (const char *at = whole; (at = strstr(at, "::")) != NULL && at < stop;)
        last = at += 2;
    return !strcmp(last, name) || (record->alias && !strcmp(record->alias, name));
}

/* A record of this name, or whose typedef or name without namespaces it is; NULL: there is none, and
 * then `names` has those that there are. */
static const hd_record *record_named(hd_arena *arena, const hd_job *job, bool any_entry,
                                     const char *name, hd_str *names) {
    record_list list = records_of(arena, job, any_entry);
    if (job->record && !strcmp(hd_record_declared(job->record)->name, name))
        return job->record;
    for (int loosely = 0; loosely <= 1; loosely++)
        for (size_t i = 0; i < list.count; i++)
            if (is_called(list.data[i], name, loosely))
                return job->record && hd_record_declared(job->record) == list.data[i]
                           ? job->record
                           : list.data[i];
    for (size_t i = 0; i < list.count; i++)
        hd_str_printf(names, "%s%s", i ? ", " : "", list.data[i]->name);
    return NULL;
}

hd_status cli_load_layouts(cli *c, const char *path, const cli_source *source,
                           const cli_texts *texts, hd_job **job, hd_record_layout **layouts,
                           uint32_t *count) {
    if (!texts->count)
        return cli_no_layout(c);
    hd_status status = cli_load(c, path, source, job);
    *count = (uint32_t)texts->count;
    *layouts = hd_new_array(c->arena, hd_record_layout, texts->count);
    for (uint32_t l = 0; l < *count && status == HD_OK; l++) {
        const char *text = texts->data[l], *equals = strchr(text, '=');
        const hd_record *record = (*job)->record;
        hd_str names = {.arena = c->arena};
        hd_layout *layout;
        /* Of another kernel than the job's may be what --record names, too. */
        const char *name = equals              ? hd_strndup(c->arena, text, (size_t)(equals - text))
                           : source->any_entry ? source->record
                                               : NULL;
        if (name) {
            record = record_named(c->arena, *job, source->any_entry, name, &names);
            if (!record)
                return cli_refuse(c, "--layout %s: no buffer holds a record '%s'; there are: %s%s",
                                  text, name, names.length ? hd_str_text(&names) : "none",
                                  names.length || hd_is_kernel_file(path)
                                      ? ""
                                      : "; of a recorded program they are known where there is a "
                                        "job over its source, and 'heddle record' says why there "
                                        "is none");
            text = equals ? equals + 1 : text;
        } else if (!record) {
            return hd_job_require_record(&c->diag, *job);
        }
        status = hd_layout_parse(c->arena, &c->diag, record, text, &layout);
        (*layouts)[l] = (hd_record_layout){record, status == HD_OK ? layout : NULL};
        for (uint32_t o = 0; o < l && status == HD_OK; o++)
            if ((*layouts)[o].record == (*layouts)[l].record)
                status = cli_refuse(c,
                                    "--layout gives '%s' two layouts; give it one, and others as "
                                    "RECORD=LAYOUT",
                                    (*layouts)[l].record->name);
    }
    return status;
}
