/*
 * --json against docs/json.md: every member that the page promises is there,
 * with its type, and no other (jansson's strict unpacking); and against
 * docs/heddle.schema.json, each output. Runs the heddle that was built beside this test, or $HEDDLE.
 *
 *     cli_test_json COMMAND <OUTPUT    only: is this what the schema says of heddle COMMAND?
 */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include <jansson.h>

#include "base/base.h"
#include "cli/schema.h"
#include "folder.h"

static const char *source_folder(void) {
    const char *folder = getenv("HEDDLE_SOURCE");
    assert_non_null(folder);
    return folder;
}

/* ---- the schema ---------------------------------------------------------------------- */

static json_t *read_schema(void) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/docs/heddle.schema.json", source_folder());
    json_error_t error;
    json_t *schema = json_load_file(path, 0, &error);
    if (!schema)
        fail_msg("%s:%d: %s", path, error.line, error.text);
    return schema;
}

/* The schema of the command whose words `arguments` begin with: of "trace info FILE"
 * heddle-trace-info, of "advise --costs FILE" heddle-advise-costs. */
static const json_t *schema_of(const json_t *root, const char *arguments) {
    char name[128];
    const json_t *defs = json_object_get(root, "$defs");
    size_t first = strcspn(arguments, " ");
    const char *next = arguments + first + strspn(arguments + first, " -");
    snprintf(name, sizeof name, "heddle-%.*s-%.*s", (int)first, arguments, (int)strcspn(next, " "),
             next);
    const json_t *schema = json_object_get(defs, name);
    if (schema)
        return schema;
    snprintf(name, sizeof name, "heddle-%.*s", (int)first, arguments);
    return json_object_get(defs, name);
}

/* Whether the schema of that command takes `value`; `fault` gets what is wrong with it. */
static bool fits_schema(const char *arguments, const json_t *value, char fault[512]) {
    json_t *root = read_schema();
    schema_check check = {.root = root};
    const json_t *schema = schema_of(root, arguments);
    bool fits = schema ? schema_validate(&check, schema, value)
                       : schema_fault(&check, "no schema of heddle %s", arguments);
    /* and it is one of those that the schema as a whole takes */
    fits = fits && schema_validate(&check, root, value);
    strcpy(fault, check.fault);
    json_decref(root);
    return fits;
}

/* ---- outputs -------------------------------------------------------------------------- */

/* What `heddle ARGUMENTS --json` prints. */
static json_t *output_of(const char *arguments) {
    char command[3 * PATH_MAX];
    snprintf(command, sizeof command, "cd '%s/examples/nbody' && '%s' %s --json", source_folder(),
             getenv("HEDDLE"), arguments);
    FILE *out = popen(command, "r");
    assert_non_null(out);
    json_error_t error;
    json_t *value = json_loadf(out, 0, &error);
    int status = pclose(out);
    if (!value)
        fail_msg("%s: %s", command, error.text);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    char fault[512];
    if (!fits_schema(arguments, value, fault))
        fail_msg("%s: %s", command, fault);
    return value;
}

static void unpack(json_t *value, const char *format, ...) {
    json_error_t error;
    va_list args;
    va_start(args, format);
    int result = json_vunpack_ex(value, &error, 0, format, args);
    va_end(args);
    if (result) {
        char *text = json_dumps(value, JSON_INDENT(1));
        print_error("%s\n", text);
        free(text);
        fail_msg("%s", error.text);
    }
}

/* An object with these members (separated by blanks) and no other. */
static void has_members(json_t *object, const char *members) {
    char *names = strdup(members), *rest = NULL;
    size_t count = 0;
    assert_true(json_is_object(object));
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        if (!json_object_get(object, name))
            fail_msg("no member %s", name);
        count++;
    }
    free(names);
    assert_int_equal(json_object_size(object), count);
}

static void check_place(json_t *place) {
    const char *file;
    int line, column;
    unpack(place, "{s:s, s:i, s:i !}", "file", &file, "line", &line, "column", &column);
}

static void check_record(json_t *record) {
    has_members(record, "name spelling size align fields");
    size_t i;
    json_t *field;
    assert_true(json_array_size(json_object_get(record, "fields")) > 0);
    json_array_foreach(json_object_get(record, "fields"), i, field)
        has_members(field, "name type offset size align count");
}

static void check_layout(json_t *layout) {
    size_t i;
    json_t *cluster;
    has_members(layout, "notation clusters discrete");
    assert_true(json_array_size(json_object_get(layout, "clusters")) > 0);
    json_array_foreach(json_object_get(layout, "clusters"), i, cluster)
        has_members(cluster,
                    json_object_get(cluster, "padded") ? "fields tile padded" : "fields tile");
}

static void check_affine(json_t *form) {
    size_t i;
    json_t *term;
    has_members(form, "text constant terms");
    json_array_foreach(json_object_get(form, "terms"), i, term)
        has_members(term, "symbol index factor");
}

static void check_access(json_t *access) {
    static const char always[] =
        "id kind space place buffer record field field_byte width affine uniform "
        "address reason loop kept runs guards conditional";
    bool named = json_is_string(json_object_get(access, "field"));
    char members[sizeof always + 16];
    snprintf(members, sizeof members, "%s%s", always, named ? " index inner" : "");
    has_members(access, members);
    check_place(json_object_get(access, "place"));
    check_affine(json_object_get(access, "address"));
    if (named)
        check_affine(json_object_get(access, "index"));
}

static void accesses(void **state) {
    (void)state;
    json_t *value = output_of("advise --accesses nbody-small.yaml"), *kernel, *access, *loop;
    has_members(value, "kernels left_out");
    assert_int_equal(json_array_size(json_object_get(value, "kernels")), 2);
    size_t i, j, loops = 0, fields = 0;
    json_array_foreach(json_object_get(value, "kernels"), i, kernel) {
        has_members(kernel, "name place global local registers loops accesses");
        check_place(json_object_get(kernel, "place"));
        json_array_foreach(json_object_get(kernel, "loops"), j, loop) {
            has_members(loop, "line parent depth trips count early_exit reason");
            loops++;
        }
        json_array_foreach(json_object_get(kernel, "accesses"), j, access) {
            check_access(access);
            fields += json_is_string(json_object_get(access, "field"));
        }
    }
    assert_int_equal(loops, 1);
    assert_true(fields >= 16);
    json_decref(value);
}

