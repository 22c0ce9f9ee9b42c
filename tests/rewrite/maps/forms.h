/* What forms.cl includes. */
static inline uint column() { return get_local_id(0) ^ get_group_id(0); }
