/*
 * Names for the addresses of a recorded trace, from the debug information of the
 * modules that it lists.
 */
#ifndef HD_FINDINGS_TRACE_SYMBOLS_H
#define HD_FINDINGS_TRACE_SYMBOLS_H

#include "common/err.h"
#include "symbols/symbols.h"
#include "trace/trace_names.h"

/*
 * Reads @t once and rewinds it. *@out is NULL where there are no modules (an
 * imported trace): then @names has nothing to offer, and that is fine.
 */
enum hd_err hd_trace_symbols(struct hd_trace *t, struct hd_symbols **out,
			     struct hd_name_source *names, struct hd_errbuf *eb);

#endif