static void ir(void **state) {
    (void)state;
    json_t *value = output_of("show --ir nbody.cl"), *kernel;
    size_t i;
    has_members(value, "kernels left_out");
    assert_int_equal(json_array_size(json_object_get(value, "kernels")), 2);
    json_array_foreach(json_object_get(value, "kernels"), i, kernel)
        has_members(kernel, "name text");
    json_decref(value);
}

static void ptx(void **state) {
    (void)state;
    json_t *value = output_of("show --ptx ../../tests/cuda/saxpy.cu");
    has_members(value, "text");
    assert_non_null(strstr(json_string_value(json_object_get(value, "text")), ".entry "));
    json_decref(value);
}

static void check_device(json_t *device) {
    has_members(
        device,
        "name title warp segment coalescing l1 l2 weights sms max_blocks "
        "max_threads registers max_registers banks bank shared epsilon tiles synthetic file");
    has_members(json_object_get(device, "weights"), "l1 l2 dram");
    if (!json_is_null(json_object_get(device, "l2")))
        has_members(json_object_get(device, "l2"), "size line");
}

static void devices(void **state) {
    (void)state;
    json_t *value = output_of("device list"), *device;
    size_t i;
    has_members(value, "profiles opencl cuda");
    assert_true(json_array_size(json_object_get(value, "profiles")) >= 12);
    json_array_foreach(json_object_get(value, "profiles"), i, device)
        check_device(device);
    json_array_foreach(json_object_get(value, "opencl"), i, device)
        has_members(device, "backend id platform name driver");
    json_decref(value);
    value = output_of("device list h200");
    check_device(value);
    json_decref(value);
    value = output_of("device list --meters");
    has_members(value, "meters");
    json_array_foreach(json_object_get(value, "meters"), i, device) {
        has_members(device, "name what title readable why");
        assert_int_equal(json_is_true(json_object_get(device, "readable")),
                         json_is_null(json_object_get(device, "why")));
    }
    assert_true(i >= 7); /* each kind has a row, and the model */
    json_decref(value);
    value = output_of("device list --features");
    has_members(value, "ptx calls");
    assert_true(json_array_size(json_object_get(value, "ptx")) > 300);
    json_array_foreach(json_object_get(value, "calls"), i, device)
        has_members(device, "name group fidelity how");
    assert_true(i > 500);
    json_decref(value);
}

static void rewrite(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    json_t *value =
        output_of(hd_format(arena, "apply nbody-small.yaml --layout soa --out %s", folder));
    has_members(
        value,
        "layouts params variables options kernel header files elsewhere verified compared_bytes "
        "checked_accesses program edits job");
    assert_true(json_is_null(json_object_get(value, "job")));
    assert_int_equal(json_array_size(json_object_get(value, "elsewhere")), 0);
    json_t *one = json_array_get(json_object_get(value, "layouts"), 0);
    has_members(one, "record layout");
    check_record(json_object_get(one, "record"));
    check_layout(json_object_get(one, "layout"));
    const char *kernel, *header, *file;
    int edits, in_file;
    unpack(value, "{s:s, s:s, s:i}", "kernel", &kernel, "header", &header, "edits", &edits);
    one = json_array_get(json_object_get(value, "files"), 0);
    has_members(one, "from file edits");
    unpack(one, "{s:s, s:i}", "file", &file, "edits", &in_file);
    assert_string_equal(file, kernel);
    assert_true(edits > 0 && edits == in_file);
    assert_true(json_is_true(json_object_get(value, "verified")));
    assert_int_equal(unlink(kernel), 0);
    assert_int_equal(unlink(header), 0);
    assert_int_equal(rmdir(folder), 0);
    json_decref(value);
    hd_arena_free(arena);
}

/* The job whose kernel is rewritten in place must say something else now. */
static void rewrite_in_place(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    const char *copy =
        hd_format(arena, "cp '%s'/examples/nbody/nbody* %s", source_folder(), folder);
    assert_int_equal(system(copy), 0);
    json_t *value =
        output_of(hd_format(arena, "apply %s/nbody-small.yaml -l soa --in-place", folder));
    json_t *job = json_object_get(value, "job"), *entry, *arg;
    size_t i, j;
    has_members(job, "file buffers launches");
    assert_true(json_array_size(json_object_get(job, "buffers")) > 0);
    json_array_foreach(json_object_get(job, "buffers"), i, entry)
        has_members(entry, "name type count for");
    assert_int_equal(json_array_size(json_object_get(job, "launches")), 4);
    json_array_foreach(json_object_get(job, "launches"), i, entry) {
        has_members(entry, "launch kernel args");
        json_array_foreach(json_object_get(entry, "args"), j, arg)
            assert_int_equal(json_object_size(arg), 2);
    }
    json_decref(value);

    value = output_of(hd_format(arena, "apply --recover %s", folder));
    has_members(value, "taken_back");
    assert_int_equal(json_array_size(json_object_get(value, "taken_back")), 0);
    json_decref(value);
    folder_remove(folder);
    hd_arena_free(arena);
}

static void gpu_check(void **state) {
    (void)state;
    json_t *value = output_of("device check --list"), *step;
    size_t i;
    has_members(value, "steps");
    assert_true(json_array_size(json_object_get(value, "steps")) > 0);
    json_array_foreach(json_object_get(value, "steps"), i, step)
        has_members(step, "name title");
    json_decref(value);
}

