#include "random_run.h"

#include <string.h>

#define BYTES 2048u

enum state { UNBORN, RUNNING, OVER };

struct maker {
	struct hd_rng *rng;
	const struct random_run *rr;
	struct hd_event *out;
	size_t n;
	uint8_t memory[BYTES];
	enum state state[RANDOM_RUN_THREADS + 1];
	bool joined[RANDOM_RUN_THREADS + 1];
	unsigned depth[RANDOM_RUN_THREADS + 1]; /* of blocks */
	uint32_t owner[RANDOM_RUN_LOCKS];	/* holds it exclusively; 0: nobody */
	bool shares[RANDOM_RUN_LOCKS][RANDOM_RUN_THREADS + 1];
	unsigned posts;
	uint32_t notifier;
	bool signalled, once_done;
	uint32_t waits_at_barrier; /* the thread that entered first; 0: none */
	uint32_t leaves[3];	   /* threads that have yet to leave */
	uint64_t round, leaves_round;
};

static unsigned below(struct maker *m, unsigned n)
{
	return (unsigned)hd_rng_below(m->rng, n);
}

static struct hd_event *emit(struct maker *m, uint32_t thread, enum hd_op op)
{
	struct hd_event *ev = &m->out[m->n];

	/* Every event its own site: a finding then names its events. */
	*ev = (struct hd_event){ .op = (uint8_t)op, .thread = thread, .pc = 0x1000 + m->n };
	m->n++;
	return ev;
}

static uint64_t value_at(const struct maker *m, uint64_t at, unsigned size)
{
	uint64_t value = 0;

	memcpy(&value, m->memory + at, size);
	return value;
}

static void access_variable(struct maker *m, uint32_t t)
{
	bool odd = m->rr->odd_sizes && below(m, 2), write = below(m, 2);
	unsigned at = 8 * below(m, m->rr->variables) + (odd ? below(m, 8) : 0);
	unsigned size = odd ? 1 + below(m, 8) : 8, kind = m->rr->atomics ? below(m, 4) : 0;
	struct hd_event *ev = emit(m, t, write ? HD_OP_WRITE : HD_OP_READ);

	if (kind == 1)
		ev->op = write ? HD_OP_ATOMIC_STORE : HD_OP_ATOMIC_LOAD;
	else if (kind == 2)
		ev->op = write ? HD_OP_ATOMIC_RMW : HD_OP_ATOMIC_CAS_FAIL;
	ev->addr = RANDOM_RUN_MEMORY + at;
	ev->size = size;
	ev->value = value_at(m, at, size);
	if (write) {
		uint64_t value = m->n & 0xff;

		*(ev->op == HD_OP_ATOMIC_RMW ? &ev->value2 : &ev->value) = value;
		memcpy(m->memory + at, &value, size);
	}
}

static void access_range(struct maker *m, uint32_t t)
{
	bool write = below(m, 2);
	struct hd_event *ev = emit(m, t, write ? HD_OP_WRITE_RANGE : HD_OP_READ_RANGE);
	unsigned at = 0, len;

	switch (below(m, 3)) {
	case 0:
		len = 1024;
		break;
	case 1:
		len = 1024 + below(m, 40);
		break;
	default:
		at = below(m, 8 * m->rr->variables);
		len = 1 + below(m, 30);
	}
	ev->addr = RANDOM_RUN_MEMORY + at;
	ev->value = len;
	if (write)
		memset(m->memory + at, (int)(m->n & 0xff), len);
}

static void free_variable(struct maker *m, uint32_t t)
{
	unsigned at = 8 * below(m, m->rr->variables), len = below(m, 2) ? 8 : 16;
	struct hd_event *ev = emit(m, t, below(m, 2) ? HD_OP_FREE : HD_OP_ALLOC);

	ev->addr = RANDOM_RUN_MEMORY + at;
	ev->value = len;
	memset(m->memory + at, 0, len);
}

