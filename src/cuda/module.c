#include "cuda/module.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "cuda/cuda_array.h"
#include "cuda/cuda_children.h"
#include "cuda/cuda_memory.h"

typedef struct variable {
    const char *name;
    void *host;
    size_t bytes;
    bool managed;
} variable;

struct cuda_module {
    const char *name;
    bool is_hip;         /* machine code of AMD's; its kernels come from KERNELS */
    const void *wrapper; /* of a program's fat binary, or NULL: loaded by hand */
    const cuda_ptx_text *text;
    hd_ptx_module *loaded; /* NULL: not read, or not to be read */
    cuda_error failed;
    hd_vec(variable) variables;
    hd_vec(void *) addresses; /* of variables, as cuda_memory knows them */
    hd_vec(cuda_kernel *) kernels;
};

struct cuda_modules {
    hd_vec(cuda_module *) all;
    hd_hash_table by_host; /* host function -> place in `kernels` */
    hd_vec(cuda_kernel *) kernels;
    hd_hash_table variables_by_host; /* host variable -> place in `variables` */
    hd_vec(struct {
        cuda_module *module;
        uint32_t at;
    }) variables;
};

cuda_modules *cuda_modules_new(cuda_process *p) {
    cuda_modules *m = hd_new(p->arena, cuda_modules);
    m->by_host.arena = m->variables_by_host.arena = p->arena;
    return m;
}

bool cuda_modules_any(const cuda_process *p) { return p->modules->all.count > 0; }

/* ---- reading ------------------------------------------------------------------------------------ */

static cuda_module *new_module(cuda_process *p, const char *name, const void *wrapper) {
    cuda_module *module = cuda_handle_new(p, CUDA_MODULE, sizeof *module);
    module->name = hd_strdup(p->arena, name);
    module->wrapper = wrapper;
    hd_push(p->arena, &p->modules->all, module);
    return module;
}

/* The files, with ':' between them, that have the kernels of HIP programs as kir, made of their sources
 * (heddle run --source). */
static const char KERNELS[] = "HEDDLE_KERNELS";

static bool is_of_hip(const void *wrapper) {
    static const char magic[] = {'F', 'P', 'I', 'H'};
    return !memcmp(wrapper, magic, sizeof magic);
}

cuda_module *cuda_module_register(cuda_process *p, const void *wrapper) {
    Dl_info info = {0};
    const char *file = dladdr(wrapper, &info) && info.dli_fname ? info.dli_fname : "the program";
    const char *name =
        hd_format(p->arena, "%s (fat binary %zu)", hd_path_name(file), p->modules->all.count + 1);
    cuda_module *module = new_module(p, name, wrapper);
    module->is_hip = is_of_hip(wrapper);
    return module;
}

/* A kernel of the module, for messages. */
static const char *some_kernel(const cuda_module *module) {
    return module->kernels.count ? module->kernels.data[0]->name : "none";
}

/* The text of a binary that the device takes; NULL: it has none. */
static cuda_error take_text(cuda_process *p, const cuda_module *module, const void *binary,
                            size_t size, const cuda_ptx_text **text) {
    cuda_fatbin fatbin;
    if (cuda_fatbin_read(p->arena, &p->diag, module->name, binary, size, &fatbin))
        return CUDA_INVALID_IMAGE;
    *text = cuda_fatbin_choose(&fatbin, 10 * p->device.major + p->device.minor);
    return CUDA_SUCCESS;
}

/* The texts of a linked program's parts, one behind the other, which links them. */
static cuda_error take_parts(cuda_process *p, cuda_module *module) {
    const void *const *part = cuda_fatbin_parts(module->wrapper);
    const cuda_ptx_text *text;
    cuda_ptx_text all = {0};
    hd_str joined = {.arena = p->arena};
    cuda_error error = CUDA_SUCCESS;
    for (; part && *part && !error; part++) {
        error = take_text(p, module, *part, cuda_fatbin_size(*part), &text);
        if (error || !text)
            continue;
        hd_str_printf(&joined, "%s\n", text->text);
        all.architecture =
            text->architecture > all.architecture ? text->architecture : all.architecture;
    }
    if (error || !joined.length)
        return error;
    all.text = hd_str_text(&joined);
    all.length = joined.length;
    cuda_ptx_text *made = hd_new(p->arena, cuda_ptx_text);
    *made = all;
    module->text = made;
    return CUDA_SUCCESS;
}

static cuda_error choose_text(cuda_process *p, cuda_module *module, const void *binary,
                              size_t size) {
    cuda_error error = take_text(p, module, binary, size, &module->text);
    if (!error && !module->text && module->wrapper)
        error = take_parts(p, module);
    if (error || module->text)
        return error;
    cuda_say(p,
             "error: %s (with kernel %s) holds machine code alone, which only a GPU can run; build "
             "the program with PTX in it: nvcc -gencode arch=compute_75,code=compute_75",
             module->name, some_kernel(module));
    return CUDA_NO_BINARY_FOR_GPU;
}