static void measure(void **state) {
    (void)state;
    json_t *value = output_of("measure nbody-small.yaml --layout '{x,y,z,mass}{vx,vy,vz}:16' "
                              "--repeats 2");
    has_members(value, "record layout measurement");
    check_record(json_object_get(value, "record"));
    check_layout(json_object_get(value, "layout"));
    json_t *m = json_object_get(value, "measurement");
    has_members(m, "device driver original rewritten original_placement rewritten_placement "
                   "speedup speedup_low speedup_high equal bit_equal whole");
    assert_true(json_is_null(json_object_get(m, "whole")));
    has_members(json_object_get(m, "original"), "median low high repeats");
    has_members(json_object_get(m, "rewritten"), "median low high repeats");
    assert_true(json_is_true(json_object_get(m, "equal")));
    json_decref(value);
    value = output_of("measure nbody-small.yaml --placement host --repeats 2");
    json_t *whole = json_object_get(json_object_get(value, "measurement"), "whole");
    has_members(whole, "original rewritten speedup speedup_low speedup_high");
    has_members(json_object_get(whole, "rewritten"), "to_device kernels from_device whole");
    json_decref(value);
}

/* What is modelled, so that nothing was repeated. */
static void check_energy(json_t *energy) {
    static const char *const numbers[] = {"joules", "watts", "idle_watts", "seconds"};
    has_members(energy, "joules watts idle_watts idle_subtracted seconds repeats resolution source "
                        "modelled missing");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        assert_true(json_number_value(json_object_get(energy, numbers[i])) > 0);
    assert_string_equal(json_string_value(json_object_get(energy, "source")), "model");
    assert_true(json_is_true(json_object_get(energy, "modelled")));
    assert_true(json_is_null(json_object_get(energy, "repeats")));
    assert_true(json_is_null(json_object_get(energy, "resolution")));
    assert_true(json_is_null(json_object_get(energy, "missing")));
}

static void measure_energy(void **state) {
    (void)state;
    json_t *value = output_of("measure nbody-small.yaml --layout soa --repeats 1 --energy "
                              "--meter model");
    json_t *e = json_object_get(json_object_get(value, "measurement"), "energy");
    has_members(e, "original rewritten saving");
    check_energy(json_object_get(e, "original"));
    check_energy(json_object_get(e, "rewritten"));
    assert_true(json_number_value(json_object_get(e, "saving")) > 0);
    json_decref(value);
}

static void check_cost(json_t *cost) {
    size_t i;
    json_t *entry;
    assert_true(json_array_size(cost) > 0);
    json_array_foreach(cost, i, entry)
        assert_true(json_is_number(entry));
}

/* `more`: members besides those that every access with a cost has. */
static void check_lines(json_t *lines, const char *more) {
    char members[160];
    snprintf(members, sizeof members,
             "access kernel cost share executions transactions ideal_transactions kept l1_hits "
             "l2_hits%s",
             more);
    size_t i;
    json_t *line;
    assert_true(json_array_size(lines) > 0);
    json_array_foreach(lines, i, line) {
        has_members(line, members);
        check_access(json_object_get(line, "access"));
        check_cost(json_object_get(line, "cost"));
    }
}

static void train(void **state) {
    (void)state;
    static const char *const scores[] = {"learned_from", "cross_validation", "size_left_out"};
    char database[] = "/tmp/heddle-json-XXXXXX";
    close(mkstemp(database));
    assert_int_equal(setenv("HEDDLE_DATABASE", database, 1), 0);
    json_t *value = output_of("device train --lengths 128 --bytes 4 --repeats 1"), *run;
    json_t *stored = output_of("device train --show");
    unlink(database);
    has_members(value, "device measured kernels patterns date steps text learned_from "
                       "cross_validation size_left_out runs");
    has_members(json_object_get(value, "device"), "backend platform name driver");
    const json_t *steps = json_object_get(value, "steps");
    for (size_t i = 0; i < json_array_size(steps); i++) {
        json_t *step = json_array_get(steps, i);
        has_members(step, "up_to tile");
        assert_int_equal(json_is_null(json_object_get(step, "up_to")),
                         i + 1 == json_array_size(steps));
    }
    assert_true(json_array_size(steps) > 0);
    for (size_t i = 0; i < 3; i++)
        has_members(json_object_get(value, scores[i]), "kernels folds within slowdown worst");
    assert_int_equal(json_array_size(json_object_get(value, "runs")), 17);
    run = json_array_get(json_object_get(value, "runs"), 0);
    has_members(run, "length fields bytes tile kernel date timing");
    has_members(json_object_get(run, "timing"), "median low high repeats");
    json_object_set_new(value, "measured", json_integer(0)); /* all else is kept */
    assert_true(json_equal(value, stored));
    json_decref(value);
    json_decref(stored);
}

static void choices(void **state) {
    (void)state;
    char database[] = "/tmp/heddle-json-XXXXXX";
    close(mkstemp(database));
    assert_int_equal(setenv("HEDDLE_DATABASE", database, 1), 0);
    json_t *value = output_of("advise nbody-small.yaml --budget 10m --repeats 3"), *entry;
    json_t *again = output_of("advise nbody-small.yaml --budget 10m --repeats 3");
    json_t *choice = json_object_get(value, "choice"), *known = json_object_get(again, "choice");
    size_t i;
    unlink(database);
    has_members(choice, "device date remembered stopped tree seconds rounds least_rounds objective "
                        "energy_source verdict winner whole left_out layouts");
    has_members(json_object_get(choice, "device"), "backend id platform name driver");
    assert_true(json_is_false(json_object_get(choice, "remembered")));
    assert_int_equal(json_integer_value(json_object_get(choice, "rounds")), 3);
    json_array_foreach(json_object_get(choice, "layouts"), i, entry) {
        has_members(entry, "layout placement by end why timing joules ratio ratio_low ratio_high "
                           "as_fast undecided");
        check_layout(json_object_get(entry, "layout"));
        has_members(json_object_get(entry, "timing"), "median low high repeats");
        assert_true(i == 0 || json_is_null(json_object_get(entry, "ratio_low")) ||
                    json_number_value(json_object_get(entry, "ratio_low")) == 0);
    }
    assert_true(i > 2);
    assert_true(json_is_true(json_object_get(known, "remembered")));
    json_object_set_new(known, "remembered", json_false());
    assert_true(json_equal(choice, known));
    json_decref(value);
    json_decref(again);
}

