#include "order_sites.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/memory_order.h"
#include "report/explain.h"
#include "trace/trace_reader.h"

struct look {
	struct hd_order_sites *sites;
	const struct hd_run *run;
	const struct hd_order_change *tried;
	size_t ntried;
	bool *grown;
};

static char *copy_of(const char *text, bool *no_memory)
{
	char *copy = text ? strdup(text) : NULL;

	*no_memory |= text && !copy;
	return copy;
}

static bool has_pc(const struct hd_order_site *s, uint64_t pc)
{
	for (size_t i = 0; i < s->pcs.n; i++) {
		if (s->pcs.list[i] == pc)
			return true;
	}
	return false;
}

static struct hd_order_site *site_of_pc(struct hd_order_sites *s, uint64_t pc)
{
	for (size_t i = 0; i < s->n; i++) {
		if (has_pc(&s->list[i], pc))
			return &s->list[i];
	}
	return NULL;
}

static struct hd_order_site *site_at(struct hd_order_sites *s, enum hd_op op,
				     const struct hd_frame *at)
{
	for (size_t i = 0; i < s->n; i++) {
		struct hd_order_site *site = &s->list[i];

		if (site->op == op && site->line == at->line && site->column == at->column &&
		    at->line && site->file && at->file && !strcmp(site->file, at->file))
			return site;
	}
	return NULL;
}

/* "slots[3].key" as "slots[].key": it may be another element next time. */
static void forget_index(char *name)
{
	char *open = strchr(name, '['), *close = open ? strchr(open, ']') : NULL;

	if (close)
		memmove(open + 1, close, strlen(close) + 1);
}

static struct hd_order_site *new_site(struct look *l, enum hd_op op, const struct hd_event *ev,
				      const struct hd_frame *at)
{
	struct hd_order_sites *s = l->sites;
	struct hd_order_site *site;
	char name[512];

	if (!HD_ROOM(s->list, s->room, s->n + 1)) {
		s->no_memory = true;
		return NULL;
	}
	site = &s->list[s->n++];
	*site = (struct hd_order_site){ .op = op,
					.was = hd_order_parts(ev->arg),
					.only_fails = ev->op == HD_OP_ATOMIC_CAS_FAIL,
					.line = at->line,
					.column = at->column };
	site->file = copy_of(at->file, &s->no_memory);
	site->function = copy_of(at->function, &s->no_memory);
	if (op != HD_OP_FENCE && hd_object_name(l->run, ev->addr, name, sizeof(name))) {
		forget_index(name);
		site->object = copy_of(name, &s->no_memory);
	}
	return site;
}

/* It was met: its instruction, and its order, if that of a success was not known. */
static void meet(struct look *l, struct hd_order_site *site, const struct hd_event *ev)
{
	size_t i = (size_t)(site - l->sites->list);
	bool changed = i < l->ntried && (l->tried[i].changes || l->tried[i].fence), new = false;

	l->sites->no_memory |= !hd_places_add(&site->pcs, ev->pc, &new);
	*l->grown |= new &&changed;
	site->seen = l->sites->runs;
	site->compares |= ev->op == HD_OP_ATOMIC_CAS_FAIL;
	if (site->only_fails && ev->op == HD_OP_ATOMIC_RMW && !changed) {
		site->was = hd_order_parts(ev->arg);
		site->only_fails = false;
	}
}

static bool see(void *arg, const struct hd_event *ev, uint64_t index)
{
	struct look *l = arg;
	enum hd_op op = ev->op == HD_OP_ATOMIC_CAS_FAIL ? HD_OP_ATOMIC_RMW : ev->op;
	struct hd_frame at = { 0 };
	struct hd_order_site *site;

	if (op != HD_OP_ATOMIC_LOAD && op != HD_OP_ATOMIC_STORE && op != HD_OP_ATOMIC_RMW &&
	    op != HD_OP_FENCE)
		return true;
	site = site_of_pc(l->sites, ev->pc);
	if (site && op == HD_OP_FENCE && site->op != HD_OP_FENCE)
		return true; /* one that was tried before it */
	if (!site) {
		hd_run_frame(l->run, ev->pc, &at);
		site = site_at(l->sites, op, &at);
	}
	if (!site)
		site = new_site(l, op, ev, &at);
	if (site)
		meet(l, site, ev);
	return !l->sites->no_memory;
}

bool hd_order_sites_look(struct hd_order_sites *s, struct hd_trial *t,
			 const struct hd_order_change *tried, size_t ntried, bool *grown)
{
	struct look l = {
		.sites = s, .run = &t->run, .tried = tried, .ntried = ntried, .grown = grown
	};

	s->runs++;
	*grown = false;
	hd_trace_each(t->trace, see, &l);
	return !s->no_memory;
}

unsigned hd_order_site_parts(const struct hd_order_site *s)
{
	if (s->op == HD_OP_ATOMIC_LOAD)
		return HD_PARTS_SEQ_CST & ~HD_PART_RELEASES;
	return s->op == HD_OP_ATOMIC_STORE ? HD_PARTS_SEQ_CST & ~HD_PART_ACQUIRES
					   : HD_PARTS_SEQ_CST;
}

const char *hd_order_site_word(const struct hd_order_site *s)
{
	if (s->op == HD_OP_ATOMIC_LOAD)
		return "load";
	if (s->op == HD_OP_ATOMIC_STORE)
		return "store";
	if (s->op == HD_OP_FENCE)
		return "fence";
	return s->compares ? "compare-exchange" : "read-modify-write";
}

char *hd_order_sites_text(const struct hd_order_sites *s, const struct hd_order_change *tried,
			  bool weaker)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t i = 0; out && i < s->n; i++) {
		for (size_t k = 0; k < s->list[i].pcs.n; k++) {
			uint64_t pc = s->list[i].pcs.list[k];

			if (tried[i].changes)
				fprintf(out, "%s%" PRIx64 "%c%u", ftell(out) ? "," : "", pc,
					weaker ? '-' : '+', tried[i].to);
			if (tried[i].fence)
				fprintf(out, "%s%" PRIx64 "!%u", ftell(out) ? "," : "", pc,
					tried[i].fence);
		}
	}
	if (!out || fclose(out) != 0) {
		free(text);
		return NULL;
	}
	return text;
}

void hd_order_sites_free(struct hd_order_sites *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->list[i].pcs.list);
		free(s->list[i].file);
		free(s->list[i].function);
		free(s->list[i].object);
	}
	free(s->list);
	*s = (struct hd_order_sites){ 0 };
}
