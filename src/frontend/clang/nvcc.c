/*
 * Options of nvcc, as they stand in makefiles and compile_commands.json, as clang takes them. Most
 * say what to do with the code that is made, or something to other programs: they go. What clang
 * has, too, stays as it is.
 *
 *     -gencode arch=compute_86,code=sm_86 -rdc=true --expt-relaxed-constexpr -Xcompiler -Wall -lm
 *     --cuda-gpu-arch=sm_86
 */
#include <ctype.h>
#include <stdlib.h>

#include "frontend/clang/internal.h"

/* What has no meaning here; those of the second kind are followed by a word, unless it stands
 * behind an equals sign. */
static const char alone[] =
    "-G --device-debug -lineinfo --generate-line-info -use_fast_math --use_fast_math -dc -dw "
    "-dlink "
    "--device-c --device-w --device-link -c --compile -extended-lambda --extended-lambda "
    "-expt-extended-lambda --expt-extended-lambda -expt-relaxed-constexpr "
    "--expt-relaxed-constexpr -extra-device-vectorization --extra-device-vectorization "
    "-forward-unknown-to-host-compiler --forward-unknown-to-host-compiler "
    "-forward-unknown-to-host-linker -forward-unknown-opts -res-usage --resource-usage -keep "
    "--keep "
    "-lib --lib -link --link -m64 -clean -dryrun --dryrun -restrict --restrict -MD -MMD -MP "
    "-source-in-ptx --source-in-ptx --display-error-number -no-display-error-number "
    "-allow-unsupported-compiler --allow-unsupported-compiler -split-compile-extended -shared "
    "--shared -cubin --cubin -ptx --ptx -fatbin --fatbin -cuda --cuda -run --run";
static const char with_word[] =
    "-rdc --relocatable-device-code -Xcompiler --compiler-options -Xptxas --ptxas-options -Xlinker "
    "--linker-options -Xcudafe -Xnvlink --nvlink-options -Xarchive --archive-options -Xfatbin "
    "-ccbin --compiler-bindir -maxrregcount --maxrregcount -t --threads -x --x -cudart --cudart "
    "-cudadevrt --cudadevrt -o --output-file -odir --output-directory -keep-dir --keep-dir "
    "-diag-suppress --diag-suppress -diag-error --diag-error -diag-warn --diag-warn "
    "-default-stream --default-stream -ftz --ftz -prec-div --prec-div -prec-sqrt --prec-sqrt "
    "-code --gpu-code -Werror --Werror -nvlink-options -MT -MF -MQ -L --library-path -l --library "
    "-ccbin --compress-mode -time --time -split-compile --split-compile "
    "-static-global-template-stub "
    "--static-global-template-stub -std-host --m --machine -host-linker-script";

/* The word's part before an equals sign is one of these. */
static bool is_named(const front_state *front, const char *list, const char *word) {
    return hd_has_word(list, hd_strndup(front->arena, word, strcspn(word, "=")));
}

/* What stands behind the sign, or the next word; NULL: the word is none of `names`. */
static const char *value_of(const front_state *front, const char *names, uint32_t *i) {
    const char *word = front->options[*i], *equals = strchr(word, '=');
    if (!is_named(front, names, word))
        return NULL;
    if (equals)
        return equals + 1;
    return *i + 1 < front->option_count ? front->options[++*i] : "";
}

/* "sm_86" in arch=compute_86,code=sm_86. What clang has not, or what has no functions of a warp with
 * a mask, is the nearest that has. */
static void add_architecture(front_state *front, const char *text) {
    const char *found = strstr(text, "sm_"), *virtual_one = strstr(text, "compute_");
    found = virtual_one ? virtual_one + strlen("compute_") : found ? found + strlen("sm_") : text;
    unsigned long number = strtoul(found, NULL, 10);
    if (number)
        front->architecture = number < 70 ? 70 : number > 90 ? 90 : (unsigned)number;
}

static bool is_library(const char *word) {
    return (word[1] == 'l' || word[1] == 'L') && word[0] == '-' && word[2] && word[1] != '-' &&
           strcmp(word, "-lineinfo") != 0;
}

void front_translate_nvcc(front_state *front) {
    front_words words = {0};
    for (uint32_t i = 0; i < front->option_count; i++) {
        const char *word = front->options[i], *value;
        if ((value = value_of(front, "-arch --gpu-architecture -gencode --generate-code", &i)))
            add_architecture(front, value);
        else if ((value = value_of(front, "-fmad --fmad", &i)))
            hd_push(front->arena, &words, *value == 'f' ? "-ffp-contract=off" : "-ffp-contract=on");
        else if ((value = value_of(front, "--include-path --system-include", &i)))
            hd_push(front->arena, &words, hd_format(front->arena, "-I%s", value));
        else if ((value = value_of(front, "--define-macro", &i)))
            hd_push(front->arena, &words, hd_format(front->arena, "-D%s", value));
        else if ((value = value_of(front, "--undefine-macro", &i)))
            hd_push(front->arena, &words, hd_format(front->arena, "-U%s", value));
        else if ((value = value_of(front, "--pre-include", &i))) {
            hd_push(front->arena, &words, "-include");
            hd_push(front->arena, &words, value);
        } else if (starts_with(word, "--std=")) {
            hd_push(front->arena, &words, word + 1);
        } else if (!value_of(front, with_word, &i) && !hd_has_word(alone, word) &&
                   !is_library(word)) {
            hd_push(front->arena, &words, word);
        }
    }
    front->option_count = (uint32_t)words.count;
    front->options = hd_new_array(front->arena, char *, words.count);
    for (size_t i = 0; i < words.count; i++)
        front->options[i] = hd_strdup(front->arena, words.data[i]);
}
