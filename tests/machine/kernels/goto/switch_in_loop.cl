// A state machine: a switch in a loop, with a different path for each lane.
// buffer: out int 12
// run: machine 12/12
// expect: out = {1 12 123 1 12 123 1 12 123 1 12 123}
__kernel void machine(__global int *out) {
    int i = get_global_id(0), state = 0, trace = 0, left = i % 3;
    while (state != 9) {
        switch (state) {
        case 0: trace = trace * 10 + 1; state = left > 0 ? 1 : 9; break;
        case 1: trace = trace * 10 + 2; state = left > 1 ? 2 : 9; break;
        case 2: trace = trace * 10 + 3; state = 9; break;
        }
    }
    out[i] = trace;
}
