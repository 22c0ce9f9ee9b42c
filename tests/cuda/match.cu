// expect: peers uint 32 = (i % 4 == 0 ? 0x11111111 : i % 4 == 1 ? 0x22222222 : i % 4 == 2 ? 0x44444444 : 0x88888888)
// expect: wide uint 32 = (i < 16 ? 0xffff : 0xffff0000)
// expect: equal uint 32 = 0xffffffff
// expect: holds int 32 = 1
// expect: different uint 32 = 0
// expect: fails int 32 = 0
// expect: half uint 32 = (i < 8 ? 0xff : 0)
//
// Which threads of a warp have the same value; whether all have.
__global__ void match(unsigned *peers, unsigned *wide, unsigned *equal, int *holds,
                      unsigned *different, int *fails, unsigned *half) {
    const unsigned all = 0xffffffffu;
    int t = threadIdx.x, yes = 7, no = 7, part;
    peers[t] = __match_any_sync(all, t % 4);
    wide[t] = __match_any_sync(all, t < 16 ? 1ull << 40 : 1ull << 41);
    equal[t] = __match_all_sync(all, 2.5, &yes);
    holds[t] = yes;
    different[t] = __match_all_sync(all, t, &no);
    fails[t] = no;
    half[t] = 0;
    if (t < 8)
        half[t] = __match_all_sync(0xffu, t / 8, &part);
}
