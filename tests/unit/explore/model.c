#include "model.h"

#include <string.h>

#include "common/hash.h"
#include "common/rng.h"

struct machine {
	const struct model *m;
	unsigned at[MODEL_THREADS];
	bool begun[MODEL_THREADS], chosen[MODEL_THREADS], waits[MODEL_THREADS];
	uint64_t sum[MODEL_THREADS], value[MODEL_OBJECTS];
	unsigned owner[MODEL_OBJECTS], readers[MODEL_OBJECTS], count[MODEL_OBJECTS];
	struct hd_xlog *log;
	bool asleep[MODEL_THREADS + 1];
	bool begins;
	size_t followed; /* steps of the request's wakeup */
	const struct hd_xrequest *request;
};

static bool ended(const struct machine *c, unsigned t)
{
	return c->at[t] >= c->m->nops[t];
}

static bool can_run(const struct machine *c, unsigned t)
{
	const struct model_op *op = &c->m->ops[t][c->at[t]];

	if (!c->begun[t] || ended(c, t))
		return false;
	switch (op->kind) {
	case M_LOCK:
		return !c->owner[op->object] && !c->readers[op->object];
	case M_RDLOCK:
		return !c->owner[op->object];
	case M_DOWN:
		return !c->waits[t] || c->count[op->object] > 0;
	case M_TAKE:
		return c->count[op->object] > 0;
	case M_JOIN:
		return ended(c, op->object) && c->begun[op->object];
	default:
		return true;
	}
}

static void tell(struct machine *c, unsigned t, enum hd_xop_kind kind, uint64_t object)
{
	struct hd_xop *op = &c->log->ops[c->log->nops++];

	*op = (struct hd_xop){ .object = object,
			       .thread = t + 1,
			       .kind = (uint8_t)kind,
			       .bytes = 0xff,
			       .begins = c->begins };
	c->begins = false;
	if (c->log->nnodes)
		c->log->nodes[c->log->nnodes - 1].nops++;
	for (size_t i = 0; i < c->request->nsleepers; i++) {
		const struct hd_xsleeper *s = &c->request->sleepers[i];

		if (c->log->nnodes >= c->request->nprefix && s->thread != t + 1 &&
		    hd_xops_conflict(op, 1, c->request->ops + s->first_op, s->nops))
			c->asleep[s->thread - 1] = false;
	}
}

static void lock_step(struct machine *c, unsigned t, const struct model_op *op)
{
	uint64_t name = 100 + op->object;

	switch (op->kind) {
	case M_LOCK:
		tell(c, t, HD_X_LOCK, name);
		c->owner[op->object] = t + 1;
		break;
	case M_UNLOCK:
		if (c->owner[op->object] == t + 1) { /* a try may have failed */
			tell(c, t, HD_X_UNLOCK, name);
			c->owner[op->object] = 0;
		} else {
			tell(c, t, HD_X_STEP, 0);
		}
		break;
	case M_TRY:
		if (c->owner[op->object] || c->readers[op->object]) {
			tell(c, t, HD_X_TRY, name);
			c->at[t]++;
			c->sum[t] = c->sum[t] * 31 + 7;
		} else {
			tell(c, t, HD_X_WRITE, name);
			tell(c, t, HD_X_LOCK, name);
			c->owner[op->object] = t + 1;
		}
		break;
	case M_RDLOCK:
		tell(c, t, HD_X_LOCK_SHARED, name);
		c->readers[op->object]++;
		break;
	default:
		tell(c, t, HD_X_UNLOCK_SHARED, name);
		c->readers[op->object]--;
		break;
	}
}

/* Equal threads have one. */
static unsigned name_of(const struct machine *c, unsigned t)
{
	return c->m->equal[t] ? c->m->equal[t] - 1 : t;
}

