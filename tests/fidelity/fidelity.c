/*
 * docs/fidelity.md: all that Heddle has of PTX and CUDA, by the tables that it runs from, each row with a
 * test that shows it. A test shows an instruction where it has it in a text, and a call where it calls it.
 *
 *     fidelity SOURCE       prints the page; exit status 1: a row has no test, and is named
 */
#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/result.h"
#include "frontend/ptx/ast.h"
#include "kernel/cuda_calls.h"

typedef struct shown {
    hd_feature feature;
    const char *test; /* NULL: none found so far */
} shown;

typedef struct page {
    hd_arena *arena;
    hd_vec(shown) ptx, calls;
    const char *file; /* at work, below tests/ */
    bool is_ptx;      /* which has instructions */
} page;

/* ---- tests ------------------------------------------------------------------------------------------ */

static void mark(shown *rows, size_t count, const char *group, const char *name, const char *test) {
    for (size_t i = 0; i < count; i++)
        if (!rows[i].test && !strcmp(rows[i].feature.name, name) &&
            (!group || !strcmp(rows[i].feature.group, group)))
            rows[i].test = test;
}

static bool is_of_opcode(char c) {
    return isalnum((unsigned char)c) || c == '.' || c == '_' || c == ':';
}

/* A word with dots, as an instruction; and one behind %, as a register. */
static void take_word(page *p, const char *word, size_t length) {
    char *text = hd_strndup(p->arena, word, length);
    while (length && (text[length - 1] == '.' || text[length - 1] == ':'))
        text[--length] = '\0';
    if (*text == '%') {
        mark(p->ptx.data, p->ptx.count, "registers", text, p->file);
        return;
    }
    const char *words[32];
    ptx_inst inst = {.words = words};
    for (char *at = text; inst.word_count < 32; at++) {
        words[inst.word_count++] = at;
        at += strcspn(at, ".");
        if (!*at)
            break;
        *at = '\0';
    }
    const hd_feature feature = ptx_feature_of(&inst);
    if (feature.name)
        mark(p->ptx.data, p->ptx.count, feature.group, feature.name, p->file);
    mark(p->ptx.data, p->ptx.count, "functions", words[0], p->file);
    mark(p->ptx.data, p->ptx.count, "registers", words[0], p->file); /* WARP_SZ */
}

/* CUDA's headers make the latest version of a call of its plain name. */
static void take_call(page *p, const char *name) {
    const char *const versions[] = {hd_format(p->arena, "%s_v3", name),
                                    hd_format(p->arena, "%s_v2", name)};
    mark(p->calls.data, p->calls.count, NULL, name, p->file);
    for (size_t v = 0; v < 2; v++)
        if (hd_ends_in(p->file, ".cu") && hd_cuda_feature(versions[v]).name) {
            mark(p->calls.data, p->calls.count, NULL, versions[v], p->file);
            return;
        }
}

static void take_text(page *p, const char *text) {
    while (*text) {
        size_t length = *text == '%';
        length += text[length] == '%'; /* as printf has it */
        const char *word = text + (length == 2);
        while (is_of_opcode(text[length]))
            length++;
        const char *name = hd_strndup(p->arena, text, length);
        if (p->is_ptx && length && !isdigit((unsigned char)*text))
            take_word(p, word, (size_t)(text + length - word));
        if (!strncmp(name, "cu", 2))
            take_call(p, name);
        text += length ? length : 1;
    }
}

