#include "advise/made_up.h"

#include "base/table.h"

/* The buffers that kernels load from: [job->buffer_count]. */
static bool *find_read(hd_arena *arena, const hd_job *job) {
    bool *read = hd_new_array(arena, bool, job->buffer_count);
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const hd_kernel_info *info = hd_job_analyse(arena, job, launch);
        for (uint32_t i = 0; i < info->access_count; i++)
            for (uint32_t a = 0; a < launch->arg_count; a++) {
                const hd_arg *arg = &launch->args[a];
                const hd_access *access = &info->accesses[i];
                bool is_of = arg->param == KIR_NONE
                                 ? access->static_index >= 0 &&
                                       (uint32_t)access->static_index == arg->variable
                                 : access->param >= 0 && (uint32_t)access->param == arg->param;
                if (is_of && arg->kind == HD_ARG_BUFFER && access->kind != HD_STORE)
                    read[arg->buffer] = true;
            }
    }
    return read;
}

hd_made_up *advise_made_up(hd_arena *arena, const hd_job *job, uint32_t *count) {
    const bool *read = find_read(arena, job);
    hd_vec(hd_made_up) all = {0};
    hd_hash_table seen = {.arena = arena, .key_bytes = HD_TEXT_KEYS};
    for (uint32_t b = 0; b < job->buffer_count; b++) {
        const hd_buffer *buffer = &job->buffers[b];
        if (hd_is_guess(buffer->guess, "contents") && read[b])
            hd_push(arena, &all, (hd_made_up){"contents", buffer->name, NULL});
        if (hd_is_guess(buffer->guess, "count"))
            hd_push(arena, &all, (hd_made_up){"count", buffer->name, NULL});
    }
    for (uint32_t l = 0; l < job->launch_count; l++) {
        const hd_launch *launch = &job->launches[l];
        const char *kernel = launch->kernel_name;
        if (launch->guess && hd_hash_add_key(&seen, kernel, l) == l)
            hd_push(arena, &all, (hd_made_up){"sizes", kernel, kernel});
        for (uint32_t a = 0; a < launch->arg_count; a++) {
            const char *name = launch->args[a].name;
            uint64_t number = (uint64_t)l << 32 | (a + 1);
            if (launch->args[a].guess &&
                hd_hash_add_key(&seen, hd_format(arena, "%s %s", kernel, name), number) == number)
                hd_push(arena, &all, (hd_made_up){"value", name, kernel});
        }
    }
    *count = (uint32_t)all.count;
    return all.data;
}

/* The first three, and how many more there are. */
static const char *join(hd_arena *arena, const char *const *names, uint32_t count) {
    enum { NAMED = 3 };
    hd_str out = {.arena = arena};
    for (uint32_t i = 0; i < count && i < NAMED; i++)
        hd_str_printf(&out, "%s%s",
                      !i                                 ? ""
                      : i + 1 == count && count <= NAMED ? " and "
                                                         : ", ",
                      names[i]);
    if (count > NAMED)
        hd_str_printf(&out, " and %u more", count - NAMED);
    return count ? hd_str_text(&out) : NULL;
}

const char *advise_made_up_contents(hd_arena *arena, const hd_job *job) {
    uint32_t count, kept = 0;
    const hd_made_up *all = advise_made_up(arena, job, &count);
    const char **names = hd_new_array(arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(all[i].kind, "contents"))
            names[kept++] = all[i].name;
    return join(arena, names, kept);
}

const char *advise_guessed_sizes(hd_arena *arena, const hd_job *job) {
    uint32_t count, kept = 0;
    const hd_made_up *all = advise_made_up(arena, job, &count);
    const char **names = hd_new_array(arena, const char *, count);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(all[i].kind, "sizes"))
            names[kept++] = hd_format(arena, "the sizes of %s", all[i].name);
        else if (!strcmp(all[i].kind, "value"))
            names[kept++] = hd_format(arena, "%s of %s", all[i].name, all[i].kernel);
    return kept == 1 ? hd_format(arena, "%s %s", join(arena, names, kept),
                                 strstr(names[0], "sizes") ? "are" : "is")
           : kept    ? hd_format(arena, "%s are", join(arena, names, kept))
                     : NULL;
}
