/*
 * Names for exported traces: every location and object gets an identifier of its
 * own, the same each time.
 */
#ifndef HD_TRACE_NAMES_H
#define HD_TRACE_NAMES_H

#include <stdio.h>

#include "common/map.h"
#include "trace_reader.h"

/*
 * Where better names than addresses come from, e.g. debug information. Any may be
 * NULL. A name function writes at most @len bytes with the final 0 and returns
 * false where it knows none; what is no identifier is made one.
 */
struct hd_name_source {
	void *arg;
	bool (*location)(void *arg, uint64_t addr, uint64_t size, char *buf, size_t len);
	bool (*object)(void *arg, uint64_t addr, char *buf, size_t len);
	bool (*site)(void *arg, uint64_t pc, const char **file, uint32_t *line);
};

struct hd_name_space {
	struct hd_texts texts;
	struct hd_map by_addr;	/* address -> number of its name */
	struct hd_map owner_of; /* number of a name -> address + 1 */
};

struct hd_namer {
	const struct hd_trace *t;
	const struct hd_name_source *source; /* NULL: none */
	struct hd_name_space locations, objects;
};

void hd_namer_init(struct hd_namer *n, const struct hd_trace *t, const struct hd_name_source *src);
void hd_namer_free(struct hd_namer *n);

/* NULL: out of memory. The names live as long as the namer. */
const char *hd_name_location(struct hd_namer *n, uint64_t addr, uint64_t size);
/* @op says what kind of object it is. */
const char *hd_name_object(struct hd_namer *n, uint64_t addr, uint8_t op);
/* The file and line of @pc; false: unknown. */
bool hd_name_site(const struct hd_namer *n, uint64_t pc, const char **file, uint32_t *line);

#endif
