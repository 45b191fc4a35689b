#include "far_trials.h"

#include <stdlib.h>
#include <unistd.h>

#include "common/interrupts.h"
#include "kept_trials.h"
#include "trial_bytes.h"

#define WAIT 100 /* milliseconds between looks at the budget */

/* Trial i is in place i % HD_POOL_AHEAD. */
struct far {
	struct hd_trials *trials;
	const struct hd_pool *pool;
	struct hd_crew *crew;
	size_t first, next;
	bool no_more;
	struct far_trial {
		struct hd_trial t;
		struct hd_kept_trial kept;
		uint64_t job; /* 0: its result is known already */
	} each[HD_POOL_AHEAD];
};

/* Post as many as may be ahead; false: no memory. */
static bool fill(struct far *f)
{
	while (!f->no_more && f->next - f->first < f->pool->jobs) {
		struct far_trial *x = &f->each[f->next % HD_POOL_AHEAD];
		size_t len;
		char *bytes;

		x->t = (struct hd_trial){ .trace_fd = -1, .text_fd = { -1, -1 } };
		if (!f->trials->next(f->trials->arg, f->next, &x->t)) {
			f->no_more = true;
			return true;
		}
		f->next++;
		x->job = 0;
		hd_kept_ask(f->pool->kept, &x->t, &x->kept);
		if (x->kept.bytes && !x->kept.compare)
			continue;
		bytes = hd_trial_pack(&x->t, f->pool->limit, HD_JOB_TRIAL, &len);
		x->job = bytes ? hd_crew_post(f->crew, bytes, len) : 0;
		if (!x->job)
			return false;
	}
	return true;
}

/* It is known, or @bytes came from whoever ran it; else it runs here. False: an error, or an interrupt. */
static bool get_result(struct far *f, struct far_trial *x, const char *bytes, size_t len,
		       struct hd_task_end *end, bool *brief)
{
	struct hd_trials *trials = f->trials;

	if (hd_kept_take(f->pool->kept, &x->kept, &x->t, end)) {
		*brief = x->kept.brief;
		return true;
	}
	if (bytes && hd_trial_take_result(&x->t, end, bytes, len, brief)) {
		if (*brief)
			hd_kept_keep_brief(f->pool->kept, &x->kept, bytes, len);
		return true;
	}
	if (ftruncate(x->t.trace_fd, 0) == 0 &&
	    hd_trial_run(&x->t, trials->program, f->pool->limit, end))
		return true;
	if (!hd_interrupted())
		trials->rc = hd_error(HD_ERR_SYSTEM, "cannot start a process for a run");
	return false;
}

/* The first trial is done, or is to be done here. False: enough, or an error. */
static bool take_first(struct far *f, const char *bytes, size_t len)
{
	struct far_trial *x = &f->each[f->first % HD_POOL_AHEAD];
	struct hd_trials *trials = f->trials;
	struct hd_task_end end;
	bool more = false, brief = false;

	f->first++;
	if (!hd_trial_prepare(&x->t)) {
		trials->rc = HD_ERR_SYSTEM;
	} else if (!get_result(f, x, bytes, len, &end, &brief)) {
		more = trials->rc == HD_OK;
	} else {
		if (!brief)
			trials->rc = hd_trial_read(&x->t, &end);
		if (trials->rc == HD_OK && !brief)
			hd_kept_keep(f->pool->kept, &x->kept, &x->t, &end);
		if (trials->rc == HD_OK)
			more = trials->take(trials->arg, f->first - 1, &x->t);
	}
	hd_kept_end(&x->kept);
	hd_trial_free(&x->t);
	return more && trials->rc == HD_OK;
}

static enum hd_pool_why work_through(struct far *f)
{
	enum hd_pool_why why;

	for (;;) {
		const struct far_trial *x = &f->each[f->first % HD_POOL_AHEAD];
		char *bytes = NULL;
		size_t len = 0;
		bool more;

		if (hd_pool_is_over(f->pool, &why))
			return why;
		if (!fill(f)) {
			f->trials->rc = hd_error(HD_ERR_NOMEM, "out of memory");
			return HD_POOL_FAILED;
		}
		if (f->first == f->next)
			return HD_POOL_DONE;
		if (x->job && !hd_crew_answer(f->crew, x->job, &bytes, &len)) {
			if (f->trials->idle)
				f->trials->idle(f->trials->arg);
			if (hd_crew_wait(f->crew, WAIT))
				continue;
			hd_crew_forget(f->crew, x->job);
		}
		more = take_first(f, bytes, len);
		free(bytes);
		if (!more)
			return HD_POOL_ENOUGH;
	}
}

enum hd_pool_why hd_far_trials_run(struct hd_trials *t, const struct hd_pool *pool)
{
	struct far *f = calloc(1, sizeof(*f));
	enum hd_pool_why why;

	if (!f) {
		t->rc = hd_error(HD_ERR_NOMEM, "out of memory");
		return HD_POOL_FAILED;
	}
	f->trials = t;
	f->pool = pool;
	f->crew = pool->crew;
	t->rc = HD_OK;
	why = work_through(f);
	while (f->next > f->first) {
		struct far_trial *x = &f->each[--f->next % HD_POOL_AHEAD];

		hd_crew_forget(f->crew, x->job);
		hd_kept_drop(f->pool->kept, &x->kept);
	}
	free(f);
	return why;
}
