// expect: ballots uint = 0x55555555 0x5555 0xffff0000 0 0xffffffff 0xffff 0xaa 0xff00ff
// expect: votes int 48 = (i < 32 ? 5 : 9)
//
// Votes of a whole warp and of half of one, and of those that a branch has left. Block of 48
// threads: the second warp has 16.
__global__ void vote(unsigned *ballots, int *votes) {
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned all = warp == 0 ? 0xffffffffu : 0xffffu;
    unsigned even = __ballot_sync(all, t % 2 == 0);
    unsigned late = __ballot_sync(all, lane >= 16);
    unsigned active = __activemask();
    int same = __all_sync(all, t < 48);         // 1
    int some = __any_sync(all, t == 40);        // only in the second warp
    int uniform = __uni_sync(all, t < 32);      // 1: all or none
    int first = __all_sync(all, t < 32);        // only in the first warp
    votes[t] = warp == 0 ? same + 4 * first + 16 * some + 32 * !uniform
                         : same + 8 * some + 16 * first + 32 * !uniform;
    unsigned odd = 0, few = 0;
    if (lane % 2 == 1 && lane < 8)
        odd = __ballot_sync(0xaau, 1);
    if (lane / 8 % 2 == 0 && warp == 0)
        few = __ballot_sync(0x00ff00ffu, lane >= 0);
    if (t == 1) {
        ballots[0] = even;
        ballots[2] = late;
        ballots[4] = active;
        ballots[6] = odd;
        ballots[7] = few;
    }
    if (t == 33) {
        ballots[1] = even;
        ballots[3] = late;
        ballots[5] = active;
    }
}