static void check_movement(json_t *movement) {
    json_t *entry;
    size_t i;
    has_members(movement, "layout requests transactions transactions_each bytes_moved bytes_used "
                          "moved_for_used l1_hits l2_hits together");
    check_layout(json_object_get(movement, "layout"));
    json_array_foreach(json_object_get(movement, "together"), i, entry)
        has_members(entry, "fields bytes tile first_line last_line");
}

/* Returns the seconds. */
static double check_time(json_t *time) {
    double seconds, low, high, share;
    has_members(time, "seconds low high bound share");
    unpack(time, "{s:F, s:F, s:F, s:F}", "seconds", &seconds, "low", &low, "high", &high, "share",
           &share);
    assert_true(0 < low && low < seconds && seconds < high && 0 < share && share <= 1);
    assert_true(json_is_string(json_object_get(time, "bound")));
    return seconds;
}

static double check_gain(json_t *gain) {
    double times, low, high;
    has_members(gain, "times low high");
    unpack(gain, "{s:F, s:F, s:F}", "times", &times, "low", &low, "high", &high);
    assert_true(0 < low && low <= times && times <= high);
    return times;
}

/* Of a job in whose kernels something is computed, and of a layout. */
static void check_time_advice(json_t *time) {
    double before = 0, after = 0, flops, bytes;
    size_t i;
    json_t *kernel;
    has_members(time, "before after gain copies conversions program roofs kernels");
    has_members(json_object_get(time, "roofs"), "dram l2 fp32 fp64");
    check_gain(json_object_get(time, "program"));
    json_array_foreach(json_object_get(time, "kernels"), i, kernel) {
        has_members(kernel, "kernel runs flops fp64 dram_bytes flops_after dram_bytes_after before "
                            "after");
        unpack(kernel, "{s:F, s:F}", "flops", &flops, "dram_bytes", &bytes);
        assert_true(flops > 0 && bytes > 0);
        before += check_time(json_object_get(kernel, "before"));
        after += check_time(json_object_get(kernel, "after"));
    }
    const double whole = check_time(json_object_get(time, "before"));
    const double then = check_time(json_object_get(time, "after"));
    assert_float_equal(before / whole, 1, 1e-9);
    assert_float_equal(after / then, 1, 1e-9);
    assert_float_equal(check_gain(json_object_get(time, "gain")), whole / then, 1e-9);
}

static void advise(void **state) {
    (void)state;
    json_t *value = output_of("advise nbody-small.yaml --device tesla-k20c --device h200");
    json_t *device, *entry;
    size_t i, j;
    const char *verdict;
    double share;
    has_members(value, "verdict kind basis command rewritable refused apart threads dominates "
                       "counted time why record devices "
                       "evidence written "
                       "measurement unmeasured choice placements");
    assert_true(json_is_null(json_object_get(value, "placements")));
    unpack(value, "{s:s}", "verdict", &verdict);
    assert_non_null(strstr(verdict, "at 0."));
    json_t *basis = json_object_get(value, "basis"), *why = json_object_get(value, "why");
    has_members(basis, "text assumed guesses");
    unpack(basis, "{s:F}", "assumed", &share);
    assert_in_range((long)(share * 100), 0, 100);
    assert_true(json_is_true(json_object_get(value, "rewritable")));
    has_members(why, "before after");
    check_movement(json_object_get(why, "before"));
    check_movement(json_object_get(why, "after"));
    check_time_advice(json_object_get(value, "time"));
    check_record(json_object_get(value, "record"));
    assert_true(json_is_null(json_object_get(value, "measurement")));
    assert_int_equal(json_array_size(json_object_get(value, "written")), 0);
    assert_int_equal(json_array_size(json_object_get(value, "devices")), 2);
    json_array_foreach(json_object_get(value, "devices"), i, device) {
        has_members(device, "device original_cost leave best ratio ranked accesses proven gap "
                            "partitions nodes seconds judged");
        check_device(json_object_get(device, "device"));
        check_cost(json_object_get(device, "original_cost"));
        check_layout(json_object_get(device, "best"));
        check_lines(json_object_get(device, "accesses"), " why");
        json_array_foreach(json_object_get(device, "ranked"), j, entry) {
            has_members(entry, "layout cost ratio");
            check_layout(json_object_get(entry, "layout"));
        }
    }
    json_decref(value);
}

static void check_run(json_t *run, const char *more) {
    char members[128];
    snprintf(members, sizeof members, "seconds kernels copies link_bytes joules watts bound%s",
             more);
    has_members(run, members);
}

static void placements(void **state) {
    (void)state;
    json_t *value = output_of("advise nbody-small.yaml --device radeon-fiji --placements");
    json_t *placed = json_object_get(value, "placements"), *entry, *run;
    size_t i, j;
    has_members(placed, "verdict leave objective layout before gain layouts buffers unpriced");
    has_members(json_object_get(placed, "gain"), "times low high");
    check_layout(json_object_get(placed, "layout"));
    check_layout(json_object_get(placed, "before"));
    json_array_foreach(json_object_get(placed, "layouts"), i, entry) {
        has_members(entry, "layout as_is all chosen");
        check_run(json_object_get(entry, "as_is"), "");
        check_run(json_object_get(entry, "chosen"), "");
        assert_int_equal(json_array_size(json_object_get(entry, "all")), 4);
        json_array_foreach(json_object_get(entry, "all"), j, run)
            check_run(run, " placement");
    }
    assert_true(i > 2);
    json_array_foreach(json_object_get(placed, "buffers"), i, entry) {
        has_members(entry,
                    "buffer bytes moved kernels copied_in copied_back placement chosen runs");
        json_array_foreach(json_object_get(entry, "runs"), j, run)
            check_run(run, " placement");
    }
    assert_true(i >= 1);
    json_array_foreach(json_object_get(placed, "unpriced"), i, entry)
        has_members(entry, "placement why");
    assert_int_equal(i, 2);
    json_decref(value);
}