/* What is known of the program's variables when their module has been read. */
static void place_variables(cuda_process *p, cuda_module *module) {
    for (size_t i = 0; i < module->variables.count; i++) {
        const variable *v = &module->variables.data[i];
        void *address;
        size_t bytes;
        if (!hd_ptx_variable(module->loaded, v->name, &address, &bytes))
            continue;
        cuda_memory_add_variable(p, address, bytes);
        hd_push(p->arena, &module->addresses, address);
        if (v->managed)
            *(void **)v->host = address;
    }
}

/* The first of its parts decides. */
static bool is_of_later_version(const cuda_ptx_text *text) {
    const char *version = strstr(text->text, ".version");
    return version && strtoul(version + strlen(".version"), NULL, 10) > HD_PTX_VERSION_MOST;
}

/* Whether the file has the module's kernels; then it is loaded. */
static bool take_kernels(cuda_process *p, cuda_module *module, const char *file) {
    cuda_ptx_text *text = hd_new(p->arena, cuda_ptx_text);
    char *data;
    if (hd_read_file(p->arena, &p->diag, file, &data, &text->length) ||
        hd_ptx_load(p->machine, hd_path_name(file), data, text->length, &module->loaded))
        return false;
    text->text = data;
    module->text = text;
    if (!module->kernels.count || hd_ptx_has(module->loaded, module->kernels.data[0]->name))
        return true;
    hd_ptx_unload(module->loaded);
    module->loaded = NULL;
    return false;
}

static cuda_error load_kernels(cuda_process *p, cuda_module *module) {
    const char *files = getenv(KERNELS);
    while (files && *files) {
        const size_t length = strcspn(files, ":");
        if (take_kernels(p, module, hd_strndup(p->arena, files, length)))
            return CUDA_SUCCESS;
        files += length + (files[length] == ':');
    }
    cuda_say(p,
             "error: %s (with kernel %s) holds machine code of an AMD GPU, and no source that "
             "'heddle run --source FILE -- PROGRAM' names has that kernel",
             module->name, some_kernel(module));
    return CUDA_NO_BINARY_FOR_GPU;
}

hd_ptx_module *cuda_module_loaded(const cuda_module *module) { return module->loaded; }

cuda_error cuda_module_need(cuda_process *p, cuda_module *module) {
    if (module->loaded || module->failed)
        return module->failed;
    if (module->is_hip) {
        module->failed = load_kernels(p, module);
        if (!module->failed)
            place_variables(p, module);
        return module->failed;
    }
    if (!module->text) {
        const void *binary = cuda_fatbin_unwrap(module->wrapper);
        size_t size = binary ? cuda_fatbin_size(binary) : 0;
        module->failed = size ? choose_text(p, module, binary, size) : CUDA_INVALID_IMAGE;
    }
    const cuda_ptx_text *linked =
        module->failed ? NULL : cuda_children_link(p->arena, module->text);
    if (linked)
        module->text = linked;
    if (!module->failed && hd_ptx_load(p->machine, module->name, module->text->text,
                                       module->text->length, &module->loaded))
        module->failed =
            is_of_later_version(module->text) ? CUDA_UNSUPPORTED_PTX_VERSION : CUDA_INVALID_PTX;
    if (linked && module->loaded)
        cuda_children_prepare(p, module->loaded);
    if (!module->failed)
        place_variables(p, module);
    return module->failed;
}

cuda_error cuda_module_text(cuda_process *p, const char *name, const void *image,
                            const cuda_ptx_text **text) {
    const cuda_module module = {.name = name};
    const void *binary = cuda_fatbin_unwrap(image);
    if (!binary)
        binary = image;
    size_t size = cuda_fatbin_size(binary);
    cuda_error error = size ? take_text(p, &module, binary, size, text) : CUDA_INVALID_IMAGE;
    return error || *text ? error : CUDA_NO_BINARY_FOR_GPU;
}

cuda_error cuda_module_load(cuda_process *p, const char *name, const void *image,
                            cuda_module **result) {
    const void *binary = cuda_fatbin_unwrap(image);
    if (!binary)
        binary = image;
    size_t size = cuda_fatbin_size(binary);
    cuda_module *module = new_module(p, name, NULL);
    cuda_error error = CUDA_SUCCESS;
    if (size) {
        error = choose_text(p, module, binary, size);
    } else if (!memcmp(binary, "\177ELF", 4)) {
        cuda_say(p, "error: %s is machine code, which only a GPU can run; load its PTX", name);
        error = CUDA_NO_BINARY_FOR_GPU;
    } else {
        cuda_ptx_text *text = hd_new(p->arena, cuda_ptx_text);
        text->length = strlen(binary);
        text->text = hd_strndup(p->arena, binary, text->length);
        module->text = text;
    }
    if (!error)
        error = cuda_module_need(p, module);
    if (error)
        cuda_module_remove(p, module);
    else
        *result = module;
    return error;
}