/* Functions of CUDA's headers that are these instructions. */
static void take_functions(page *p, const char *text) {
    static const char *const functions[][3] = {
        {"ptx::red_async(", "bulk copies", "red.async"},
        {"tex2Dgather<", "textures and surfaces", "tld4"},
        {"surf2Dread<", "textures and surfaces", "suld"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strstr(text, functions[i][0]))
            mark(p->ptx.data, p->ptx.count, functions[i][1], functions[i][2], p->file);
}

static void take_file(page *p, const char *source, const char *name) {
    char *text;
    size_t length;
    p->file = name;
    if (!hd_read_file(p->arena, &(hd_diag){0}, hd_format(p->arena, "%s/tests/%s", source, name),
                      &text, &length)) {
        take_text(p, text);
        take_functions(p, text);
    }
}

static void take_folder(page *p, const char *source, const char *folder, bool is_ptx) {
    struct dirent **entries;
    const char *path = hd_format(p->arena, "%s/tests/%s", source, folder);
    int count = scandir(path, &entries, NULL, alphasort);
    p->is_ptx = is_ptx;
    for (int i = 0; i < count; i++) {
        static const char *const ends[] = {".c", ".cu", ".ptx", ".h"};
        const char *name = entries[i]->d_name;
        for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
            if (hd_ends_in(name, ends[e]))
                take_file(p, source, hd_format(p->arena, "%s/%s", folder, name));
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

/* What nvcc writes for a launch and a variable, which no text of a test has. */
static void take_implied(page *p) {
    static const char *const implied[][2] = {
        {"__cudaPushCallConfiguration", "cuda/programs/sums.cu"},
        {"__cudaPopCallConfiguration", "cuda/programs/sums.cu"},
        {"__cudaRegisterFatBinary", "cuda/programs/sums.cu"},
        {"__cudaRegisterFatBinaryEnd", "cuda/programs/sums.cu"},
        {"__cudaUnregisterFatBinary", "cuda/programs/sums.cu"},
        {"__cudaRegisterFunction", "cuda/programs/sums.cu"},
        {"__cudaInitModule", "cuda/programs/sums.cu"},
        {"__cudaLaunchKernel", "cuda/programs/sums.cu"},
        {"__cudaGetKernel", "cuda/programs/sums.cu"},
        {"__cudaRegisterVar", "cuda/programs/symbols.cu"},
        {"__cudaRegisterManagedVar", "cuda/programs/managed.cu"}};
    for (size_t i = 0; i < sizeof implied / sizeof *implied; i++)
        mark(p->calls.data, p->calls.count, NULL, implied[i][0], implied[i][1]);
}

/* Other names of a call are shown by its test; what is refused, by the one that goes by the table. */
static void take_others(page *p) {
    static const char same[] = "the same as ";
    for (size_t i = 0; i < p->calls.count; i++) {
        shown *row = &p->calls.data[i];
        const char *how = row->feature.how ? row->feature.how : "";
        if (row->feature.fidelity == HD_IS_REFUSED)
            row->test = "cuda/test_refused.sh";
        for (size_t k = 0; !row->test && !strncmp(how, same, sizeof same - 1) && k < p->calls.count;
             k++)
            if (!strcmp(p->calls.data[k].feature.name, how + sizeof same - 1))
                row->test = p->calls.data[k].test;
    }
}

/* ---- the page --------------------------------------------------------------------------------------- */

static void add_rows(hd_str *out, const shown *rows, size_t count) {
    hd_str_add(out, "| | of | is | | test |\n|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        const hd_feature *f = &rows[i].feature;
        hd_str_printf(out, "| `%s` | %s | %s | %s | %s |\n", f->name, f->group,
                      hd_fidelity_name(f->fidelity), f->how ? f->how : "",
                      rows[i].test ? rows[i].test : "**none**");
    }
}

/* "2 approximate, 3 exact, 1 refused" */
static void add_sums(hd_str *out, const shown *rows, size_t count) {
    size_t of[3] = {0};
    for (size_t i = 0; i < count; i++)
        of[rows[i].feature.fidelity]++;
    hd_str_printf(out, "%zu rows: %zu exact, %zu approximate, %zu refused.\n\n", count,
                  of[HD_IS_EXACT], of[HD_IS_APPROXIMATE], of[HD_IS_REFUSED]);
}

static int name_missing(const shown *rows, size_t count) {
    int missing = 0;
    for (size_t i = 0; i < count; i++)
        if (!rows[i].test) {
            fprintf(stderr, "no test has %s (%s, %s)\n", rows[i].feature.name,
                    rows[i].feature.group, hd_fidelity_name(rows[i].feature.fidelity));
            missing = 1;
        }
    return missing;
}

int main(int argc, char **argv) {
    page p = {.arena = hd_arena_new()};
    hd_features ptx = {0}, calls = {0};
    hd_str out = {.arena = p.arena};
    if (argc != 2)
        return 2;
    ptx_add_features(p.arena, &ptx);
    hd_cuda_add_features(p.arena, &calls);
    for (size_t i = 0; i < ptx.count; i++)
        hd_push(p.arena, &p.ptx, (shown){.feature = ptx.data[i]});
    for (size_t i = 0; i < calls.count; i++)
        hd_push(p.arena, &p.calls, (shown){.feature = calls.data[i]});
    take_folder(&p, argv[1], "machine", true);
    take_folder(&p, argv[1], "cuda/programs", true);
    take_folder(&p, argv[1], "cuda/kept", true);
    take_folder(&p, argv[1], "cuda", false);
    take_implied(&p);
    take_others(&p);
    hd_str_add(
        &out,
        "# What Heddle has of PTX and CUDA\n\n"
        "Made by `./run docs` from the tables that Heddle runs from; `heddle device list "
        "--features` "
        "prints the same, and `heddle run --dry -- PROGRAM` what of it a program has.\n\n"
        "**exact**: the results that PTX ISA or CUDA's manuals fix, bit for bit where they do. "
        "**approximate**: other bits than a GPU's, or no effect, as said beside it. **refused**: "
        "an "
        "error that names the place when it is met; all others of a program work. An instruction "
        "is "
        "named by the words that decide, whatever types stand behind them; one with types or "
        "shapes that are not there is refused at its line. The test is the first below `tests/` "
        "that "
        "has it.\n\n## PTX\n\n");
    add_sums(&out, p.ptx.data, p.ptx.count);
    add_rows(&out, p.ptx.data, p.ptx.count);
    hd_str_add(&out, "\n## Calls of CUDA\n\n");
    add_sums(&out, p.calls.data, p.calls.count);
    add_rows(&out, p.calls.data, p.calls.count);
    fputs(hd_str_text(&out), stdout);
    int missing = name_missing(p.ptx.data, p.ptx.count);
    missing |= name_missing(p.calls.data, p.calls.count);
    hd_arena_free(p.arena);
    return missing;
}
