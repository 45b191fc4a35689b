#include "event.h"

const struct hd_op_info hd_op_info[HD_OP_LIMIT] = {
#define HD_EVENT(num, op, word, a, v, v2, g, ...)                                                  \
	[num] = { word, HD_U_##a, HD_U_##v, HD_U_##v2, HD_U_##g },
#include "events.def"
};
