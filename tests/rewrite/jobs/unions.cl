// Unions without names: of a box, of which the last word of a corner is used otherwise.
#define CORNERS 4
typedef struct {
    union {
        float4 low;
        float lows[CORNERS];
        int low_words[4]; /* [3]: the box's number */
    };
    union {
        int kind;
        float radius;
    };
    float weight;
    union {
        float4 high;
        struct { float high_x, high_y; int high_z, number; };
    };
} box;

float width(global const box *b) { return b->high.x - b->lows[0]; }

kernel void start(global box *boxes) {
    int i = get_global_id(0);
    for (int k = 0; k < CORNERS; k++)
        boxes[i].lows[k] = 3 * i - k;
    boxes[i].kind = i % 5;
    boxes[i].high = (float4)(i, 2 * i, 7 - i, 0);
}

kernel void grow(global box *boxes, global float *out, int n) {
    int i = get_global_id(0);
    box copy = boxes[n - 1 - i];
    boxes[i].low_words[3] = i;
    boxes[i].number = boxes[i].kind;
    if (i & 1)
        boxes[i].radius = copy.weight;
    else
        boxes[i].kind++;
    boxes[i].lows[i & 1] -= 0.5f;
    boxes[i].high_y = copy.low.y;
    out[i] = width(boxes + i) + dot(boxes[i].low.xyz, copy.high.xyz);
    if (i == 3)
        boxes[i] = copy;
}
