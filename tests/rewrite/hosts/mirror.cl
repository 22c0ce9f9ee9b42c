typedef struct record {
    double d;
    char c;
    short s[3];
    float4 v;
    int i;
} record;

kernel void stir(global record *records, int n, global int *sum) {
    int i = get_global_id(0);
    if (i >= n)
        return;
    records[i].i += i;
    records[i].c ^= 5;
    records[i].s[1] = records[i].s[0] + records[i].s[2];
    records[i].v.yz *= 2;
    atomic_add(sum, records[i].i & 255);
}
