#include "thin.h"

#include <stdlib.h>

#define NOBODY UINT32_MAX
#define MANY   (UINT32_MAX - 1)

struct place {
	uint32_t user, writer; /* a thread, NOBODY or MANY */
	size_t last_write;
	bool sync;	 /* it says what synchronisation demands: left alone */
	uint32_t number; /* the new one */
};

static void note_thread(uint32_t *who, uint32_t thread)
{
	*who = *who == NOBODY || *who == thread ? thread : MANY;
}

static bool is_access(const struct hd_step *s)
{
	return s->kind == HD_STEP_READ || s->kind == HD_STEP_WRITE;
}

static void note_access(struct place *x, const struct hd_step *s, size_t at)
{
	note_thread(&x->user, s->thread);
	x->sync |= s->firm || s->added;
	if (s->kind == HD_STEP_WRITE) {
		note_thread(&x->writer, s->thread);
		x->last_write = at;
	}
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

static bool matters(const struct place *x, uint32_t first, size_t alone)
{
	if (x->sync)
		return true;
	if (x->user != MANY || x->writer == NOBODY)
		return false;
	return x->writer != first || x->last_write >= alone;
}

static void renumber(struct hd_instance *in, struct place *places, uint32_t first, size_t alone)
{
	uint32_t n = 0;

	for (uint32_t x = 0; x < in->nlocations; x++) {
		places[x].number = NOBODY;
		if (!matters(&places[x], first, alone))
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
			if (places[s.object].number == NOBODY)
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
		places[x] = (struct place){ .user = NOBODY, .writer = NOBODY };
	for (size_t i = 0; i < in->nsteps; i++)
		if (is_access(&in->steps[i]))
			note_access(&places[in->steps[i].object], &in->steps[i], i);
	alone = alone_until(in, &first);
	renumber(in, places, first, alone);
	drop_steps(in, places);
	free(places);
	return HD_OK;
}
