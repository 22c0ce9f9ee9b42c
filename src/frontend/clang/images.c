/*
 * Images and samplers of OpenCL C: heddle_images.h has the functions that read and write them, and asks
 * for the texels of an image and what else is known of it by functions of these names. A kernel's
 * parameter that is an image becomes a pointer to its texels, a sampler a number; what is asked of an
 * image becomes a parameter more, unless the options tell it (KIR_KNOWN_OPTION):
 *
 *     k(read_only image2d_t in, sampler_t s)
 *     k(ptr.global in, i32 s, i32 in.width, i32 in.order, i32 in.type)
 *
 * What they tell is put in before the passes, so that of the code for all formats only that for the
 * known one stays.
 */
#include <stdlib.h>

#include "frontend/clang/internal.h"

static const char image_prefix[] = "__heddle_image_", sampler_name[] = "__heddle_sampler",
                  translation[] = "__translate_sampler_initializer";

/* ---- what is told ----------------------------------------------------------------------------- */

/* The text behind the '=' of the option for this parameter, or for all of its kind; NULL: none. */
static const char *told(const front_state *front, const char *kernel, const kir_param *param) {
    const char *all = param->object == KIR_IMAGE ? "images=" : "samplers=", *found = NULL;
    const char *own = hd_format(front->arena, "%s.%s=", kernel, param->name);
    for (size_t i = 0; i < front->known.count; i++) {
        const char *text = front->known.data[i];
        if (starts_with(text, own))
            return text + strlen(own);
        if (starts_with(text, all))
            found = text + strlen(all);
    }
    return found && *found ? found : NULL;
}

/* Zeros where nothing is told. */
static kir_image_format told_format(const front_state *front, const char *kernel,
                                    const kir_param *param) {
    const char *text = told(front, kernel, param);
    char *end;
    kir_image_format format = {0};
    if (!text)
        return format;
    format.order = (uint32_t)strtoul(text, &end, 0);
    format.type = *end == ',' ? (uint32_t)strtoul(end + 1, NULL, 0) : 0;
    return kir_image_texel(front->arena, format) ? format : (kir_image_format){0};
}

/* ---- before the passes --------------------------------------------------------------------------- */

/* The kernel that has this as a parameter, which is an object. */
static const front_signature *signature_with(const front_state *front, LLVMValueRef argument,
                                             uint32_t *index) {
    LLVMValueRef function = LLVMIsAArgument(argument) ? LLVMGetParamParent(argument) : NULL;
    size_t length;
    for (size_t s = 0; function && s < front->signatures.count; s++) {
        const front_signature *signature = &front->signatures.data[s];
        if (strcmp(signature->name, LLVMGetValueName2(function, &length)) ||
            signature->param_count != LLVMCountParams(function))
            continue;
        for (*index = 0; *index < signature->param_count; ++*index)
            if (LLVMGetParam(function, *index) == argument && signature->params[*index].object)
                return signature;
    }
    return NULL;
}

/* The number that a call asks for; NULL: it is not told. */
static LLVMValueRef known_number(const front_state *front, LLVMValueRef call, const char *name) {
    LLVMValueRef object = LLVMGetOperand(call, 0);
    LLVMTypeRef type = LLVMTypeOf(call);
    size_t length;
    if (LLVMIsACallInst(object) && LLVMIsAFunction(LLVMGetCalledValue(object)) &&
        !strcmp(LLVMGetValueName2(LLVMGetCalledValue(object), &length), translation))
        return LLVMGetOperand(object, 0);
    uint32_t index;
    const front_signature *signature = signature_with(front, object, &index);
    if (!signature)
        return NULL;
    const kir_param *param = &signature->params[index];
    if (param->object == KIR_SAMPLER) {
        const char *text = told(front, signature->name, param);
        return text ? LLVMConstInt(type, strtoul(text, NULL, 0), false) : NULL;
    }
    kir_image_format format = told_format(front, signature->name, param);
    bool asks_order = strstr(name, "_order"), asks_type = strstr(name, "_type");
    if (!format.order || (!asks_order && !asks_type))
        return NULL;
    return LLVMConstInt(type, asks_order ? format.order : format.type, false);
}

