/* The kernel of structs too long for local memory: their values are long enough. */
#define HD_RECORDS_IN HD_HOST
HD_KERNEL hd_remap_kernel(HD_PARAMETERS) {
    const hd_w8 begin = HD_GROUP * HD_RECORDS, element = first + begin;
    const hd_w4 n = count - begin < HD_RECORDS ? (hd_w4)(count - begin) : HD_RECORDS;
    HD_HOST hd_w1 *records = staging + begin * HD_RECORD;
    HD_VALUES(HD_VALUE)
#if HD_BACK
    HD_GAPS(HD_GAP)
#endif
}
