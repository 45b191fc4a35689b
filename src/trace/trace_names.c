#include "trace_names.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "event.h"

#define NAME_MAX_SOURCE 256

void hd_namer_init(struct hd_namer *n, const struct hd_trace *t, const struct hd_name_source *src)
{
	*n = (struct hd_namer){ .t = t, .source = src };
}

static void free_space(struct hd_name_space *s)
{
	hd_texts_free(&s->texts);
	hd_map_free(&s->by_addr);
	hd_map_free(&s->owner_of);
}

void hd_namer_free(struct hd_namer *n)
{
	free_space(&n->locations);
	free_space(&n->objects);
}

static void make_identifier(char *s)
{
	for (char *p = s; *p; p++) {
		if (!isalnum((unsigned char)*p) || (p == s && isdigit((unsigned char)*p)))
			*p = '_';
	}
}

/* Keep @name for @addr, changed until nobody else has it. */
static const char *keep(struct hd_name_space *s, uint64_t addr, const char *name)
{
	size_t len = strlen(name), room = len + 64;
	char *own = malloc(room);
	uint32_t number = 0;

	if (!own)
		return NULL;
	memcpy(own, name, len + 1);
	make_identifier(own);
	if (!*own)
		strcpy(own, "_");
	for (unsigned try = 0;; try++) {
		uint64_t owner;

		number = hd_texts_add(&s->texts, own, strlen(own));
		owner = hd_map_get(&s->owner_of, number);
		if (!number || !owner)
			break;
		snprintf(own + len, room - len, try ? "_%" PRIx64 "_%u" : "_%" PRIx64, addr, try);
	}
	free(own);
	if (!number || !hd_map_set(&s->owner_of, number, addr + 1) ||
	    !hd_map_set(&s->by_addr, addr, number))
		return NULL;
	return hd_texts_get(&s->texts, number);
}

const char *hd_name_location(struct hd_namer *n, uint64_t addr, uint64_t size)
{
	uint64_t have = hd_map_get(&n->locations.by_addr, addr);
	const struct hd_name_source *src = n->source;
	const char *name = hd_trace_name(n->t, addr);
	char buf[NAME_MAX_SOURCE];

	if (have)
		return hd_texts_get(&n->locations.texts, (uint32_t)have);
	if (!name && src && src->location && src->location(src->arg, addr, size, buf, sizeof(buf)))
		name = buf;
	if (!name) {
		snprintf(buf, sizeof(buf), "x_%" PRIx64, addr);
		name = buf;
	}
	return keep(&n->locations, addr, name);
}

/* One letter that says what an object is, from the first event that names it. */
static char object_letter(uint8_t op)
{
	switch (op) {
	case HD_OP_WAIT:
	case HD_OP_WAKE:
	case HD_OP_NOTIFY:
	case HD_OP_NOTIFY_ALL:
		return 'c';
	case HD_OP_BARRIER_ENTER:
	case HD_OP_BARRIER_LEAVE:
		return 'b';
	case HD_OP_SEM_POST:
	case HD_OP_SEM_WAIT:
		return 's';
	case HD_OP_ACQUIRE:
	case HD_OP_RELEASE:
	case HD_OP_ACQUIRE_FAIL:
	case HD_OP_LOCK_INIT:
	case HD_OP_LOCK_DESTROY:
	case HD_OP_HOLDS:
		return 'm';
	default:
		return 'o';
	}
}

const char *hd_name_object(struct hd_namer *n, uint64_t addr, uint8_t op)
{
	uint64_t have = hd_map_get(&n->objects.by_addr, addr);
	const struct hd_name_source *src = n->source;
	const char *name = hd_trace_name(n->t, addr);
	char buf[NAME_MAX_SOURCE];

	if (have)
		return hd_texts_get(&n->objects.texts, (uint32_t)have);
	if (!name && src && src->object && src->object(src->arg, addr, buf, sizeof(buf)))
		name = buf;
	if (!name) {
		snprintf(buf, sizeof(buf), "%c_%" PRIx64, object_letter(op), addr);
		name = buf;
	}
	return keep(&n->objects, addr, name);
}

bool hd_name_site(const struct hd_namer *n, uint64_t pc, const char **file, uint32_t *line)
{
	if (!pc)
		return false;
	if (hd_trace_site(n->t, pc, file, line))
		return true;
	return n->source && n->source->site && n->source->site(n->source->arg, pc, file, line);
}
