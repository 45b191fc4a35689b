#include "group_names.h"

#include <stdlib.h>
#include <string.h>

#include "common/map.h"

struct hd_group_names {
	const struct hd_run *run;
	const struct hd_trace *trace;
	struct hd_group_resolver resolver;
	struct hd_map seen;    /* address that an imported trace names -> its size */
	struct hd_texts texts; /* those names, by number ... */
	struct hd_map by_text; /* ... to the address */
};

static bool variable(void *arg, const char *name, uint64_t *addr, uint64_t *len)
{
	struct hd_group_names *g = arg;
	uint32_t number = hd_texts_find(&g->texts, name, strlen(name));

	if (number) {
		*addr = hd_map_get(&g->by_text, number);
		*len = hd_map_get(&g->seen, *addr);
		return true;
	}
	return g->run->symbols && hd_symbols_find(g->run->symbols, name, addr, len);
}

static bool member(void *arg, const char *type, const char *name, uint64_t *offset, uint64_t *len)
{
	struct hd_group_names *g = arg;

	return g->run->symbols && hd_symbols_member(g->run->symbols, type, name, offset, len);
}

static bool instance(void *arg, const char *type, size_t i, uint64_t *addr)
{
	struct hd_group_names *g = arg;

	return g->run->symbols && hd_symbols_instance(g->run->symbols, type, i, addr);
}

/* What a block is for is not recorded: only where it was made. */
static void allocation(void *arg, const struct hd_event *alloc, const char **file, uint32_t *line,
		       const char **type, uint64_t *type_size)
{
	struct hd_group_names *g = arg;
	struct hd_frame frame;

	*file = *type = NULL;
	*type_size = 0;
	if (!hd_run_frame(g->run, alloc->pc, &frame))
		return;
	*file = frame.file;
	*line = frame.line;
}

struct hd_group_names *hd_group_names_new(const struct hd_run *run, const struct hd_trace *trace)
{
	struct hd_group_names *g = calloc(1, sizeof(*g));

	if (!g)
		return NULL;
	g->run = run;
	g->trace = trace;
	g->resolver = (struct hd_group_resolver){ .arg = g,
						  .variable = variable,
						  .member = member,
						  .instance = instance,
						  .allocation = allocation };
	return g;
}

void hd_group_names_free(struct hd_group_names *g)
{
	if (!g)
		return;
	hd_map_free(&g->seen);
	hd_map_free(&g->by_text);
	hd_texts_free(&g->texts);
	free(g);
}

static bool learn_name(struct hd_group_names *g, const struct hd_event *ev)
{
	const char *name = hd_trace_name(g->trace, ev->addr);
	uint32_t number;

	if (!name)
		return true;
	number = hd_texts_add(&g->texts, name, strlen(name));
	return number && hd_map_set(&g->by_text, number, ev->addr) &&
	       hd_map_set(&g->seen, ev->addr, ev->size ? ev->size : 1);
}

bool hd_group_names_learn(struct hd_group_names *g, const struct hd_event *events, size_t n)
{
	if (hd_trace_argc(g->trace)) /* a recorded run has no names of its own */
		return true;
	for (size_t i = 0; i < n; i++) {
		const struct hd_event *ev = &events[i];

		if (hd_op_info[ev->op].addr == HD_U_LOC && !hd_map_get(&g->seen, ev->addr) &&
		    !learn_name(g, ev))
			return false;
	}
	return true;
}

const struct hd_group_resolver *hd_group_names_resolver(struct hd_group_names *g)
{
	return &g->resolver;
}