static void step(struct machine *c, unsigned t)
{
	const struct model_op *op = &c->m->ops[t][c->at[t]];
	unsigned x = op->object;

	c->begins = true;
	if (c->m->alike && !c->chosen[t]) {
		c->chosen[t] = true;
		tell(c, t, HD_X_STEP, 0);
		return;
	}
	switch (op->kind) {
	case M_READ:
		tell(c, t, HD_X_READ, x);
		c->sum[t] = c->sum[t] * 31 + c->value[x];
		break;
	case M_WRITE:
		tell(c, t, HD_X_WRITE, x);
		c->value[x] = c->sum[t] * 17 + name_of(c, t) + c->at[t] * 5 + 1;
		break;
	case M_ADD:
		tell(c, t, HD_X_WRITE, x);
		if (c->m->alike)
			c->sum[t] = c->sum[t] * 31 + c->value[x];
		c->value[x] += name_of(c, t) + 1;
		break;
	case M_SKIP_IF:
		tell(c, t, HD_X_READ, x);
		if (c->value[x] & 1)
			c->at[t]++;
		break;
	case M_POST:
		tell(c, t, c->count[x] ? HD_X_WRITE : HD_X_GIVE, 200 + x);
		c->count[x]++;
		break;
	case M_TAKE:
		tell(c, t, HD_X_TAKE, 200 + x);
		c->count[x]--;
		break;
	case M_DOWN:
		tell(c, t, HD_X_WRITE, 200 + x);
		c->log->ops[c->log->nops - 1].resumed = c->waits[t];
		if (!c->count[x]) {
			c->waits[t] = true; /* it stays here, and cannot run now */
			return;
		}
		c->waits[t] = false;
		c->count[x]--;
		break;
	case M_FORK:
		tell(c, t, HD_X_FORK, x + 1);
		c->begun[x] = true;
		break;
	case M_JOIN:
		tell(c, t, HD_X_JOIN, x + 1);
		break;
	default:
		lock_step(c, t, op);
		break;
	}
	c->at[t]++;
}

/* The step that is asked for next, if one of @n threads can make it; 0: none, from now on. */
static uint32_t follow(struct machine *c, const uint32_t *threads, unsigned n)
{
	if (c->log->nnodes < c->request->nprefix || c->followed == c->request->nwakeup)
		return 0;
	for (unsigned i = 0; i < n; i++) {
		if (threads[i] == c->request->wakeup[c->followed])
			return c->request->wakeup[c->followed++];
	}
	c->followed = c->request->nwakeup;
	return 0;
}

/* Who runs next; MODEL_THREADS: nobody, the execution is over. */
static unsigned decide(struct machine *c, const uint32_t *enabled, unsigned n, unsigned current,
		       struct hd_rng *rng)
{
	struct hd_xlog *log = c->log;
	struct hd_xnode *node = &log->nodes[log->nnodes];
	uint32_t awake[MODEL_THREADS], chosen;
	unsigned nawake = 0;

	for (unsigned i = 0; i < n; i++) {
		if (!c->asleep[enabled[i] - 1])
			awake[nawake++] = enabled[i];
	}
	if (log->nnodes < c->request->nprefix) {
		chosen = c->request->prefix[log->nnodes];
	} else if ((chosen = follow(c, awake, nawake))) {
		/* as asked */
	} else if (!nawake) {
		log->end = HD_X_END_REDUNDANT;
		return MODEL_THREADS;
	} else if (rng) {
		chosen = awake[hd_rng_below(rng, nawake)];
	} else {
		chosen = hd_x_default(awake, nawake, current);
	}
	*node = (struct hd_xnode){ .nenabled = n,
				   .chosen = chosen,
				   .first_op = (uint32_t)log->nops };
	node->first_enabled = log->nnodes ? node[-1].first_enabled + node[-1].nenabled : 0;
	memcpy(log->threads + node->first_enabled, enabled, n * sizeof(*enabled));
	for (unsigned i = 0; i < n; i++) {
		if (enabled[i] == current)
			node->current = current;
	}
	log->nnodes++;
	if (log->nnodes == c->request->nprefix) {
		for (size_t i = 0; i < c->request->nsleepers; i++)
			c->asleep[c->request->sleepers[i].thread - 1] = true;
	}
	return chosen - 1;
}

