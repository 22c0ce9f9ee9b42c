/* What is known of a run, by name. */
#include "driver/energy.h"

const hd_quantity_info hd_quantities[HD_QUANTITIES] = {
    [HD_QUANTITY_TIME] = {"time", "Time", "s"},
    [HD_QUANTITY_ENERGY] = {"energy", "Energy", "J"},
    [HD_QUANTITY_EDP] = {"edp", "Energy-delay product", "J s"},
    [HD_QUANTITY_POWER] = {"power", "Power", "W"},
};

bool hd_objective_parse(const char *name, hd_objective *objective) {
    for (int q = 0; q < HD_OBJECTIVES; q++)
        if (!strcmp(name, hd_quantities[q].name)) {
            *objective = (hd_objective)q;
            return true;
        }
    return false;
}