static bool is_shared(const struct maker *m, unsigned lock)
{
	for (unsigned t = 1; t <= m->rr->threads; t++) {
		if (m->shares[lock][t])
			return true;
	}
	return false;
}

static bool use_lock(struct maker *m, uint32_t t)
{
	unsigned lock = below(m, m->rr->locks);
	bool want_shared = m->rr->shared_locks && below(m, 2), mine = m->owner[lock] == t;
	struct hd_event *ev;

	if (mine || m->shares[lock][t]) {
		ev = emit(m, t, HD_OP_RELEASE);
		ev->arg = mine ? HD_LOCK_EXCLUSIVE : HD_LOCK_SHARED;
		m->shares[lock][t] = false;
		m->owner[lock] = mine ? 0 : m->owner[lock];
	} else if (m->owner[lock] || (!want_shared && is_shared(m, lock))) {
		return false;
	} else {
		ev = emit(m, t, HD_OP_ACQUIRE);
		ev->arg = want_shared ? HD_LOCK_SHARED : HD_LOCK_EXCLUSIVE;
		if (want_shared)
			m->shares[lock][t] = true;
		else
			m->owner[lock] = t;
	}
	if (m->rr->shared_locks)
		ev->arg |= HD_LOCK_RWLOCK;
	ev->addr = RANDOM_RUN_LOCK + 64 * lock;
	return true;
}

static bool use_block(struct maker *m, uint32_t t)
{
	if (m->depth[t] && m->rr->long_blocks && below(m, 4))
		return false;
	if (m->depth[t] && below(m, 2)) {
		emit(m, t, HD_OP_END);
		m->depth[t]--;
	} else if (m->depth[t] < 3) {
		emit(m, t, HD_OP_BEGIN);
		m->depth[t]++;
	}
	return true;
}

static bool fork_or_join(struct maker *m, uint32_t t)
{
	uint32_t other = 1 + below(m, m->rr->threads);

	if (other == t)
		return false;
	if (m->state[other] == UNBORN) {
		emit(m, t, HD_OP_FORK)->value = other;
		m->state[other] = RUNNING;
	} else if (m->state[other] == OVER && !m->joined[other]) {
		emit(m, t, HD_OP_JOIN)->value = other;
		m->joined[other] = true;
	} else {
		return false;
	}
	return true;
}

static void end_thread(struct maker *m, uint32_t t)
{
	for (unsigned lock = 0; lock < m->rr->locks; lock++) {
		if (m->owner[lock] == t || m->shares[lock][t])
			return; /* not while it holds one */
	}
	emit(m, t, HD_OP_THREAD_END);
	m->state[t] = OVER;
}

/* A barrier of two: the second that comes lets both leave. */
static void enter_barrier(struct maker *m, uint32_t t)
{
	struct hd_event *ev;

	/* One may come back before the other has left, but not start the next round alone. */
	if (m->waits_at_barrier && (m->leaves[0] || m->leaves[1]))
		return;
	ev = emit(m, t, HD_OP_BARRIER_ENTER);
	ev->addr = RANDOM_RUN_OBJECT + 192;
	ev->value = m->round;
	if (!m->waits_at_barrier) {
		m->waits_at_barrier = t;
		return;
	}
	m->leaves[0] = m->waits_at_barrier;
	m->leaves[1] = t;
	m->leaves_round = m->round++;
	m->waits_at_barrier = 0;
}

/* A thread at the barrier can do nothing but leave it. True: it is at the barrier. */
static bool at_barrier(struct maker *m, uint32_t t)
{
	for (unsigned i = 0; i < 2; i++) {
		if (m->leaves[i] == t) {
			struct hd_event *ev = emit(m, t, HD_OP_BARRIER_LEAVE);

			ev->addr = RANDOM_RUN_OBJECT + 192;
			ev->value = m->leaves_round;
			m->leaves[i] = 0;
			return true;
		}
	}
	return m->waits_at_barrier == t;
}

