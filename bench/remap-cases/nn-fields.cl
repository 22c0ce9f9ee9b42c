/*
 * Distances of records of FIELDS numbers, of which USED are compared with those that are looked
 * for. Compiled with -DREMAPPED each field is an array, with -DTARGET_IN_MEMORY the record that is
 * looked for is read from memory.
 */
#ifdef REMAPPED
#define FIELD(f) records[(f) * count + i]
#else
#define FIELD(f) records[i * FIELDS + (f)]
#endif
#ifdef TARGET_IN_MEMORY
#define TARGET(f) target[f]
#else
#define TARGET(f) 0.5f
#endif

__kernel void distances(__global const float *records, __global const float *target,
                        __global float *distance, int count) {
    int i = get_global_id(0);
    if (i >= count)
        return;
    float sum = 0;
    for (int f = 0; f < USED; f++) {
        float difference = FIELD(f) - TARGET(f);
        sum += difference * difference;
    }
    distance[i] = sqrt(sum);
}
