/*
 * Prediction problems from traces that are made in memory. After cmocka.h.
 */
#ifndef HD_TEST_INSTANCE_OF_H
#define HD_TEST_INSTANCE_OF_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "predict/from_trace.h"
#include "predict/thin.h"
#include "trace/trace_writer.h"

/* Locks around accesses that were left out hold nothing any more: they are left out, too. */
static inline void drop_empty_sections(struct hd_instance *in)
{
	size_t n = 0;

	for (size_t i = 0; i < in->nsteps; i++) {
		const struct hd_step *s = &in->steps[i];

		if (i + 1 < in->nsteps && s->added && s->kind == HD_STEP_ACQUIRE && s[1].added &&
		    s[1].kind == HD_STEP_RELEASE && s[1].index == s->index)
			i++;
		else
			in->steps[n++] = *s;
	}
	in->nsteps = n;
}

/* Made without what no order changes, it is what is left when that is taken out. */
static inline void same_when_thin(struct hd_trace *t)
{
	struct hd_instance all, thin;
	struct hd_errbuf eb = { 0 };
	uint32_t nlocations, before, *locks;

	assert_int_equal(hd_instance_from_trace(&all, t, &eb), HD_OK);
	before = all.nlocations;
	assert_int_equal(hd_instance_thin(&all), HD_OK);
	assert_int_equal(hd_instance_thin_from_trace(&thin, &nlocations, t, &eb), HD_OK);
	assert_int_equal(nlocations, before);
	assert_int_equal(thin.nlocations, all.nlocations);
	drop_empty_sections(&all);
	drop_empty_sections(&thin);
	assert_int_equal(thin.nsteps, all.nsteps);
	assert_int_equal(thin.nthreads, all.nthreads);
	assert_int_equal(thin.nsemaphores, all.nsemaphores);
	assert_true(thin.nlocks <= all.nlocks);
	locks = calloc(all.nlocks + 1ul, sizeof(*locks));
	assert_non_null(locks);
	for (size_t i = 0; i < all.nsteps; i++) {
		const struct hd_step *a = &all.steps[i], *b = &thin.steps[i];
		bool lock = a->kind == HD_STEP_ACQUIRE || a->kind == HD_STEP_RELEASE ||
			    a->kind == HD_STEP_FAIL;

		if (lock && !locks[a->object])
			locks[a->object] = b->object + 1;

		assert_true(a->kind == b->kind && a->shared == b->shared &&
			    a->thread == b->thread &&
			    (lock ? locks[a->object] == b->object + 1 : a->object == b->object) &&
			    a->value == b->value && a->index == b->index && a->added == b->added &&
			    a->firm == b->firm && a->assumed == b->assumed);
	}
	for (uint32_t x = 0; x < all.nlocations; x++)
		assert_int_equal(all.init[x], thin.init[x]);
	free(locks);
	hd_instance_free(&all);
	hd_instance_free(&thin);
}

static inline struct hd_instance instance_of_file(int fd)
{
	struct hd_instance in;
	struct hd_errbuf eb = { 0 };
	struct hd_trace *t;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(hd_trace_open(&t, path, &eb), HD_OK);
	if (hd_instance_from_trace(&in, t, &eb))
		fail_msg("%s", eb.text);
	same_when_thin(t);
	hd_trace_close(t);
	close(fd);
	return in;
}

/* A trace in memory. */
static inline struct hd_trace_writer *start_trace(int *fd)
{
	const struct hd_trace_meta meta = { 0 };
	struct hd_trace_writer *w;

	*fd = memfd_create("trace", 0);
	assert_true(*fd >= 0);
	assert_int_equal(hd_trace_create_fd(&w, dup(*fd), "memory", &meta, NULL), HD_OK);
	return w;
}

static inline struct hd_instance instance_of_events(const struct hd_event *ev, size_t n)
{
	struct hd_trace_writer *w;
	int fd;

	w = start_trace(&fd);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(hd_trace_put(w, &ev[i]), HD_OK);
	assert_int_equal(hd_trace_finish(w, NULL, NULL), HD_OK);
	return instance_of_file(fd);
}

#endif