static void rules(void **state) {
    (void)state;
    json_t *value = output_of("advise --by rules nbody-small.yaml --device amd-kaveri"), *entry;
    size_t i;
    has_members(value, "verdict command by device objective layout placement integrated rules "
                       "features neighbours");
    check_layout(json_object_get(value, "layout"));
    assert_true(json_is_true(json_object_get(value, "integrated")));
    json_array_foreach(json_object_get(value, "rules"), i, entry)
        has_members(entry, "rule layout placement why");
    assert_int_equal(i, 2);
    json_array_foreach(json_object_get(value, "features"), i, entry)
        has_members(entry, "name value");
    assert_int_equal(i, 12);
    json_decref(value);
}

static void layout_graph(void **state) {
    (void)state;
    json_t *value = output_of("advise --graph nbody-small.yaml --epsilon 64"), *entry, *names;
    size_t i;
    int count, epsilon;
    has_members(value,
                "record launches fields edges epsilon epsilon_is clusters layout tiles selected");
    assert_true(json_is_null(json_object_get(value, "epsilon_is")));
    assert_true(json_is_null(json_object_get(value, "tiles")));
    assert_true(json_is_null(json_object_get(value, "selected")));
    check_record(json_object_get(value, "record"));
    check_layout(json_object_get(value, "layout"));
    assert_int_equal(json_array_size(json_object_get(value, "fields")), 7);
    json_array_foreach(json_object_get(value, "fields"), i, entry) {
        const char *name;
        int size, reached;
        unpack(entry, "{s:s, s:i, s:b !}", "name", &name, "size", &size, "reached", &reached);
    }
    assert_int_equal(json_array_size(json_object_get(value, "edges")), 21);
    json_array_foreach(json_object_get(value, "edges"), i, entry) {
        has_members(entry, "fields distance");
        assert_int_equal(json_array_size(json_object_get(entry, "fields")), 2);
        json_t *distance = json_object_get(entry, "distance");
        assert_true(json_is_integer(distance) || json_is_null(distance));
    }
    json_array_foreach(json_object_get(value, "clusters"), i, names)
        assert_true(json_array_size(names) > 0);
    unpack(value, "{s:i, s:i}", "launches", &count, "epsilon", &epsilon);
    assert_int_equal(epsilon, 64);
    json_decref(value);
    value = output_of("advise --graph nbody-small.yaml --device tesla-k20m");
    assert_true(json_is_string(json_object_get(value, "epsilon_is")));
    assert_string_equal(json_string_value(json_object_get(value, "tiles")),
                        "SoA to 20, 8192 to 48, 16384 to 96, 32768");
    check_layout(json_object_get(value, "selected"));
    json_decref(value);
}

static void cost(void **state) {
    (void)state;
    json_t *value = output_of("advise --costs nbody-small.yaml --layout aos --layout aosoa:8"),
           *result, *p;
    size_t i, j;
    has_members(value, "record results");
    assert_int_equal(json_array_size(json_object_get(value, "results")), 1);
    json_array_foreach(json_object_get(value, "results"), i, result) {
        has_members(result, "device basis layouts");
        check_device(json_object_get(result, "device"));
        assert_int_equal(json_array_size(json_object_get(result, "layouts")), 2);
        json_array_foreach(json_object_get(result, "layouts"), j, p) {
            has_members(p, "layout cost ratio counted accesses");
            check_layout(json_object_get(p, "layout"));
            check_cost(json_object_get(p, "cost"));
            check_lines(json_object_get(p, "accesses"), "");
        }
    }
    json_decref(value);
}

static void check_executed(json_t *executed, const char *more) {
    char members[160];
    snprintf(members, sizeof members,
             "runs blocks instructions thread_instructions mis lane_accesses seconds devices%s",
             more);
    size_t i;
    json_t *device;
    has_members(executed, members);
    assert_int_equal(json_array_size(json_object_get(executed, "devices")), 2);
    json_array_foreach(json_object_get(executed, "devices"), i, device)
        has_members(device, "device requests transactions bytes_moved bytes_used local_requests "
                            "bank_passes bank_conflicts");
}

static void run(void **state) {
    (void)state;
    json_t *value = output_of("run nbody-small.yaml --device h200 --device tesla-k20c "
                              "--check opencl");
    json_t *launch;
    size_t i;
    has_members(value, "launches total workers stopped printed races check accesses dumped");
    assert_int_equal(json_array_size(json_object_get(value, "launches")), 2);
    json_array_foreach(json_object_get(value, "launches"), i, launch) {
        check_executed(launch, " kernel place global local offset");
        check_place(json_object_get(launch, "place"));
    }
    check_executed(json_object_get(value, "total"), "");
    has_members(json_object_get(value, "check"), "equal bit_equal");
    assert_true(json_is_false(json_object_get(value, "stopped")));
    assert_true(json_is_array(json_object_get(value, "dumped")));
    assert_string_equal(json_string_value(json_object_get(value, "printed")), "");
    json_decref(value);
    value = output_of("run nbody-small.yaml --device h200 --device h200");
    assert_true(json_is_null(json_object_get(value, "check")));
    assert_true(json_is_null(json_object_get(value, "accesses")));
    json_decref(value);
}

static json_int_t sum_of(json_t *rows, const char *member) {
    json_int_t sum = 0;
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row)
        sum += json_integer_value(json_object_get(row, member));
    return sum;
}

