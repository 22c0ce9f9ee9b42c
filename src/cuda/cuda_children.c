#include "cuda/cuda_children.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- the text ----------------------------------------------------------------------------------- */

enum {
    ATTRIBUTES = 160, /* of the device */
    CODES = 1000,     /* of errors, the last one for those that nobody knows */
    TEXT = 128,       /* bytes of a text about one */
    DEPTH = 24        /* of launches in launches, as CUDA has it */
};
enum { COPY = 1, FILL = 2 }; /* in the place of a function's address */
enum { TAIL_STREAM = 3 };

/* What is noted of a launch, as the text writes it; the arguments stand behind. */
typedef struct record {
    uint64_t before; /* the address of the one that was noted before it */
    uint64_t function;
    uint32_t grid[3], block[3], shared, unused;
    uint64_t stream, block_number;
    uint32_t thread, number; /* in the order in which they were noted */
    uint64_t behind;
} record;
_Static_assert(sizeof(record) == 80, "the text knows where the arguments begin");

/* Functions are called as the runtime's are behind "__cudaCDP2", and their results are codes of errors: 69,
 * too many launches wait. */
/* clang-format off */
static const char runtime_head[] =
    ".version 7.0\n"
    ".target sm_60\n"
    ".address_size 64\n"
    ".file 1 \"the device's own runtime\"\n"
    ".visible .global .align 8 .u64 $heddle_used;\n"
    ".visible .global .align 8 .u64 $heddle_last;\n"
    ".visible .global .align 8 .u64 $heddle_handles;\n"
    ".visible .global .align 4 .u32 $heddle_count;\n"
    ".visible .global .align 4 .u32 $heddle_error;\n"
    ".visible .global .align 16 .b8 $heddle_names[128000];\n"
    ".visible .global .align 16 .b8 $heddle_texts[128000];\n"
    ".visible .global .align 4 .u32 $heddle_attributes[160];\n";
