#include "task_velodrome.h"

#include <stdlib.h>

#include "common/map.h"

struct hd_task_velodrome {
	struct hd_atomicity *atomicity;
	struct hd_map in; /* thread -> the step whose block is open */
};

struct hd_task_velodrome *hd_task_velodrome_new(void)
{
	struct hd_task_velodrome *v = calloc(1, sizeof(*v));
	const struct hd_blocks_options blocks = { 0 };

	if (v && hd_atomicity_new(&v->atomicity, &blocks) != HD_OK) {
		free(v);
		v = NULL;
	}
	return v;
}

void hd_task_velodrome_free(struct hd_task_velodrome *v)
{
	if (!v)
		return;
	hd_atomicity_free(v->atomicity);
	hd_map_free(&v->in);
	free(v);
}

static enum hd_err mark(struct hd_task_velodrome *v, uint8_t op, const struct hd_event *ev,
			uint64_t index)
{
	const struct hd_event block = {
		.op = op, .thread = ev->thread, .pc = ev->pc, .ctx = ev->ctx
	};

	return hd_atomicity_event(v->atomicity, &block, index);
}

/*
 * Blocks that the program declares itself are parts of steps. The order of locks is left out: it
 * tears every step with two critical sections, whatever they are about.
 */
enum hd_err hd_task_velodrome_event(struct hd_task_velodrome *v, hd_dpst_id step,
				    const struct hd_event *ev, uint64_t index)
{
	uint64_t in = hd_map_get(&v->in, ev->thread);
	enum hd_err err = HD_OK;

	if (ev->op == HD_OP_BEGIN || ev->op == HD_OP_END || ev->op == HD_OP_ACQUIRE ||
	    ev->op == HD_OP_RELEASE)
		return HD_OK;
	if (in > 1 && in != step + 1ull) {
		err = mark(v, HD_OP_END, ev, index);
		in = 1;
	}
	if (!err && step && in <= 1) {
		err = mark(v, HD_OP_BEGIN, ev, index);
		in = step + 1ull;
	}
	if (in && !hd_map_set(&v->in, ev->thread, in))
		return HD_ERR_NOMEM;
	return err ? err : hd_atomicity_event(v->atomicity, ev, index);
}

struct listener {
	hd_found_fn *fn;
	void *arg;
};

/* Cycles through several locations are told by nobody else here. */
static void pass_on(void *arg, const struct hd_found *f)
{
	const struct listener *l = arg;

	if (f->pattern)
		l->fn(l->arg, f);
}

void hd_task_velodrome_report(const struct hd_task_velodrome *v, hd_found_fn *fn, void *arg)
{
	struct listener l = { fn, arg };

	hd_atomicity_report(v->atomicity, pass_on, &l);
}
