/*
 * The races that were found: the first two threads for each pair of lines, so that a
 * kernel that races in each of its million threads is told so once.
 */
#include <stdio.h>

#include "machine/launch.h"

/* ---- lines that may race ------------------------------------------------------------ */

static bool is_at(const kir_module *module, const kir_inst *inst, const hd_vm_line *line) {
    if (inst->line != line->line || inst->file >= module->file_count)
        return false;
    if (!line->file)
        return inst->file == 0;
    return hd_path_ends_in(module->files[inst->file].name, line->file);
}

hd_status vm_check_allowed(const hd_vm *vm) {
    for (uint32_t i = 0; i < vm->options.allowed_count; i++) {
        const hd_vm_line *line = &vm->options.allowed[i];
        const kir_module *module = vm->job->module;
        bool found = false;
        for (size_t c = 0; c < vm->compiled.count; c++) {
            const vm_program *p = vm->compiled.data[c]->program;
            for (uint32_t a = 0; a < p->info->access_count; a++)
                found |= is_at(module, &p->kernel->insts[p->info->accesses[a].inst], line);
        }
        if (!found)
            return hd_fail(
                vm->diag, HD_EINPUT, NULL,
                "no kernel of this job accesses memory at %s:%u, so nothing can be "
                "allowed to race there; 'heddle advise --accesses' lists the lines that do",
                line->file           ? line->file
                : module->file_count ? module->files[0].name
                                     : "the kernel file",
                line->line);
    }
    return HD_OK;
}

/* ---- the list ------------------------------------------------------------------------- */

static bool same_line(const hd_place *a, const hd_place *b) {
    return a->line == b->line &&
           (a->file == b->file || (a->file && b->file && !strcmp(a->file, b->file)));
}

/* Without the thread that meets the other. */
static const char *describe(hd_arena *arena, const vm_met *met, const hd_vm_race *race) {
    const hd_place *place = &race->before, *from = &race->place;
    bool same_file = place->file && from->file && !strcmp(place->file, from->file);
    const char *there = "here";
    if (place->line && (!same_line(place, from) || place->column != from->column))
        there = same_file ? hd_format(arena, "at line %u", place->line)
                          : hd_format(arena, "at %s:%u", place->file, place->line);
    unsigned long long byte = met->byte;
    if (met->same_value)
        return hd_format(
            arena,
            "this stores to byte %llu of '%s' the value that thread %u of block %u has "
            "stored %s with no barrier between them, which is no fault",
            byte, met->region->name, met->thread, met->block, there);
    if (met->are_atomic)
        return hd_format(
            arena,
            "race: this is an atomic access to byte %llu of '%s', which thread %u of block %u has "
            "accessed %s, and one of the two is of the scope of a block",
            byte, met->region->name, met->thread, met->block, there);
    return hd_format(
        arena,
        "race: this %s byte %llu of '%s', which thread %u of block %u has %s %s with no "
        "barrier between them",
        met->writes ? "writes" : "reads", byte, met->region->name, met->thread, met->block,
        met->has_written ? "written" : "read", there);
}

/* The line alone, without its text. */
static hd_place line_of(const kir_module *module, const kir_inst *inst) {
    return (hd_place){.file =
                          inst->file < module->file_count ? module->files[inst->file].name : NULL,
                      .line = inst->line};
}

const char *vm_note_race(const vm_run *r, vm_races *races, const vm_met *met) {
    const kir_kernel *kernel = r->program->kernel;
    const kir_inst *now = &kernel->insts[met->inst], *before = &kernel->insts[met->before_inst];
    const hd_place here = line_of(r->program->module, now);
    const hd_place there = line_of(r->program->module, before);
    hd_vm_race *race = NULL; /* of the same two lines, in either order */
    for (size_t i = 0; i < races->list.count && !race; i++) {
        hd_vm_race *known = &races->list.data[i];
        if ((same_line(&known->place, &here) && same_line(&known->before, &there)) ||
            (same_line(&known->place, &there) && same_line(&known->before, &here)))
            race = known;
    }
    if (race && (race->is_fault || met->same_value))
        return NULL;
    for (uint32_t i = 0; i < r->options->allowed_count; i++)
        if (is_at(r->program->module, now, &r->options->allowed[i]) ||
            is_at(r->program->module, before, &r->options->allowed[i]))
            return NULL;
    if (!race && races->list.count == HD_MOST_RACES) {
        races->more = true;
        return NULL;
    }
    hd_vm_race found = {.place = kir_place(races->arena, r->program->module, now),
                        .before = kir_place(races->arena, r->program->module, before),
                        .kernel = hd_strdup(races->arena, kernel->name),
                        .buffer = hd_strdup(races->arena, met->region->name),
                        .byte = met->byte,
                        .is_fault = !met->same_value};
    hd_place *places[] = {&found.place, &found.before}; /* a module may go before the list does */
    for (size_t i = 0; i < 2; i++)
        if (places[i]->file)
            places[i]->file = hd_strdup(races->arena, places[i]->file);
    const char *what = describe(races->arena, met, &found);
    char thread[160];
    vm_print_thread(r, met->lane, thread, sizeof thread);
    found.text = hd_format(races->arena, "%s; %s", what, thread);
    found.is_reported = found.is_fault && r->options->stop_at_race; /* as a fault */
    if (race)
        *race = found;
    else
        hd_push(races->arena, &races->list, found);
    return found.is_reported ? what : NULL;
}

const hd_vm_race *hd_vm_races(const hd_vm *vm, uint32_t *count) {
    *count = (uint32_t)vm->races.list.count;
    return vm->races.list.data;
}

bool vm_has_new_race(const hd_vm *vm) {
    for (size_t i = 0; i < vm->races.list.count; i++)
        if (vm->races.list.data[i].is_fault && !vm->races.list.data[i].is_reported)
            return true;
    return false;
}

hd_status hd_vm_report_races(hd_vm *vm) {
    vm_races *races = &vm->races;
    hd_status status = HD_OK;
    for (uint32_t i = 0; i < races->list.count; i++) {
        hd_vm_race *race = &races->list.data[i];
        status = race->is_fault ? HD_EINPUT : status;
        if (race->is_reported)
            continue;
        race->is_reported = true;
        if (race->is_fault)
            hd_fail(vm->diag, HD_EINPUT, &race->place, "%s", race->text);
        else
            hd_note(vm->diag, &race->place, "%s", race->text);
    }
    if (races->more)
        hd_note(
            vm->diag, NULL,
            "there are races of more than the %d pairs of lines that are listed; mend these, or "
            "allow them, to see the others",
            HD_MOST_RACES);
    races->more = false;
    return status;
}