static uint64_t fingerprint(const struct machine *c)
{
	uint64_t h = 1;

	for (unsigned i = 0; i < MODEL_OBJECTS; i++)
		h = h * 1000003 + c->value[i];
	for (unsigned t = 0; t < c->m->nthreads && !c->m->alike; t++)
		h = (h * 1000003 + c->sum[t]) * 1000003 + c->at[t];
	for (unsigned t = 0; t < c->m->nthreads && c->m->alike; t++)
		h += hd_hash_pair(hd_hash_pair(c->sum[t], c->at[t]), name_of(c, t));
	return h;
}

/* What blocked threads would do next matters to whoever holds them up. */
static void tell_pending(struct machine *c)
{
	size_t before = c->log->nops;

	for (unsigned t = 0; t < c->m->nthreads; t++) {
		const struct model_op *op = &c->m->ops[t][c->at[t]];

		if (!c->begun[t] || ended(c, t) || can_run(c, t))
			continue;
		c->begins = true;
		if (op->kind == M_LOCK)
			tell(c, t, HD_X_LOCK, 100 + op->object);
		if (op->kind == M_RDLOCK)
			tell(c, t, HD_X_LOCK_SHARED, 100 + op->object);
		if (op->kind == M_DOWN || op->kind == M_TAKE)
			tell(c, t, HD_X_WRITE, 200 + op->object);
	}
	c->log->npending = c->log->nops - before;
}

/* Somebody who does nothing else has made it, before everything. */
static void make_equal(struct machine *c, unsigned t)
{
	c->begins = true;
	tell(c, MODEL_THREADS, HD_X_FORK, t + 1);
	c->log->ops[c->log->nops - 1].source = c->m->equal[t] == t + 1 ? 0 : c->m->equal[t];
	c->log->uses |= HD_X_USES_EQUAL;
}

enum hd_err model_run(void *arg, const struct hd_xrequest *request, struct hd_xlog *log,
		      struct hd_errbuf *eb)
{
	struct model *m = arg;
	struct machine c = { .m = m, .log = log, .request = request };
	struct hd_rng rng;
	unsigned current = 0;

	*log = (struct hd_xlog){ .nodes = m->nodes, .ops = m->done, .threads = m->threads };
	hd_rng_seed(&rng, request->random);
	for (unsigned t = 0; t < m->nthreads; t++)
		c.begun[t] = m->forked_at_start[t];
	for (unsigned t = 0; t < m->nthreads && m->alike && !m->by_names; t++)
		make_equal(&c, t);
	memcpy(c.count, m->posted, sizeof(c.count));
	for (;;) {
		uint32_t enabled[MODEL_THREADS];
		unsigned n = 0, t;

		for (t = 0; t < m->nthreads; t++) {
			if (can_run(&c, t))
				enabled[n++] = t + 1;
		}
		if (n == 0)
			break;
		if (n == 1 && c.asleep[enabled[0] - 1]) {
			log->end = HD_X_END_REDUNDANT;
			break;
		}
		t = n == 1 ? enabled[0] - 1
			   : decide(&c, enabled, n, current, request->random ? &rng : NULL);
		if (t == MODEL_THREADS)
			break;
		if (n == 1)
			follow(&c, enabled, n);
		current = t + 1;
		step(&c, t);
	}
	m->deadlock = false;
	if (log->end == HD_X_END_DONE) {
		for (unsigned t = 0; t < m->nthreads; t++)
			m->deadlock |= c.begun[t] && !ended(&c, t);
	}
	tell_pending(&c);
	m->final = fingerprint(&c);
	return HD_OK;
}
