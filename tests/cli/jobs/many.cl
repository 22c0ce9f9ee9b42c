__kernel void many(__global int *a, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[get_global_id(0)];
    a[get_global_id(0)] = sum;
}
