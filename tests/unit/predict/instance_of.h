/*
 * Prediction problems from traces that are made in memory. After cmocka.h.
 */
#ifndef HD_TEST_INSTANCE_OF_H
#define HD_TEST_INSTANCE_OF_H

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "predict/from_trace.h"
#include "trace/trace_writer.h"

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