/* ---- the end of modules --------------------------------------------------------------------------- */

static void unload(cuda_process *p, cuda_module *module) {
    for (size_t i = 0; i < module->addresses.count; i++) {
        cuda_reference_drop(p, module->addresses.data[i]);
        cuda_memory_remove_variable(p, module->addresses.data[i]);
    }
    module->addresses.count = 0;
    if (module->loaded)
        hd_ptx_unload(module->loaded);
    module->loaded = NULL;
    for (size_t i = 0; i < module->kernels.count; i++)
        module->kernels.data[i]->found = NULL;
}

void cuda_modules_unload(cuda_process *p) {
    for (size_t i = 0; i < p->modules->all.count; i++)
        unload(p, p->modules->all.data[i]);
}

void cuda_module_remove(cuda_process *p, cuda_module *module) {
    unload(p, module);
    cuda_modules *m = p->modules;
    for (size_t i = 0; i < m->all.count; i++)
        if (m->all.data[i] == module) {
            memmove(&m->all.data[i], &m->all.data[i + 1],
                    (m->all.count - i - 1) * sizeof(cuda_module *));
            m->all.count--;
            break;
        }
    /* Kernels that the host's functions stand for are found no more, but stay in memory. */
    for (size_t i = 0; i < module->kernels.count; i++) {
        cuda_kernel *kernel = module->kernels.data[i];
        hd_hash_set(&p->handles, (uint64_t)(uintptr_t)kernel, CUDA_NO_HANDLE);
        for (size_t k = 0; k < m->kernels.count; k++)
            if (m->kernels.data[k] == kernel)
                m->kernels.data[k] = NULL;
    }
    for (size_t i = 0; i < m->variables.count; i++)
        if (m->variables.data[i].module == module)
            m->variables.data[i].module = NULL;
    cuda_handle_free(p, module);
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

static cuda_kernel *add_kernel(cuda_process *p, cuda_module *module, const char *name) {
    cuda_kernel *kernel = cuda_handle_new(p, CUDA_KERNEL, sizeof *kernel);
    kernel->module = module;
    kernel->name = hd_strdup(p->arena, name);
    kernel->carveout = -1;
    hd_push(p->arena, &module->kernels, kernel);
    return kernel;
}

void cuda_module_add_kernel(cuda_process *p, cuda_module *module, const void *host,
                            const char *name) {
    cuda_modules *m = p->modules;
    hd_hash_set(&m->by_host, (uint64_t)(uintptr_t)host, m->kernels.count);
    hd_push(p->arena, &m->kernels, add_kernel(p, module, name));
}

cuda_error cuda_kernel_need(cuda_process *p, cuda_kernel *kernel) {
    cuda_error error = cuda_module_need(p, kernel->module);
    if (error || kernel->found)
        return error;
    kernel->found = hd_ptx_find(kernel->module->loaded, kernel->name);
    if (!kernel->found)
        return hd_ptx_has(kernel->module->loaded, kernel->name) ? CUDA_INVALID_PTX
                                                                : CUDA_INVALID_DEVICE_FUNCTION;
    kernel->facts = hd_ptx_facts(kernel->found);
    return CUDA_SUCCESS;
}

cuda_error cuda_kernel_of_host(cuda_process *p, const void *host, cuda_kernel **kernel) {
    uint64_t at = hd_hash_get(&p->modules->by_host, (uint64_t)(uintptr_t)host);
    if (cuda_handle_is(p, host, CUDA_KERNEL))
        *kernel = (cuda_kernel *)(uintptr_t)host;
    else if (at != HD_NO_VALUE && p->modules->kernels.data[at])
        *kernel = p->modules->kernels.data[at];
    else
        return CUDA_INVALID_DEVICE_FUNCTION;
    return CUDA_SUCCESS;
}

cuda_error cuda_kernel_named(cuda_process *p, cuda_module *module, const char *name,
                             cuda_kernel **kernel) {
    cuda_error error = cuda_module_need(p, module);
    if (error)
        return error;
    for (size_t i = 0; i < module->kernels.count; i++)
        if (!strcmp(module->kernels.data[i]->name, name)) {
            *kernel = module->kernels.data[i];
            return cuda_kernel_need(p, *kernel);
        }
    if (!hd_ptx_has(module->loaded, name))
        return CUDA_NOT_FOUND;
    *kernel = add_kernel(p, module, name);
    return cuda_kernel_need(p, *kernel);
}

uint32_t cuda_module_kernel_count(const cuda_module *module) {
    return module->loaded ? hd_ptx_kernel_count(module->loaded) : 0;
}

cuda_error cuda_kernel_at(cuda_process *p, cuda_module *module, uint32_t index,
                          cuda_kernel **kernel) {
    const hd_ptx_kernel *found = hd_ptx_kernel_at(module->loaded, index);
    return found ? cuda_kernel_named(p, module, hd_ptx_kernel_name(found), kernel)
                 : CUDA_INVALID_PTX;
}

uint32_t cuda_kernel_most_threads(const cuda_process *p, const cuda_kernel *kernel) {
    int most;
    cuda_device_attribute(&p->device, 1, &most);
    uint32_t own = kernel->facts.most_threads;
    return own && own < (uint32_t)most ? own : (uint32_t)most;
}

uint64_t cuda_kernel_most_shared(const cuda_process *p, const cuda_kernel *kernel) {
    uint64_t own = kernel->facts.static_shared, all = p->device.shared;
    return kernel->has_most_shared ? kernel->most_shared : all > own ? all - own : 0;
}

bool cuda_kernel_takes_shared(const cuda_process *p, const cuda_kernel *kernel, uint64_t bytes) {
    return bytes + kernel->facts.static_shared <= p->device.shared || bytes <= kernel->most_shared;
}

cuda_error cuda_kernel_set_most_shared(const cuda_process *p, cuda_kernel *kernel, int64_t bytes) {
    if (bytes < 0 || (uint64_t)bytes + kernel->facts.static_shared > p->device.shared_opt_in)
        return CUDA_INVALID_VALUE;
    kernel->most_shared = (uint64_t)bytes;
    kernel->has_most_shared = true;
    return CUDA_SUCCESS;
}

uint32_t cuda_kernel_blocks(const cuda_process *p, const cuda_kernel *kernel, uint32_t threads,
                            uint64_t shared) {
    return threads > cuda_kernel_most_threads(p, kernel)
               ? 0
               : cuda_device_blocks(&p->device, threads, kernel->facts.registers,
                                    shared + kernel->facts.static_shared);
}

uint32_t cuda_kernel_most_cluster(const cuda_kernel *kernel) {
    return kernel->takes_large_clusters ? 16 : 8;
}

void cuda_kernel_param(const cuda_kernel *kernel, uint32_t index, uint32_t *offset,
                       uint32_t *bytes) {
    hd_ptx_param(kernel->found, index, offset, bytes);
}

uint32_t cuda_kernel_architecture(const cuda_kernel *kernel) {
    if (kernel->facts.architecture) /* of linked texts each has its own */
        return kernel->facts.architecture;
    return kernel->module->text ? kernel->module->text->architecture : 0;
}

const cuda_ptx_text *cuda_kernel_text(const cuda_kernel *kernel) { return kernel->module->text; }

/* ---- variables -------------------------------------------------------------------------------------- */

void cuda_module_add_variable(cuda_process *p, cuda_module *module, void *host, const char *name,
                              size_t bytes, bool managed) {
    cuda_modules *m = p->modules;
    hd_hash_set(&m->variables_by_host, (uint64_t)(uintptr_t)host, m->variables.count);
    hd_push(p->arena, &m->variables,
            (__typeof__(*m->variables.data)){module, (uint32_t)module->variables.count});
    hd_push(p->arena, &module->variables,
            (variable){hd_strdup(p->arena, name), host, bytes, managed});
}

cuda_error cuda_variable_named(cuda_process *p, cuda_module *module, const char *name,
                               void **address, size_t *bytes) {
    cuda_error error = cuda_module_need(p, module);
    if (error)
        return error;
    if (!hd_ptx_variable(module->loaded, name, address, bytes))
        return CUDA_NOT_FOUND;
    cuda_memory_add_variable(p, *address, *bytes);
    if (!cuda_memory_at(p, *address))
        return CUDA_NOT_FOUND;
    hd_push(p->arena, &module->addresses, *address);
    return CUDA_SUCCESS;
}

cuda_error cuda_variable_of_host(cuda_process *p, const void *host, void **address, size_t *bytes) {
    cuda_modules *m = p->modules;
    uint64_t at = hd_hash_get(&m->variables_by_host, (uint64_t)(uintptr_t)host);
    if (at == HD_NO_VALUE || !m->variables.data[at].module)
        return CUDA_INVALID_SYMBOL;
    cuda_module *module = m->variables.data[at].module;
    const variable *v = &module->variables.data[m->variables.data[at].at];
    cuda_error error = cuda_module_need(p, module);
    if (!error && !hd_ptx_variable(module->loaded, v->name, address, bytes))
        error = CUDA_INVALID_SYMBOL;
    return error;
}
