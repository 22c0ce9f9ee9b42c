//: found fold 64: 
//: suggests fold 64: records: [{name: a_element, fields: "float a[2]", stride: n}] with 'type: a_element, count: 64' for 'a'
// Two halves of a buffer: a record of two, or a reduction. Nothing is found, something suggested.
__kernel void fold(__global float *a, const int n) {
    int i = get_global_id(0);
    if (i < n)
        a[i] += a[i + n];
}