static const char runtime[] =
    ".visible .global .align 16 .b8 $heddle_room[4194304];\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 bytes);\n"
    ".extern .func free(.param .b64 address);\n"
    ".func (.param .b32 r) $heddle_fail(.param .b32 code) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<3>;\n"
    "    .reg .b64 %at;\n"
    "    ld.param.u32 %a1, [code];\n"
    "    mov.u64 %at, $heddle_error;\n"
    "    atom.global.exch.b32 %a2, [%at], %a1;\n"
    "    st.param.b32 [r], %a1;\n"
    "    ret;\n"
    "}\n"
    ".func (.param .b64 r) $heddle_take(.param .b64 function, .param .b32 bytes) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<4>;\n"
    "    .reg .b64 %b<8>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u32 %a1, [bytes];\n"
    "    add.u32 %a1, %a1, 95;\n"
    "    and.b32 %a1, %a1, -16;\n"
    "    cvt.u64.u32 %b1, %a1;\n"
    "    mov.u64 %b2, $heddle_used;\n"
    "    atom.global.add.u64 %b3, [%b2], %b1;\n"
    "    add.u64 %b4, %b3, %b1;\n"
    "    setp.gt.u64 %p, %b4, 4194304;\n"
    "    @%p bra FULL;\n"
    "    mov.u64 %b5, $heddle_room;\n"
    "    add.u64 %b5, %b5, %b3;\n"
    "    ld.param.u64 %b6, [function];\n"
    "    st.global.u64 [%b5+8], %b6;\n"
    "    st.param.b64 [r], %b5;\n"
    "    ret;\n"
    "FULL:\n"
    "    mov.u32 %a2, 69;\n"
    "    { .param .b32 x; .param .b32 y; st.param.b32 [x], %a2; call.uni (y), $heddle_fail, (x); }\n"
    "    mov.u64 %b5, 0;\n"
    "    st.param.b64 [r], %b5;\n"
    "    ret;\n"
    "}\n"
    ".func $heddle_note(.param .b64 record, .param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<16>;\n"
    "    .reg .b64 %b<12>;\n"
    "    ld.param.u64 %b1, [record];\n"
    "    ld.param.u64 %b2, [stream];\n"
    "    st.global.u64 [%b1+48], %b2;\n"
    "    mov.u32 %a1, %ctaid.x;\n"
    "    mov.u32 %a2, %ctaid.y;\n"
    "    mov.u32 %a3, %ctaid.z;\n"
    "    mov.u32 %a4, %nctaid.x;\n"
    "    mov.u32 %a5, %nctaid.y;\n"
    "    cvt.u64.u32 %b3, %a1;\n"
    "    cvt.u64.u32 %b4, %a2;\n"
    "    cvt.u64.u32 %b5, %a3;\n"
    "    cvt.u64.u32 %b6, %a4;\n"
    "    cvt.u64.u32 %b7, %a5;\n"
    "    mad.lo.u64 %b4, %b5, %b7, %b4;\n"
    "    mad.lo.u64 %b3, %b4, %b6, %b3;\n"
    "    st.global.u64 [%b1+56], %b3;\n"
    "    mov.u32 %a6, %tid.x;\n"
    "    mov.u32 %a7, %tid.y;\n"
    "    mov.u32 %a8, %tid.z;\n"
    "    mov.u32 %a9, %ntid.x;\n"
    "    mov.u32 %a10, %ntid.y;\n"
    "    mad.lo.u32 %a7, %a8, %a10, %a7;\n"
    "    mad.lo.u32 %a6, %a7, %a9, %a6;\n"
    "    st.global.u32 [%b1+64], %a6;\n"
    "    mov.u64 %b8, $heddle_count;\n"
    "    atom.global.add.u32 %a11, [%b8], 1;\n"
    "    st.global.u32 [%b1+68], %a11;\n"
    "    mov.u64 %b9, $heddle_last;\n"
    "    atom.global.exch.b64 %b10, [%b9], %b1;\n"
    "    st.global.u64 [%b1], %b10;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b64 r) $heddle_GetParameterBufferV2(.param .b64 function, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<12>;\n"
    "    .reg .b64 %b<6>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %b1, [function];\n"
    "    sub.s64 %b2, %b1, 65536;\n"
    "    shr.u64 %b2, %b2, 4;\n"
    "    mov.u64 %b3, $heddle_params;\n"
    "    mad.lo.u64 %b3, %b2, 4, %b3;\n"
    "    ld.global.u32 %a1, [%b3];\n"
    "    { .param .b64 x; .param .b32 y; .param .b64 z; st.param.b64 [x], %b1; st.param.b32 [y], %a1; call.uni (z), $heddle_take, (x, y); ld.param.b64 %b4, [z]; }\n"
    "    setp.eq.u64 %p, %b4, 0;\n"
    "    @%p bra NONE;\n"
    "    ld.param.u32 %a2, [grid];\n"
    "    ld.param.u32 %a3, [grid+4];\n"
    "    ld.param.u32 %a4, [grid+8];\n"
    "    ld.param.u32 %a5, [block];\n"
    "    ld.param.u32 %a6, [block+4];\n"
    "    ld.param.u32 %a7, [block+8];\n"
    "    ld.param.u32 %a8, [shared];\n"
    "    st.global.u32 [%b4+16], %a2;\n"
    "    st.global.u32 [%b4+20], %a3;\n"
    "    st.global.u32 [%b4+24], %a4;\n"
    "    st.global.u32 [%b4+28], %a5;\n"
    "    st.global.u32 [%b4+32], %a6;\n"
    "    st.global.u32 [%b4+36], %a7;\n"
    "    st.global.u32 [%b4+40], %a8;\n"
    "    add.u64 %b4, %b4, 80;\n"
    "NONE:\n"
    "    st.param.b64 [r], %b4;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_LaunchDeviceV2(.param .b64 buffer, .param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<4>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %b1, [buffer];\n"
    "    ld.param.u64 %b2, [stream];\n"
    "    setp.eq.u64 %p, %b1, 0;\n"
    "    @%p bra NONE;\n"
    "    sub.u64 %b1, %b1, 80;\n"
    "    { .param .b64 x; .param .b64 y; st.param.b64 [x], %b1; st.param.b64 [y], %b2; call.uni $heddle_note, (x, y); }\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "NONE:\n"
    "    mov.u32 %a, 69;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".func (.param .b32 r) $heddle_move(.param .b64 kind, .param .b64 to, .param .b64 from, .param .b64 bytes, .param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<3>;\n"
    "    .reg .b64 %b<8>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %b1, [kind];\n"
    "    mov.u32 %a1, 24;\n"
    "    { .param .b64 x; .param .b32 y; .param .b64 z; st.param.b64 [x], %b1; st.param.b32 [y], %a1; call.uni (z), $heddle_take, (x, y); ld.param.b64 %b2, [z]; }\n"
    "    mov.u32 %a2, 69;\n"
    "    setp.eq.u64 %p, %b2, 0;\n"
    "    @%p bra NONE;\n"
    "    ld.param.u64 %b3, [to];\n"
    "    ld.param.u64 %b4, [from];\n"
    "    ld.param.u64 %b5, [bytes];\n"
    "    ld.param.u64 %b6, [stream];\n"
    "    st.global.u64 [%b2+80], %b3;\n"
    "    st.global.u64 [%b2+88], %b4;\n"
    "    st.global.u64 [%b2+96], %b5;\n"
    "    { .param .b64 x; .param .b64 y; st.param.b64 [x], %b2; st.param.b64 [y], %b6; call.uni $heddle_note, (x, y); }\n"
    "    mov.u32 %a2, 0;\n"
    "NONE:\n"
    "    st.param.b32 [r], %a2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_MemcpyAsync(.param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind, .param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<6>;\n"
    "    mov.u64 %b1, 1;\n"
    "    ld.param.u64 %b2, [to];\n"
    "    ld.param.u64 %b3, [from];\n"
    "    ld.param.u64 %b4, [bytes];\n"
    "    ld.param.u64 %b5, [stream];\n"
    "    { .param .b64 v; .param .b64 w; .param .b64 x; .param .b64 y; .param .b64 z; .param .b32 u; st.param.b64 [v], %b1; st.param.b64 [w], %b2; st.param.b64 [x], %b3; st.param.b64 [y], %b4; st.param.b64 [z], %b5; call.uni (u), $heddle_move, (v, w, x, y, z); ld.param.b32 %a, [u]; }\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_MemsetAsync(.param .b64 to, .param .b32 value, .param .b64 bytes, .param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<3>;\n"
    "    .reg .b64 %b<6>;\n"
    "    mov.u64 %b1, 2;\n"
    "    ld.param.u64 %b2, [to];\n"
    "    ld.param.u32 %a1, [value];\n"
    "    cvt.u64.u32 %b3, %a1;\n"
    "    ld.param.u64 %b4, [bytes];\n"
    "    ld.param.u64 %b5, [stream];\n"
    "    { .param .b64 v; .param .b64 w; .param .b64 x; .param .b64 y; .param .b64 z; .param .b32 u; st.param.b64 [v], %b1; st.param.b64 [w], %b2; st.param.b64 [x], %b3; st.param.b64 [y], %b4; st.param.b64 [z], %b5; call.uni (u), $heddle_move, (v, w, x, y, z); ld.param.b32 %a2, [u]; }\n"
    "    st.param.b32 [r], %a2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_StreamCreateWithFlags(.param .b64 at, .param .b32 flags) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<4>;\n"
    "    mov.u64 %b1, $heddle_handles;\n"
    "    atom.global.add.u64 %b2, [%b1], 1;\n"
    "    add.u64 %b2, %b2, 65536;\n"
    "    ld.param.u64 %b3, [at];\n"
    "    st.u64 [%b3], %b2;\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_EventCreateWithFlags(.param .b64 at, .param .b32 flags) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<4>;\n"
    "    mov.u64 %b1, $heddle_handles;\n"
    "    atom.global.add.u64 %b2, [%b1], 1;\n"
    "    add.u64 %b2, %b2, 65536;\n"
    "    ld.param.u64 %b3, [at];\n"
    "    st.u64 [%b3], %b2;\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_StreamDestroy(.param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_EventDestroy(.param .b64 event) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_EventRecord(.param .b64 event, .param .b64 stream) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_StreamWaitEvent(.param .b64 stream, .param .b64 event, .param .b32 flags) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_GetLastError() {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b;\n"
    "    mov.u64 %b, $heddle_error;\n"
    "    atom.global.exch.b32 %a, [%b], 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_PeekAtLastError() {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    ld.volatile.global.u32 %a, [$heddle_error];\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_GetDevice(.param .b64 at) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b;\n"
    "    mov.u32 %a, 0;\n"
    "    ld.param.u64 %b, [at];\n"
    "    st.u32 [%b], %a;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_GetDeviceCount(.param .b64 at) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<3>;\n"
    "    .reg .b64 %b;\n"
    "    mov.u32 %a1, 1;\n"
    "    ld.param.u64 %b, [at];\n"
    "    st.u32 [%b], %a1;\n"
    "    mov.u32 %a2, 0;\n"
    "    st.param.b32 [r], %a2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_DeviceGetAttribute(.param .b64 at, .param .b32 which, .param .b32 device) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<4>;\n"
    "    .reg .b64 %b<4>;\n"
    "    .reg .pred %p;\n"
    "    mov.u32 %a2, 1;\n"
    "    ld.param.u32 %a1, [which];\n"
    "    setp.ge.u32 %p, %a1, 160;\n"
    "    @%p bra NONE;\n"
    "    cvt.u64.u32 %b1, %a1;\n"
    "    mov.u64 %b2, $heddle_attributes;\n"
    "    mad.lo.u64 %b2, %b1, 4, %b2;\n"
    "    ld.global.u32 %a3, [%b2];\n"
    "    ld.param.u64 %b3, [at];\n"
    "    st.u32 [%b3], %a3;\n"
    "    mov.u32 %a2, 0;\n"
    "NONE:\n"
    "    st.param.b32 [r], %a2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_Malloc(.param .b64 at, .param .b64 bytes) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<4>;\n"
    "    .reg .pred %p;\n"
    "    ld.param.u64 %b1, [bytes];\n"
    "    { .param .b64 x; .param .b64 y; st.param.b64 [x], %b1; call.uni (y), malloc, (x); ld.param.b64 %b2, [y]; }\n"
    "    ld.param.u64 %b3, [at];\n"
    "    st.u64 [%b3], %b2;\n"
    "    mov.u32 %a, 0;\n"
    "    setp.ne.u64 %p, %b2, 0;\n"
    "    @%p bra THERE;\n"
    "    mov.u32 %a, 2;\n"
    "THERE:\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_Free(.param .b64 address) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b;\n"
    "    ld.param.u64 %b, [address];\n"
    "    { .param .b64 x; st.param.b64 [x], %b; call.uni free, (x); }\n"
    "    mov.u32 %a, 0;\n"
    "    st.param.b32 [r], %a;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b64 r) $heddle_GetErrorName(.param .b32 code) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<4>;\n"
    "    ld.param.u32 %a, [code];\n"
    "    min.u32 %a, %a, 999;\n"
    "    cvt.u64.u32 %b1, %a;\n"
    "    mov.u64 %b2, $heddle_names;\n"
    "    cvta.global.u64 %b2, %b2;\n"
    "    mad.lo.u64 %b3, %b1, 128, %b2;\n"
    "    st.param.b64 [r], %b3;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b64 r) $heddle_GetErrorString(.param .b32 code) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b<4>;\n"
    "    ld.param.u32 %a, [code];\n"
    "    min.u32 %a, %a, 999;\n"
    "    cvt.u64.u32 %b1, %a;\n"
    "    mov.u64 %b2, $heddle_texts;\n"
    "    cvta.global.u64 %b2, %b2;\n"
    "    mad.lo.u64 %b3, %b1, 128, %b2;\n"
    "    st.param.b64 [r], %b3;\n"
    "    ret;\n"
    "}\n"
    ".visible .func (.param .b32 r) $heddle_RuntimeGetVersion(.param .b64 at) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a<3>;\n"
    "    .reg .b64 %b;\n"
    "    mov.u32 %a1, 13000;\n"
    "    ld.param.u64 %b, [at];\n"
    "    st.u32 [%b], %a1;\n"
    "    mov.u32 %a2, 0;\n"
    "    st.param.b32 [r], %a2;\n"
    "    ret;\n"
    "}\n"
    ".visible .func $heddle_GraphSetConditional(.param .b64 handle, .param .b32 value) {\n"
    "    .loc 1 1 0\n"
    "    .reg .b32 %a;\n"
    "    .reg .b64 %b;\n"
    "    ld.param.u64 %b, [handle];\n"
    "    ld.param.u32 %a, [value];\n"
    "    st.global.u32 [%b], %a;\n"
    "    ret;\n"
    "}\n";
/* clang-format on */

/* How often a word stands in a text. */
static uint32_t count_of(const char *text, const char *word) {
    uint32_t count = 0;
    while ((text = strstr(text, word))) {
        count++;
        text += strlen(word);
    }
    return count;
}

const cuda_ptx_text *cuda_children_link(hd_arena *arena, const cuda_ptx_text *text) {
    if (strstr(text->text, "$heddle_last")) /* it has been linked */
        return text;
    if (!strstr(text->text, "__cudaCDP2") && !strstr(text->text, "cudaGraphSetConditional"))
        return NULL;
    uint32_t functions = count_of(text->text, ".entry") + count_of(text->text, ".func") +
                         count_of(text->text, ".alias") + count_of(runtime, ".func");
    hd_str joined = {.arena = arena};
    hd_str_printf(&joined, "%s\n%s.visible .global .align 4 .u32 $heddle_params[%u];\n%s",
                  text->text, runtime_head, functions, runtime);
    cuda_ptx_text *made = hd_new(arena, cuda_ptx_text);
    *made = (cuda_ptx_text){hd_str_text(&joined), joined.length, text->architecture};
    return made;
}

/* A variable of the runtime; NULL: it is not in the module. */
static void *variable(hd_ptx_module *module, const char *name) {
    void *address;
    size_t bytes;
    return module && hd_ptx_variable(module, name, &address, &bytes) ? address : NULL;
}

static void put_texts(char *room, const char *text_of(int error), const char *unknown) {
    for (int i = 0; room && i < CODES; i++) {
        const char *text = text_of(i);
        snprintf(room + (size_t)i * TEXT, TEXT, "%s", text ? text : unknown);
    }
}

void cuda_children_prepare(const cuda_process *p, hd_ptx_module *module) {
    int *attributes = variable(module, "$heddle_attributes");
    uint32_t *params = variable(module, "$heddle_params");
    for (int i = 1; attributes && i < ATTRIBUTES; i++)
        cuda_device_attribute(&p->device, i, &attributes[i]);
    put_texts(variable(module, "$heddle_names"), cuda_error_runtime_name,
              "unrecognized error code");
    put_texts(variable(module, "$heddle_texts"), cuda_error_text, "unrecognized error code");
    for (uint32_t i = 0; params && i < hd_ptx_function_count(module); i++)
        hd_ptx_entry_of(module, i, &params[i]);
}

/* ---- what was asked for ------------------------------------------------------------------------- */

typedef struct child {
    record of;
    char *args;
    uint32_t bytes;
    const char *entry; /* of a launch */
} child;

/* By the blocks that have noted them, and each block's in its order. */
static int by_order(const void *a, const void *b) {
    const record *x = &((const child *)a)->of, *y = &((const child *)b)->of;
    if (x->block_number != y->block_number)
        return x->block_number < y->block_number ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static child child_of(hd_arena *arena, const hd_ptx_module *module, const record *r) {
    child c = {.of = *r, .bytes = 3 * sizeof(uint64_t)};
    if (r->function > FILL)
        c.entry = hd_ptx_entry_of(
            module, (uint32_t)((r->function - HD_PTX_FIRST_FUNCTION) / HD_PTX_FUNCTION_STEP),
            &c.bytes);
    c.args = hd_alloc(arena, c.bytes + 1);
    memcpy(c.args, r + 1, c.bytes);
    return c;
}

/* Copies all, since the room is the children's from now on. */
static size_t take_children(hd_arena *arena, hd_ptx_module *module, child **children) {
    uint64_t *last = variable(module, "$heddle_last"), *used = variable(module, "$heddle_used");
    hd_vec(child) found = {0};
    for (uint64_t at = last ? *last : 0; at;) {
        const record *r = (const record *)(uintptr_t)at; /* NOLINT: the module's memory */
        hd_push(arena, &found, child_of(arena, module, r));
        at = r->before;
    }
    if (last) {
        *last = *used = 0;
        *(uint32_t *)variable(module, "$heddle_count") = 0;
    }
    if (found.count)
        qsort(found.data, found.count, sizeof *found.data, by_order);
    *children = found.data;
    return found.count;
}

/* ---- doing it ----------------------------------------------------------------------------------- */

static cuda_work work_of(cuda_process *p, const cuda_launch *parent, const child *c) {
    const uint64_t *numbers = (const uint64_t *)(const void *)c->args;
    void *to = (void *)(uintptr_t)numbers[0]; /* NOLINT: the program's memory */
    if (c->of.function == COPY)
        return cuda_copy_bytes(to, (void *)(uintptr_t)numbers[1], numbers[2], /* NOLINT */
                               CUDA_BY_ADDRESS);
    if (c->of.function == FILL)
        return cuda_fill_bytes(to, (uint8_t)numbers[1], 1, numbers[2]);
    cuda_kernel *kernel;
    cuda_error error = c->entry ? cuda_kernel_named(p, parent->kernel->module, c->entry, &kernel)
                                : CUDA_INVALID_DEVICE_FUNCTION;
    if (error)
        return cuda_work_failed(error);
    const record *r = &c->of;
    return (cuda_work){.kind = CUDA_WORK_LAUNCH,
                       .launch = {.kernel = kernel,
                                  .host = kernel,
                                  .size = {{r->grid[0], r->grid[1], r->grid[2]},
                                           {r->block[0], r->block[1], r->block[2]},
                                           r->shared},
                                  .packed = c->args,
                                  .packed_bytes = c->bytes,
                                  .depth = parent->depth + 1}};
}

/* What cannot be begun is an error of the device, which its threads alone could ask for. */
static cuda_error run_child(cuda_process *p, const cuda_launch *parent, const child *c) {
    const cuda_work work = work_of(p, parent, c);
    cuda_error error =
        parent->depth + 1 > DEPTH ? CUDA_LAUNCH_MAX_DEPTH_EXCEEDED : cuda_work_check(p, &work);
    if (error) {
        cuda_say(
            p,
            "warning: what thread %u of block %llu of kernel %s has asked for is not done: %s of "
            "%s",
            c->of.thread, (unsigned long long)c->of.block_number,
            hd_ptx_kernel_title(parent->kernel->found), cuda_error_text((int)error),
            c->entry ? c->entry : "a copy or fill");
        return CUDA_SUCCESS;
    }
    error = cuda_work_run(p, &work);
    if (p->sticky)
        cuda_say(p, "  launched by thread %u of block %llu of kernel %s", c->of.thread,
                 (unsigned long long)c->of.block_number,
                 hd_ptx_kernel_title(parent->kernel->found));
    return error;
}

cuda_error cuda_children_run(cuda_process *p, const cuda_launch *launch) {
    hd_ptx_module *module = cuda_module_loaded(launch->kernel->module);
    uint64_t *last = variable(module, "$heddle_last");
    if (!last || !*last)
        return CUDA_SUCCESS;
    hd_arena *arena = hd_arena_new();
    child *children;
    size_t count = take_children(arena, module, &children);
    cuda_error error = CUDA_SUCCESS;
    for (int tails = 0; tails < 2; tails++)
        for (size_t i = 0; i < count && !error && !p->sticky; i++)
            if ((children[i].of.stream == TAIL_STREAM) == tails)
                error = run_child(p, launch, &children[i]);
    hd_arena_free(arena);
    return error;
}
