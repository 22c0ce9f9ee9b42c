/*
 * Textures by object: heddle_textures.h has them as reads of an array, and asks for the array and what
 * else is known of a texture by functions of these names. A kernel's parameter that is such an object
 * becomes a pointer to the array; what is asked of it becomes a parameter more:
 *
 *     k(cudaTextureObject_t tex)     k(ptr.global tex, i32 tex.width, i32 tex.linear)
 */
#include "frontend/clang/internal.h"

static const char prefix[] = "__heddle_texture_";

bool front_is_texture(LLVMValueRef argument) {
    for (LLVMUseRef use = LLVMGetFirstUse(argument); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMValueRef function = LLVMIsACallInst(user) ? LLVMGetCalledValue(user) : NULL;
        size_t length;
        if (function && LLVMIsAFunction(function) &&
            starts_with(LLVMGetValueName2(function, &length), prefix))
            return true;
    }
    return false;
}

uint32_t front_object_index(const front_lowering *l, LLVMValueRef object) {
    unsigned count = LLVMCountParams(l->function), index = 0;
    while (index < count && LLVMGetParam(l->function, index) != object)
        index++;
    return index < count ? index : KIR_NONE;
}

/* The array. Where it is read as elements of several types it has none. */
static kir_value data_of(front_lowering *l, const front_call *call, uint32_t index) {
    kir_param *param = &l->kernel->params[index];
    uint64_t kind[3];
    for (uint32_t i = 0; i < 3; i++) {
        const kir_inst *given = &l->out.insts.data[call->args[1 + i]];
        if (given->op != KIR_CONST) {
            front_cannot(l, "the type of a texture's elements is not known here");
            return 0;
        }
        kind[i] = given->imm[0];
    }
    /* "uchar4" of 2, 8, 4 */
    static const char *const sizes[] = {"char", "short", "int"};
    uint64_t bits = kind[1], lanes = kind[2];
    const char *name = kind[0] == 0 ? "float" : sizes[bits / 16];
    name = hd_format(l->arena, "%s%s", kind[0] == 2 ? "u" : "", name);
    const char *element = lanes == 1 ? name : hd_format(l->arena, "%s%u", name, (unsigned)lanes);
    bool is_another =
        param->object && (!param->element_type || strcmp(param->element_type, element) != 0);
    param->object = KIR_TEXTURE;
    param->is_const = true;
    param->bytes = 0;
    param->element_type = is_another ? NULL : element;
    param->element_bytes = is_another ? 0 : (uint32_t)(kind[1] / 8 * kind[2]);
    return front_leaf(&l->out, KIR_PARAM, param->type, NULL, index);
}

/* A number that a job gives: "tex.width". */
kir_value front_number_of_object(front_lowering *l, uint32_t index, const char *what) {
    kir_kernel *kernel = l->kernel;
    kir_type type = front_int_type(32, 1);
    const char *name = hd_format(l->arena, "%s.%s", kernel->params[index].name, what);
    uint32_t p = 0;
    while (p < kernel->param_count && strcmp(kernel->params[p].name, name) != 0)
        p++;
    if (p == kernel->param_count) {
        kir_param *params = hd_new_array(l->arena, kir_param, p + 1);
        memcpy(params, kernel->params, p * sizeof *params);
        params[p] = (kir_param){.name = name,
                                .type_name = "int",
                                .type = type,
                                .bytes = 4,
                                .object = kernel->params[index].object};
        kernel->params = params;
        kernel->param_count++;
    }
    return front_leaf(&l->out, KIR_PARAM, type, NULL, p);
}

bool front_lower_texture(front_lowering *l, front_call *call) {
    if (!starts_with(call->name, prefix))
        return false;
    uint32_t index = front_object_index(l, LLVMGetOperand(call->inst, 0));
    const char *what = call->name + strlen(prefix);
    if (index == KIR_NONE)
        front_cannot(l, "this texture is not a parameter of the kernel by itself, so that no job "
                        "could give its array; make the object one, outside of structs and arrays");
    else
        call->result = !strcmp(what, "data") ? data_of(l, call, index)
                                             : front_number_of_object(l, index, what);
    return true;
}