/* Accesses, lines, files, kernels and fields are five ways to add up one run. */
static void counts_of_accesses(void **state) {
    (void)state;
    static const char *const members[] = {"requests", "transactions", "bytes_moved", "bytes_used",
                                          "bank_passes"};
    const char *layout[] = {"", " --layout soa"};
    for (int l = 0; l < 2; l++) {
        char arguments[80];
        snprintf(arguments, sizeof arguments, "run nbody-small.yaml --accesses%s", layout[l]);
        json_t *run = output_of(arguments);
        snprintf(arguments, sizeof arguments, "show nbody-small.yaml%s", layout[l]);
        json_t *annotated = output_of(arguments), *total = json_object_get(annotated, "total");
        json_t *of_run =
            json_array_get(json_object_get(json_object_get(run, "total"), "devices"), 0);
        json_t *table = json_array_get(json_object_get(run, "accesses"), 0);
        json_t *files = json_object_get(annotated, "files");
        json_t *lines = json_object_get(json_array_get(files, 0), "lines");
        has_members(annotated, "file layouts device complete stopped printed files kernels targets "
                               "total");
        assert_int_equal(json_array_size(files), 1);
        assert_int_equal(json_array_size(lines), 11);
        assert_int_equal(json_array_size(json_object_get(annotated, "targets")), 7);
        for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
            json_int_t expected = json_integer_value(json_object_get(of_run, members[m]));
            assert_int_equal(json_integer_value(json_object_get(total, members[m])), expected);
            assert_int_equal(sum_of(json_object_get(table, "rows"), members[m]), expected);
            assert_int_equal(sum_of(files, members[m]), expected);
            assert_int_equal(sum_of(lines, members[m]), expected);
            assert_int_equal(sum_of(json_object_get(annotated, "kernels"), members[m]), expected);
            assert_int_equal(sum_of(json_object_get(annotated, "targets"), members[m]), expected);
        }
        json_decref(run);
        json_decref(annotated);
    }
}

/* What SARIF 2.1.0 (section 3) requires of a log, and where each result stands. */
static void findings(void **state) {
    (void)state;
    const hd_diag silent = {0};
    hd_arena *arena = hd_arena_new();
    char *folder;
    assert_int_equal(hd_scratch_make(arena, &silent, &folder), HD_OK);
    const char *path = hd_format(arena, "%s/found.sarif", folder);
    json_t *result, *rule;
    json_error_t error;
    size_t i;
    json_decref(output_of(hd_format(arena, "show nbody-small.yaml --sarif %s", path)));
    json_t *log = json_load_file(path, 0, &error);
    hd_scratch_remove(folder);
    hd_arena_free(arena);
    assert_non_null(log);
    assert_string_equal(json_string_value(json_object_get(log, "version")), "2.1.0");
    assert_non_null(strstr(json_string_value(json_object_get(log, "$schema")), "sarif-2.1.0"));
    assert_int_equal(json_array_size(json_object_get(log, "runs")), 1);
    json_t *run = json_array_get(json_object_get(log, "runs"), 0);
    json_t *driver = json_object_get(json_object_get(run, "tool"), "driver");
    json_t *rules = json_object_get(driver, "rules"), *results = json_object_get(run, "results");
    assert_string_equal(json_string_value(json_object_get(driver, "name")), "heddle");
    assert_int_equal(json_array_size(rules), 2);
    json_array_foreach(rules, i, rule) {
        const char *id, *name, *summary;
        unpack(rule, "{s:s, s:s, s:{s:s}}", "id", &id, "name", &name, "shortDescription", "text",
               &summary);
        assert_int_equal(strncmp(id, "heddle/", 7), 0);
    }
    assert_int_equal(json_array_size(results), 18); /* all but those in the loop, a warp's value */
    json_array_foreach(results, i, result) {
        const char *id, *level, *text, *uri;
        int index, line, column;
        unpack(result, "{s:s, s:i, s:s, s:{s:s}, s:[{s:{s:{s:s}, s:{s:i, s:i}}}]}", "ruleId", &id,
               "ruleIndex", &index, "level", &level, "message", "text", &text, "locations",
               "physicalLocation", "artifactLocation", "uri", &uri, "region", "startLine", &line,
               "startColumn", &column);
        rule = json_array_get(rules, (size_t)index);
        assert_string_equal(json_string_value(json_object_get(rule, "id")), id);
        assert_string_equal(level, "note"); /* each wastes less than a hundredth of all */
        assert_non_null(strstr(uri, "nbody.cl"));
        assert_non_null(strstr(text, "28 transactions for each request of a warp, where 4 would"));
        assert_true((line == 24 || (line >= 36 && line <= 48)) && column > 0);
    }
    json_decref(log);
}

static void diff(void **state) {
    (void)state;
    json_t *value = output_of("diff nbody-small.yaml --layout aos --layout soa"), *row;
    size_t i;
    has_members(value, "versions lines kernels targets total time");
    json_t *time = json_object_get(value, "time");
    double simulated;
    has_members(time, "before after gain simulated");
    unpack(time, "{s:F}", "simulated", &simulated);
    assert_true(simulated > 0 && simulated <= 1);
    assert_float_equal(check_gain(json_object_get(time, "gain")),
                       check_time(json_object_get(time, "before")) /
                           check_time(json_object_get(time, "after")),
                       1e-9);
    assert_int_equal(json_array_size(json_object_get(value, "lines")), 11);
    json_array_foreach(json_object_get(value, "lines"), i, row) {
        assert_true(json_equal(json_object_get(row, "line"), json_object_get(row, "other_line")));
        assert_true(json_number_value(json_object_get(row, "ratio")) <= 1);
    }
    json_decref(value);
}

static void check_event_tables(json_t *launch) {
    size_t i;
    json_t *row;
    assert_true(json_array_size(json_object_get(launch, "accesses")) > 0);
    json_array_foreach(json_object_get(launch, "accesses"), i, row) {
        has_members(row, "kind space place buffer record field width");
        check_place(json_object_get(row, "place"));
    }
    assert_true(json_array_size(json_object_get(launch, "buffers")) > 0);
    json_array_foreach(json_object_get(launch, "buffers"), i, row) {
        has_members(row, "name type space base bytes element_bytes record");
        if (!json_is_null(json_object_get(row, "record")))
            check_record(json_object_get(row, "record"));
    }
}

