/*
 * heddle trace: the job on the machine, with every access in a file. The words `info`,
 * `export` and `import` begin commands on such files (trace_file.c); no file to run is
 * called so, since its name ends in .yaml, .cl or the like.
 */
#include "cli/commands.h"
#include "cli/buffer_contents.h"
#include "cli/input.h"
#include "cli/stop.h"
#include "cli/trace_file.h"

/* ---- what is traced ------------------------------------------------------------------- */

hd_status cli_check_trace(cli *c, const char *path, const char *const *inputs, size_t input_count) {
    const char *target;
    if (c->ranks) /* a folder */
        return HD_OK;
    hd_status status = cli_check_output(c, "out", path, inputs, input_count);
    if (status != HD_OK || (status = hd_output_target(c->arena, &c->diag, path, &target)) != HD_OK)
        return status;
    return cli_check_output(c, "out", hd_format(c->arena, "%s.part", target), inputs, input_count);
}

/* ---- running -------------------------------------------------------------------------- */

typedef struct result {
    const cli_traced *traced;
    const cli_run *run;
} result;

static const hd_member result_members[] = {{HD_BEHIND(result, traced), .of = cli_traced_members},
                                           {HD_BEHIND(result, run), .of = cli_ended_members},
                                           {0}};

static int trace(cli *c, const cli_input *input) {
    hd_job *job;
    cli_run run;
    cli_traced traced;
    const char *out = input->out;
    if (cli_load(c, input->path, &input->source, &job) || cli_check_planned(c, input, job))
        return CLI_WRONG;
    const char *const inputs[] = {job->path, job->kernel_path};
    if (cli_check_trace(c, out, inputs, 2) || cli_trace_job(c, input, job, &out, &run))
        return CLI_WRONG;
    if (!c->is_first)
        return cli_run_status(&run);
    if (cli_trace_sum(c, out, &traced))
        return CLI_WRONG;
    const result all = {&traced, &run};
    hd_str text = {.arena = c->arena};
    cli_show_traced(c, &traced, &text);
    hd_str_printf(&text, "  %s on %s%s\n", hd_show_seconds(c->arena, run.total.counts.seconds),
                  hd_show_counted(c->arena, run.total.counts.workers, "worker", "s"),
                  traced.complete ? "" : "; not complete: 'heddle trace info' says what is there");
    int printed = c->json ? cli_print_row(c, result_members, hd_row(&all)) : cli_print(c, &text);
    return printed ? printed : cli_run_status(&run);
}

/* ---- the command ------------------------------------------------------------------------ */

int cmd_trace(cli *c) {
    cli_input input = c->given->input;
    if (!input.out)
        return cli_wrong(c, "where to? Name a file with -o FILE");
    if (cli_read_choice(c, &input))
        return CLI_WRONG;
    cli_end_on_stop();
    input.machine.ranks = c->ranks;
    input.machine.spaces =
        input.space_text ? input.spaces : 1u << KIR_GLOBAL | 1u << KIR_LOCAL | 1u << KIR_CONSTANT;
    return trace(c, &input);
}