static void synchronise(struct maker *m, uint32_t t)
{
	switch (below(m, 9)) {
	case 0:
		emit(m, t, HD_OP_SEM_POST)->addr = RANDOM_RUN_OBJECT;
		m->posts++;
		break;
	case 1:
		if (m->posts) {
			emit(m, t, HD_OP_SEM_WAIT)->addr = RANDOM_RUN_OBJECT;
			m->posts--;
		}
		break;
	case 2:
		emit(m, t, below(m, 2) ? HD_OP_NOTIFY : HD_OP_NOTIFY_ALL)->addr =
			RANDOM_RUN_OBJECT + 64;
		m->notifier = t;
		break;
	case 3:
		if (m->notifier && m->notifier != t) {
			struct hd_event *ev = emit(m, t, HD_OP_WAKE);

			ev->addr = RANDOM_RUN_OBJECT + 64;
			ev->value = m->notifier;
		}
		break;
	case 4:
		emit(m, t, HD_OP_HB_RELEASE)->addr = RANDOM_RUN_OBJECT + 128;
		m->signalled = true;
		break;
	case 5:
		if (m->signalled)
			emit(m, t, HD_OP_HB_ACQUIRE)->addr = RANDOM_RUN_OBJECT + 128;
		break;
	case 6:
		emit(m, t, m->once_done ? HD_OP_ONCE_PASS : HD_OP_ONCE_END)->addr =
			RANDOM_RUN_OBJECT + 256;
		m->once_done = true;
		break;
	default:
		enter_barrier(m, t);
	}
}

static void act(struct maker *m, uint32_t t)
{
	const struct random_run *rr = m->rr;
	unsigned what = below(m, 20);

	if (rr->sync && at_barrier(m, t))
		return;
	if (what < 3 && rr->locks && use_lock(m, t))
		return;
	if (what < 7 && rr->blocks && use_block(m, t))
		return;
	if (what < 9 && rr->forks && fork_or_join(m, t))
		return;
	if (what == 9 && rr->forks && !below(m, 3))
		end_thread(m, t);
	else if (what == 10 && rr->frees)
		free_variable(m, t);
	else if (what <= 12 && rr->ranges)
		access_range(m, t);
	else if (what <= 14 && rr->sync)
		synchronise(m, t);
	else
		access_variable(m, t);
}

size_t random_run(struct hd_rng *rng, const struct random_run *rr, struct hd_event *out)
{
	struct maker m = { .rng = rng, .rr = rr, .out = out };

	for (unsigned t = 1; t <= rr->threads; t++)
		m.state[t] = t == 1 || !rr->forks ? RUNNING : UNBORN;
	/* Enough tries: when all threads are over or wait, the run is shorter. */
	for (unsigned tries = 0; m.n < rr->events && tries < 20 * rr->events; tries++) {
		uint32_t t = 1 + below(&m, rr->threads);

		if (m.state[t] == RUNNING)
			act(&m, t);
	}
	return m.n;
}

struct random_run random_run_options(struct hd_rng *rng, unsigned max_events)
{
	uint64_t bits = hd_rng_next(rng);

	return (struct random_run){ .threads = 2 + (unsigned)hd_rng_below(rng, 3),
				    .variables = 1 + (unsigned)hd_rng_below(rng, 3),
				    .locks = 1 + (unsigned)hd_rng_below(rng, 2),
				    .events = 4 + (unsigned)hd_rng_below(rng, max_events - 3),
				    .blocks = true,
				    .forks = bits & 1,
				    .shared_locks = !(bits & 6),
				    .odd_sizes = !(bits & 0x18),
				    .ranges = !(bits & 0x60),
				    .frees = !(bits & 0x180),
				    .atomics = !(bits & 0x600),
				    .sync = !(bits & 0x1800) };
}
