// Three blocks in a ring, each entered by a third of the lanes and left after its own count.
// buffer: out int 30
// run: ring 30/10
// expect: out = i
__kernel void ring(__global int *out) {
    int i = get_global_id(0), steps = i, at = i % 3;
    int a = 0, b = 0, c = 0;
    if (at == 1)
        goto second;
    if (at == 2)
        goto third;
first:
    if (steps == a + b + c)
        goto done;
    a++;
second:
    if (steps == a + b + c)
        goto done;
    b++;
third:
    if (steps == a + b + c)
        goto done;
    c++;
    goto first;
done:
    out[i] = a + b + c;
}
