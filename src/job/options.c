/*
 * The compiler options of a job.
 *
 * A job may come from anybody, and clang does much more than compile: it loads plug-ins, reads
 * words from files, writes files, and starts programs that it is told of. So a job's options
 * are those of the table below, which change how source is read and compiled; the only files
 * that they name are headers. Names of files are seen from the job's folder.
 */
#include <ctype.h>
#include <unistd.h>

#include "job/job.h"

typedef enum value_form {
    NONE,     /* the word is the whole option */
    JOINED,   /* a value follows in the same word */
    APART,    /* a value is the next word */
    EITHER,   /* one of the two */
    WARNING,  /* -Wtext, but not what hands words on: -Wp,... */
    ANYTHING, /* whatever follows */
} value_form;

typedef struct option_form {
    const char *text;
    value_form value;
    bool is_path; /* the value is a folder or a header */
} option_form;

/* Options with a value. */
static const option_form forms[] = {
    {"-D", EITHER, false},
    {"-U", EITHER, false},
    {"-I", EITHER, true},
    {"-isystem", APART, true},
    {"-iquote", APART, true},
    {"-idirafter", APART, true},
    {"-include", APART, true},
    {"-std=", JOINED, false},
    {"--std=", JOINED, false},
    {"-cl-", ANYTHING, false},
    {"--cuda-path=", ANYTHING, true},
    {"--cuda-gpu-arch=", JOINED, false},
    {"--offload-arch=", JOINED, false},
    {"-ffp-contract=", JOINED, false},
    {"-arch=", JOINED, false},
    {"--gpu-architecture=", JOINED, false},
    {"-gencode", EITHER, false},
    {"--generate-code=", JOINED, false},
    {"-rdc=", JOINED, false},
    {"--relocatable-device-code=", JOINED, false},
    {"-expt-", ANYTHING, false},
    {"--expt-", ANYTHING, false},
    {"-W", WARNING, false},
};

/* Those that are a word, */
static const char words_alone[] =
    "-pedantic -O -O0 -O1 -O2 -O3 -Og -Os -Oz -Ofast -g -g0 -g1 -g2 -g3 -ggdb "
    "-gline-tables-only -m64 -w -extended-lambda --extended-lambda -lineinfo -use_fast_math "
    "--use_fast_math -mwavefrontsize64 -mno-wavefrontsize64";

/* and those that are -fNAME or -fno-NAME. */
static const char settings[] =
    "cuda-approx-transcendentals cuda-flush-denormals-to-zero gpu-approx-transcendentals "
    "gpu-flush-denormals-to-zero exceptions rtti fast-math associative-math "
    "finite-math-only honor-infinities honor-nans math-errno reciprocal-math "
    "rounding-math signed-zeros trapping-math unsafe-math-optimizations signed-char "
    "unsigned-char wrapv builtin inline inline-functions strict-aliasing unroll-loops "
    "vectorize";

static const option_form alone = {"", NONE, false};

static const option_form *form_of(const char *word) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const option_form *form = &forms[i];
        size_t length = strlen(form->text);
        if (strncmp(word, form->text, length) != 0)
            continue;
        const char *rest = word + length;
        if (form->value == WARNING) /* only letters, digits and these: no comma */
            while (isalnum((unsigned char)*rest) || (*rest && strchr("-_=+#", *rest)))
                rest++;
        bool whole = form->value == WARNING || form->value == APART;
        if (*rest ? !whole : form->value != JOINED)
            return form;
    }
    const char *setting = !strncmp(word, "-fno-", 5) ? word + 5
                          : !strncmp(word, "-f", 2)  ? word + 2
                                                     : "";
    return hd_has_word(words_alone, word) || hd_has_word(settings, setting) ? &alone : NULL;
}

/* Whether the value of this option is the next word. */
static bool takes_next(const option_form *form, const char *word) {
    return form->value == APART || (form->value == EITHER && !word[strlen(form->text)]);
}

static hd_status refuse(const hd_diag *diag, const hd_job *job, const char *word) {
    return hd_fail(diag, HD_EINPUT, &job->options_place,
                   "a job may not give the compiler the option '%.80s', since others could load "
                   "code, or read and write files; take it out, or say --trust-options if you "
                   "trust this job (docs/job.md lists the options)",
                   word);
}

/* Compilers put the words that a file holds in the place of @FILE, also where a value stands, and
 * clang gives itself a value of the same word as a word of its own. */
hd_status hd_job_check_options(hd_arena *arena, const hd_diag *diag, const hd_job *job) {
    uint32_t count;
    char **words = hd_split_words(arena, job->options, &count);
    for (uint32_t w = 0; w < count; w++) {
        const option_form *form = form_of(words[w]);
        if (!form || (form->value != NONE && words[w][strlen(form->text)] == '@'))
            return refuse(diag, job, words[w]);
        if (!takes_next(form, words[w]))
            continue;
        if (++w == count)
            return hd_fail(diag, HD_EINPUT, &job->options_place,
                           "the option '%s' needs a value after it", words[w - 1]);
        if (*words[w] == '@')
            return refuse(diag, job, words[w]);
    }
    return HD_OK;
}

void hd_job_place_options(hd_arena *arena, hd_job *job) {
    uint32_t count;
    char **words = hd_split_words(arena, job->options, &count);
    bool moved = false;
    for (uint32_t w = 0; w < count; w++) {
        const option_form *form = form_of(words[w]);
        if (!form)
            continue;
        bool next = takes_next(form, words[w]);
        size_t length = next ? 0 : strlen(form->text);
        w += next;
        if (!form->is_path || w == count)
            continue;
        const char *path = words[w] + length, *beside = hd_path_beside(arena, job->path, path);
        /* A header is also looked for in the folders, so one that is not beside the job keeps its
         * name. */
        if (!*path || (!strcmp(form->text, "-include") && access(beside, F_OK) != 0))
            continue;
        words[w] = hd_format(arena, "%.*s%s", (int)length, words[w], beside);
        moved = true;
    }
    if (moved)
        job->options = hd_join_words(arena, words, count);
}