static void know_calls_of(const front_state *front, LLVMValueRef function, const char *name) {
    for (LLVMUseRef use = LLVMGetFirstUse(function), next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        LLVMValueRef number = LLVMIsACallInst(call) ? known_number(front, call, name) : NULL;
        if (!number)
            continue;
        LLVMReplaceAllUsesWith(call, number);
        LLVMInstructionEraseFromParent(call);
    }
}

/* Samplers of the program that nobody asks any more. */
static void drop_translations(front_state *front) {
    LLVMValueRef function = LLVMGetNamedFunction(front->llvm, translation);
    for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL, next; use; use = next) {
        LLVMValueRef call = LLVMGetUser(use);
        next = LLVMGetNextUse(use);
        if (!LLVMGetFirstUse(call))
            LLVMInstructionEraseFromParent(call);
    }
}

hd_status front_know_objects(front_state *front) {
    size_t length;
    bool some = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(front->llvm); f; f = LLVMGetNextFunction(f))
        some |= strstr(LLVMGetValueName2(f, &length), image_prefix) ||
                strstr(LLVMGetValueName2(f, &length), translation);
    /* So that calls are of parameters, not of what these are kept in. */
    hd_status status = some ? front_run_passes(front, NULL, "function(mem2reg)") : HD_OK;
    for (LLVMValueRef f = LLVMGetFirstFunction(front->llvm); f && some && !status;
         f = LLVMGetNextFunction(f)) {
        const char *name = LLVMGetValueName2(f, &length);
        if (strstr(name, image_prefix) || strstr(name, sampler_name))
            know_calls_of(front, f, name);
    }
    if (some && !status)
        drop_translations(front);
    return status;
}

/* ---- as kir --------------------------------------------------------------------------------------- */

void front_declare_object(front_lowering *l, kir_param *param) {
    if (param->object == KIR_SAMPLER) {
        param->type = front_int_type(32, 1);
        param->bytes = 4;
        return;
    }
    param->type = front_pointer_type(KIR_GLOBAL);
    param->bytes = 0;
    param->is_const = param->type_name && strstr(param->type_name, "read_only");
    param->format = told_format(l->front, l->signature->name, param);
    if (!param->format.order)
        return;
    param->element_type = kir_image_texel(l->arena, param->format);
    param->element_bytes = kir_image_texel_bytes(param->format);
}

/* The call that is lowered is in a function for channels of another kind than the image's, where that is
 * known of this image. */
static void tell_other(const front_lowering *l, const front_call *call, uint32_t index) {
    const kir_param *param = &l->kernel->params[index];
    const char *own = hd_format(l->arena, "%s.%s=", l->signature->name, param->name);
    const char *function = front_function_of(l->front, call->inst);
    bool is_own = false;
    for (size_t i = 0; i < l->front->known.count; i++)
        is_own |= starts_with(l->front->known.data[i], own);
    if (!is_own || !param->format.order)
        return;
    hd_place place = l->out.place;
    const char *text = l->front->files.data[l->out.file].text;
    place.text = place.line && text ? hd_line_of(l->arena, text, place.line) : NULL;
    const char *type = kir_image_type_name(param->format.type);
    bool writes = function && starts_with(function, "write");
    hd_warn(l->front->diag, &place,
            "the channels of image '%s' are %s, and %s leaves open what it does with these; call "
            "%s_image%s",
            param->name, type, function ? function : "this", writes ? "write" : "read",
            starts_with(type, "int")    ? "i"
            : starts_with(type, "uint") ? "ui"
                                        : "f");
}

bool front_lower_image(front_lowering *l, front_call *call) {
    bool is_sampler = !strcmp(call->name, sampler_name);
    if (!is_sampler && !starts_with(call->name, image_prefix))
        return false;
    const char *what = is_sampler ? "" : call->name + strlen(image_prefix);
    uint32_t index = front_object_index(l, LLVMGetOperand(call->inst, 0));
    if (index == KIR_NONE)
        front_cannot(l, "this %s is not a parameter of the kernel by itself; make it one",
                     is_sampler ? "sampler" : "image");
    else if (!strcmp(what, "other"))
        tell_other(l, call, index);
    else
        call->result =
            is_sampler || !strcmp(what, "texels")
                ? front_leaf(&l->out, KIR_PARAM, l->kernel->params[index].type, NULL, index)
                : front_number_of_object(l, index, what);
    return true;
}
