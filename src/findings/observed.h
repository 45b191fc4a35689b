/*
 * Variables that --observe names: where they are in the program's memory, and their values as text.
 */
#ifndef HD_FINDINGS_OBSERVED_H
#define HD_FINDINGS_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/err.h"
#include "symbols/symbols.h"

struct hd_observed_one {
	char *name;
	uint64_t offset, size; /* from the program's first page */
	enum hd_value_kind kind;
	uint64_t each; /* size of a value; there may be several */
};

struct hd_observed {
	struct hd_observed_one *list;
	size_t n, room;
	char *where; /* as the runtime is told it: "offset:size,..." */
};

/* The variables that @names lists ("x, y[2].key") in the program @argv0. */
enum hd_err hd_observed_find(struct hd_observed *o, const char *argv0, const char *names);
void hd_observed_free(struct hd_observed *o);

/* The value of @one in @bytes; whether it is a number in JSON, too. */
void hd_observed_put(FILE *out, const struct hd_observed_one *one, const unsigned char *bytes);
bool hd_observed_is_number(const struct hd_observed_one *one);

#endif