#define TRACED "file runs blocks mis lane_accesses bytes bytes_per_lane_access complete"

static void trace(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    char *folder = folder_make(arena);
    json_t *value = output_of(hd_format(arena, "trace nbody-small.yaml -o %s/t", folder)), *launch;
    has_members(value, TRACED " seconds workers stopped printed");
    assert_true(json_is_true(json_object_get(value, "complete")));
    json_decref(value);

    size_t i;
    value = output_of(hd_format(arena, "trace info %s/t", folder));
    has_members(value, TRACED " version source spaces missing launches");
    assert_int_equal(json_array_size(json_object_get(value, "launches")), 4);
    json_array_foreach(json_object_get(value, "launches"), i, launch) {
        has_members(launch, "number kernel groups local offset blocks mis lane_accesses bytes "
                            "complete accesses buffers");
        check_event_tables(launch);
    }
    json_decref(value);

    value = output_of(hd_format(arena, "trace export %s/t -o %s/text", folder, folder));
    has_members(value, "file runs blocks mis lane_accesses complete");
    json_decref(value);
    value = output_of(hd_format(arena, "trace import %s/text -o %s/back", folder, folder));
    has_members(value, TRACED);
    json_decref(value);
    static const char *const names[] = {"t", "text", "back"};
    for (i = 0; i < 3; i++)
        assert_int_equal(unlink(hd_format(arena, "%s/%s", folder, names[i])), 0);
    assert_int_equal(rmdir(folder), 0);
    hd_arena_free(arena);
}

static void help(void **state) {
    (void)state;
    json_t *value = output_of("help"), *command;
    size_t i;
    has_members(value, "version commands");
    json_array_foreach(json_object_get(value, "commands"), i, command)
        has_members(command, "name summary");
    json_decref(value);
}

static void reuse_locality_and_report(void **state) {
    (void)state;
    static const char *const arguments[] = {
        "cache --locality nbody-small.yaml",
        "cache --locality nbody-small.yaml --device h200 --per cluster --clusters 4",
        "cache nbody-small.yaml",
        "cache nbody-small.yaml --device tesla-k20c --layout {x,y,z}{vx,vy,vz,mass}:16",
        "cache --reuse nbody-small.yaml --scenario 1",
        "cache --reuse nbody-small.yaml --scenario 2",
        "cache --reuse nbody-small.yaml --scenario 2 --block 1 --launch 0",
        "cache --reuse nbody-small.yaml --scenario 5 --clusters 2 --units 32 --range 1-4",
        "cache --compare --scenario 1 nbody-small.yaml nbody-small.yaml",
        "report nbody-small.yaml",
        "report nbody-small.yaml --all",
        "advise --costs nbody.cl --entry attract --global 256 --loops 10",
        "advise --accesses nbody.cl",
        "apply nbody-small.yaml --layout soa --diff",
        "advise nbody-small.yaml --measure --repeats 1"};
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        json_decref(output_of(arguments[i]));
}

/* Every command and every variant of one has a schema, so that none is forgotten. */
static void every_command_has_a_schema(void **state) {
    (void)state;
    json_t *root = read_schema(), *value = output_of("help"), *command;
    const json_t *defs = json_object_get(root, "$defs");
    static const char *const second[] = {
        "advise --by",     "advise --costs", "advise --graph",   "advise --accesses",
        "run program",     "show --ir",      "show --ptx",       "trace info",
        "trace export",    "trace import",   "cache --locality", "cache --reuse",
        "cache --compare", "device train",   "device explore",   "device check"};
    size_t i, count = 0;
    char name[64];
    json_array_foreach(json_object_get(value, "commands"), i, command) {
        snprintf(name, sizeof name, "heddle-%s",
                 json_string_value(json_object_get(command, "name")));
        if (!json_object_get(defs, name))
            fail_msg("docs/heddle.schema.json has no %s", name);
        count++;
    }
    for (i = 0; i < sizeof second / sizeof *second; i++)
        assert_non_null(schema_of(root, second[i]));
    assert_int_equal(json_array_size(json_object_get(root, "anyOf")), count + i);
    json_decref(value);
    json_decref(root);
}

/* What does not fit is found: the validator is none that takes everything. */
static void the_schema_refuses(void **state) {
    (void)state;
    static const char arguments[] = "advise --costs nbody-small.yaml --layout aos";
    json_t *value = output_of(arguments);
    json_t *result = json_array_get(json_object_get(value, "results"), 0);
    json_t *device = json_object_get(result, "device");
    json_t *row = json_array_get(json_object_get(result, "layouts"), 0);
    json_t *access = json_array_get(json_object_get(row, "accesses"), 0);
    static const struct {
        const char *member, *json, *fault;
    } changes[] = {
        {"more", "1", "/results/0/device: has a member 'more' that is not in the schema"},
        {"warp", NULL, "/results/0/device: has no member 'warp'"},
        {"warp", "\"32\"", "/results/0/device/warp: is no integer"},
        {"warp", "32.5", "/results/0/device/warp: is no integer"},
        {"warp", "-1", "/results/0/device/warp: is below the minimum"},
        {"title", "1", "/results/0/device/title: is of none of its types"},
        {"coalescing", "\"thread\"", "/results/0/device/coalescing: is none of the enum"},
        {"l1", "{\"size\": 1}", "/results/0/device/l1: is none of anyOf"}};
    char fault[512];
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        json_t *before = json_incref(json_object_get(device, changes[i].member));
        if (changes[i].json)
            json_object_set_new(device, changes[i].member,
                                json_loads(changes[i].json, JSON_DECODE_ANY, NULL));
        else
            json_object_del(device, changes[i].member);
        assert_false(fits_schema(arguments, value, fault));
        if (strncmp(fault, changes[i].fault, strlen(changes[i].fault)))
            fail_msg("%s, not %s", fault, changes[i].fault);
        if (before)
            json_object_set_new(device, changes[i].member, before);
        else
            json_object_del(device, changes[i].member);
        assert_true(fits_schema(arguments, value, fault));
    }
    json_object_set_new(json_object_get(access, "access"), "id", json_null());
    assert_false(fits_schema(arguments, value, fault));
    json_object_clear(row);
    assert_false(fits_schema(arguments, value, fault));
    json_decref(value);
}

