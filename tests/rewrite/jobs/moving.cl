// Pointers that move: every form, in OpenCL C.
typedef struct node {
    int key;
    float value;
    int next, previous;
} node;

global node *follow(global node *list, global node *from) { return list + from->next; }

void advance(global const node **at, int by) { *at += by; }

kernel void walk(global node *list, global const node *fixed, global int *out, int n) {
    int i = get_global_id(0);
    global node *q = &list[i], *r = q, *const own = list + i;
    global const node *f = fixed + n;
    long moved = 0;
    q->key = 0;
    for (global const node *p = fixed; p < fixed + n; p++)
        q->key += p->key, moved += p - fixed;
    --f;
    f -= 1;
    q->value = f--->value;
    r = n % 2 ? q : list + i;
    (n > 3 ? own : r)->value += 1;
    global const node *near[3] = {fixed, fixed + i, f};
    near[1] += 1 - (i % 2);
    advance(&near[i % 3], 1);
    advance(near, 0);
    out[4 * i] = near[0]->key + (*near[1]).next + (*(near + 2))->previous;
    out[4 * i + 1] = (int)(near[i % 3] - near[0]) + (near[0] == fixed) + (int)moved;
    f = fixed, r = list + i;
    int many = 0;
    while (f++ != fixed + i) many++;
    do { many += 2; } while (++f <= near[1]);
    out[4 * i + 2] = many + (f >= near[1] ? 1 : 0);
    barrier(CLK_GLOBAL_MEM_FENCE);
    global node *at = list + i;
    own->next = i;
    at = follow(list, at);
    *at = *(&fixed[i]), at->previous = 3;
    if (i % 2) *at = at[0] = (node){i, 2.0f, i, 7};
    out[4 * i + 3] = (*at++).next + sizeof *at;
    out[4 * i + 3] += at - list;
    global const node *either = i % 2 ? list : fixed;
    out[4 * i + 3] += 100 * (either == fixed) + 200 * (either != list);
    out[4 * i + 3] += (*(many++, own)).next;
    out[4 * i + 3] += (many++, f)[-1].key;
    out[4 * i + 3] += many;
}
