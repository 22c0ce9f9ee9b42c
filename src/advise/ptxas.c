#include "advise/ptxas.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "advise/nvcc_job.h"
#include "frontend/frontend.h"

/* ---- the architecture ---------------------------------------------------------------------- */

/* Behind the file's .target: "sm_80". */
static const char *target_of(hd_arena *arena, const char *text) {
    const char *at = strstr(text, "\n.target");
    at = at ? at + strlen("\n.target") : "";
    at += strspn(at, " \t");
    return hd_strndup(arena, at, strcspn(at, ", \t\r\n"));
}

static const char *choose_architecture(hd_arena *arena, uint32_t capability, const char *target) {
    static const uint32_t known[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
    char *end;
    const uint32_t least = strncmp(target, "sm_", 3) ? 0 : (uint32_t)strtoul(target + 3, &end, 10);
    if (least && *end) /* sm_90a goes with itself alone */
        return target;
    uint32_t taken = 0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (known[k] >= least && (!taken || known[k] <= capability))
            taken = known[k];
    return hd_format(arena, "sm_%u", taken ? taken : least);
}

/* ---- what ptxas says --------------------------------------------------------------------------- */

/* The number in front of `unit`, which stands in the line; 0: it doesn't. */
static uint32_t number_before(const char *line, const char *unit) {
    const char *at = strstr(line, unit), *start = at;
    while (start && start > line && (start[-1] >= '0' && start[-1] <= '9'))
        start--;
    return at ? (uint32_t)strtoul(start, NULL, 10) : 0;
}

/* `-v`: functions that are called have lines of their own, but no registers. */
static void read_messages(hd_arena *arena, char *text, hd_ptxas *made) {
    static const char start[] = "Compiling entry function '", of[] = "Function properties for ";
    hd_vec(hd_ptxas_kernel) kernels = {0};
    hd_ptxas_kernel kernel = {0};
    bool is_of_kernel = false;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        const char *at;
        if ((at = strstr(line, start))) {
            at += strlen(start);
            kernel = (hd_ptxas_kernel){.symbol = hd_strndup(arena, at, strcspn(at, "'"))};
            kernel.name = hd_kernel_of_symbol(arena, kernel.symbol);
        } else if ((at = strstr(line, of))) {
            is_of_kernel = kernel.symbol && !strcmp(at + strlen(of), kernel.symbol);
        } else if (strstr(line, " bytes spill stores") && is_of_kernel) {
            kernel.spill_stores = number_before(line, " bytes spill stores");
            kernel.spill_loads = number_before(line, " bytes spill loads");
        } else if (strstr(line, "Used ") && strstr(line, " registers") && kernel.symbol) {
            kernel.registers = number_before(line, " registers");
            kernel.shared = number_before(line, " bytes smem");
            hd_push(arena, &kernels, kernel);
            kernel.symbol = NULL;
        }
    }
    hd_keep(&kernels, made->kernels, made->count);
}

/* The first error: "ptxas FILE, line 3; error   : Unknown ..." without what all have. */
static const char *complaint(char *text) {
    char *line = strstr(text, "fatal   : "), *error = strstr(text, "error   : ");
    line = !line || (error && error < line) ? error : line;
    line = line ? line + strlen("error   : ") : text;
    line[strcspn(line, "\n")] = '\0';
    return line;
}

hd_status hd_ptxas_registers(hd_arena *arena, const hd_diag *diag, const char *ptx,
                             uint32_t capability, hd_ptxas *made) {
    char *text;
    size_t length;
    const char *ptxas = hd_cuda_tool(arena, "ptxas");
    if (!ptxas)
        return hd_fail(diag, HD_EUNSUPPORTED, NULL, "there is no ptxas; put it into PATH");
    hd_status status = hd_read_file(arena, diag, ptx, &text, &length);
    if (status)
        return status;
    made->architecture = choose_architecture(arena, capability, target_of(arena, text));
    char *words[] = {hd_strdup(arena, ptxas),
                     "-v",
                     hd_format(arena, "-arch=%s", made->architecture),
                     hd_strdup(arena, ptx),
                     "-o",
                     "/dev/null",
                     NULL};
    const int messages = memfd_create("heddle-ptxas", MFD_CLOEXEC);
    if (messages < 0)
        return hd_fail_errno(diag, HD_ESYSTEM, "ptxas", "run");
    const bool done = hd_run_tool(words, messages);
    length = (size_t)lseek(messages, 0, SEEK_END);
    text = hd_alloc(arena, length + 1);
    const bool is_read = pread(messages, text, length, 0) == (ssize_t)length;
    close(messages);
    if (!done || !is_read)
        return hd_fail(diag, HD_EINPUT, NULL, "ptxas does not assemble %s: %s", ptx,
                       complaint(text));
    read_messages(arena, text, made);
    return HD_OK;
}

const hd_ptxas_kernel *hd_ptxas_find(const hd_ptxas *made, const char *kernel) {
    const hd_ptxas_kernel *found = NULL;
    for (uint32_t k = 0; k < made->count; k++)
        if (!strcmp(made->kernels[k].symbol, kernel) ||
            (!found && !strcmp(made->kernels[k].name, kernel)))
            found = &made->kernels[k];
    return found;
}
