#include "thin.h"

#include <stdlib.h>

struct place {
	struct hd_thin_use use;
	uint32_t number; /* the new one */
};

static void note_thread(uint32_t *who, uint32_t thread)
{
	*who = *who == HD_THIN_NOBODY || *who == thread ? thread : HD_THIN_MANY;
}

void hd_thin_note(struct hd_thin_use *u, uint32_t thread, bool writes, uint64_t at)
{
	note_thread(&u->user, thread);
	if (writes) {
		note_thread(&u->writer, thread);
		u->last_write = at;
	}
}

bool hd_thin_matters(const struct hd_thin_use *u, uint32_t first, uint64_t alone)
{
	if (u->sync)
		return true;
	if (u->user != HD_THIN_MANY || u->writer == HD_THIN_NOBODY)
		return false;
	return u->writer != first || u->last_write >= alone;
}

static bool is_access(const struct hd_step *s)
{
	return s->kind == HD_STEP_READ || s->kind == HD_STEP_WRITE;
}

/* Until when there is nobody but @first, the one thread that is not forked; 0: never. */
static size_t alone_until(const struct hd_instance *in, uint32_t *first)
{
	uint32_t forked = 0;
	size_t until = 0;

	*first = in->nsteps ? in->steps[0].thread : 0;
	for (size_t i = 0; i < in->nsteps; i++) {
		if (in->steps[i].kind != HD_STEP_FORK)
			continue;
		if (in->steps[i].object == *first)
			return 0;
		if (!forked++)
			until = i;
	}
	return forked + 1 >= in->nthreads ? until : 0;
}

static void renumber(struct hd_instance *in, struct place *places, uint32_t first, size_t alone)
{
	uint32_t n = 0;

	for (uint32_t x = 0; x < in->nlocations; x++) {
		places[x].number = HD_THIN_NOBODY;
		if (!hd_thin_matters(&places[x].use, first, alone))
			continue;
		if (in->init)
			in->init[n] = in->init[x];
		places[x].number = n++;
	}
	in->nlocations = n;
}

static void drop_steps(struct hd_instance *in, const struct place *places)
{
	size_t n = 0;

	for (size_t i = 0; i < in->nsteps; i++) {
		struct hd_step s = in->steps[i];

		if (is_access(&s)) {
			if (places[s.object].number == HD_THIN_NOBODY)
				continue;
			s.object = places[s.object].number;
		}
		in->steps[n++] = s;
	}
	in->nsteps = n;
}

enum hd_err hd_instance_thin(struct hd_instance *in)
{
	struct place *places = malloc(((size_t)in->nlocations + 1) * sizeof(*places));
	uint32_t first;
	size_t alone;

	if (!places)
		return HD_ERR_NOMEM;
	for (uint32_t x = 0; x < in->nlocations; x++)
		places[x].use = HD_THIN_UNUSED;
	for (size_t i = 0; i < in->nsteps; i++) {
		if (is_access(&in->steps[i])) {
			const struct hd_step *s = &in->steps[i];
			struct hd_thin_use *u = &places[s->object].use;

			hd_thin_note(u, s->thread, s->kind == HD_STEP_WRITE, i);
			u->sync |= s->firm || s->added;
		}
	}
	alone = alone_until(in, &first);
	renumber(in, places, first, alone);
	drop_steps(in, places);
	free(places);
	return HD_OK;
}