/* Every ```json block of docs/json.md is JSON. */
static void the_examples_of_the_page(void **state) {
    (void)state;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/docs/json.md", source_folder());
    hd_arena *arena = hd_arena_new();
    char *text;
    size_t length, count = 0;
    assert_int_equal(hd_read_file(arena, NULL, path, &text, &length), HD_OK);
    for (char *at = text; (at = strstr(at, "```json\n"));) {
        at += strlen("```json\n");
        char *end = strstr(at, "```");
        assert_non_null(end);
        json_error_t error;
        json_t *value = json_loadb(at, (size_t)(end - at), 0, &error);
        if (!value)
            fail_msg("%s in: %.*s", error.text, (int)(end - at), at);
        json_decref(value);
        at = end;
        count++;
    }
    assert_true(count >= 5);
    hd_arena_free(arena);
}

/* What the scripts of this folder have at hand, and standard input gives: whether it fits. */
/* ---- the page ---------------------------------------------------------------------------- */

/* What docs/PAGE says; in the arena. */
static char *page_text(hd_arena *arena, const char *page) {
    char *text;
    size_t length;
    const hd_diag silent = {0};
    const char *path = hd_format(arena, "%s/docs/%s", source_folder(), page);
    assert_int_equal(hd_read_file(arena, &silent, path, &text, &length), HD_OK);
    return text;
}

/* Every member of a schema, but for those of parts that it refers to, is named in `text`. */
static void names_members(hd_arena *arena, const char *text, const json_t *schema,
                          const char *where) {
    const char *key;
    json_t *value;
    size_t i;
    if (json_is_array(schema)) {
        json_array_foreach(schema, i, value)
            names_members(arena, text, value, where);
        return;
    }
    json_object_foreach((json_t *)schema, key, value) {
        names_members(arena, text, value, where);
        if (strcmp(key, "properties") != 0)
            continue;
        const char *member;
        json_t *of;
        json_object_foreach(value, member, of) {
            if (!strstr(text, hd_format(arena, "`%s`", member)))
                fail_msg("%s: the page does not name the member %s", where, member);
        }
    }
}

/* Those of a command in its section, those of shared parts anywhere. */
static void the_page_names_every_member(void **state) {
    (void)state;
    hd_arena *arena = hd_arena_new();
    json_t *root = read_schema();
    const char *name;
    json_t *schema;
    char *json = page_text(arena, "json.md"), *report = page_text(arena, "report.md");
    json_object_foreach(json_object_get(root, "$defs"), name, schema) {
        const char *text = hd_format(arena, "%s%s", json, report);
        if (!strncmp(name, "heddle-", 7) && strcmp(name, "heddle-report") != 0) {
            /* "advise --costs", "trace info", "run -- PROGRAM"; or part of the command's section */
            static const char *const forms[] = {" --", " ", " -- "};
            const char *command = name + 7, *variant = strchr(command, '-');
            const char *title =
                hd_format(arena, "## heddle %.*s", (int)strcspn(command, "-"), command);
            text = NULL;
            for (size_t f = 0; f < 3 && variant && !text; f++)
                text = strcasestr(json, hd_format(arena, "%s%s%s\n", title, forms[f], variant + 1));
            if (!text)
                text = strstr(json, hd_format(arena, "%s\n", title));
            assert_non_null(text);
            const char *end = strstr(text + 3, "\n## ");
            text = hd_strndup(arena, text, end ? (size_t)(end - text) : strlen(text));
        }
        names_members(arena, text, schema, name);
    }
    json_decref(root);
    hd_arena_free(arena);
}

static int check_input(const char *command) {
    char fault[512];
    json_error_t error;
    json_t *value = json_loadf(stdin, 0, &error);
    bool fits = value && fits_schema(command, value, fault);
    if (!fits)
        fprintf(stderr, "heddle %s: %s\n", command, value ? fault : error.text);
    json_decref(value);
    return !fits;
}

/* Runs this again with a heddle that stands ready, since loading it is most of what a call takes. */
static int run_with_ready(void) {
    char self[PATH_MAX] = "", heddle[PATH_MAX + 16], script[PATH_MAX];
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return 1;
    snprintf(heddle, sizeof heddle, "%s", self);
    strcpy(strrchr(heddle, '/'), "/../heddle");
    snprintf(script, sizeof script, "%s/tests/cli/with_ready.sh", getenv("HEDDLE_SOURCE"));
    execlp("bash", "bash", script, heddle, self, NULL);
    return 1;
}

int main(int argc, char **argv) {
    if (argc == 2)
        return check_input(argv[1]);
    if (!getenv("HEDDLE"))
        return run_with_ready();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accesses),
        cmocka_unit_test(ir),
        cmocka_unit_test(ptx),
        cmocka_unit_test(devices),
        cmocka_unit_test(rewrite),
        cmocka_unit_test(rewrite_in_place),
        cmocka_unit_test(gpu_check),
        cmocka_unit_test(measure),
        cmocka_unit_test(measure_energy),
        cmocka_unit_test(train),
        cmocka_unit_test(advise),
        cmocka_unit_test(placements),
        cmocka_unit_test(rules),
        cmocka_unit_test(choices),
        cmocka_unit_test(cost),
        cmocka_unit_test(layout_graph),
        cmocka_unit_test(run),
        cmocka_unit_test(counts_of_accesses),
        cmocka_unit_test(findings),
        cmocka_unit_test(diff),
        cmocka_unit_test(trace),
        cmocka_unit_test(help),
        cmocka_unit_test(reuse_locality_and_report),
        cmocka_unit_test(every_command_has_a_schema),
        cmocka_unit_test(the_page_names_every_member),
        cmocka_unit_test(the_schema_refuses),
        cmocka_unit_test(the_examples_of_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
