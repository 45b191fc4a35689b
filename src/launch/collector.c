#include "collector.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/map.h"
#include "trace/trace_format.h"

/*
 * The ring is the tested program's memory too, and a stray store may have hit it:
 * nothing read from it is trusted, and what makes no sense is counted, not used.
 */
static const char damaged_reason[] = HD_DROP_DAMAGED;

struct hd_collector {
	struct hd_ring *ring;
	struct hd_trace_writer *writer, *digest;
	struct hd_collected counts;
	pthread_t thread;
	int stopping;
	enum hd_err error; /* the writer's first */
	uint64_t damaged;
	uint64_t seal; /* as it was before the program began */
	bool sealed;   /* the next event has it */

	/* What a record means depends on those before it, in earlier buffers too. */
	uint32_t current; /* thread */
	bool held;	  /* the last event of a buffer waits: its value2 may follow */
	struct hd_event last;
	char *text; /* the string being collected */
	size_t text_len, text_have;
	uint32_t text_id;
	hd_collected_fn *listener; /* NULL: nobody */
	void *listener_arg;
	uint64_t taken;	       /* records of the buffer that is being filled */
	struct hd_map strings; /* id -> number in texts, for drops and build ids */
	struct hd_texts texts;
};

static long futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

static struct hd_raw *buffer(struct hd_ring *ring, uint32_t number)
{
	char *first = (char *)ring + HD_RING_HEADER;

	return (struct hd_raw *)first + (size_t)(number % HD_RING_BUFFERS) * HD_RING_EVENTS;
}

/* --- the mapping --- */

static enum hd_err map_ring(int fd, struct hd_ring **ring, struct hd_errbuf *eb)
{
	void *p = mmap(NULL, HD_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	*ring = NULL;
	if (p == MAP_FAILED)
		return hd_fail(eb, HD_ERR_NOMEM, "cannot map %llu bytes for recording: %s",
			       (unsigned long long)HD_RING_BYTES, strerror(errno));
	*ring = p;
	return HD_OK;
}

/* A limit on the size of files is not meant for memory: lift it as far as allowed. */
static int make_room(int fd, off_t size)
{
	struct rlimit limit, lifted;
	int rc;

	if (getrlimit(RLIMIT_FSIZE, &limit) != 0)
		return ftruncate(fd, size);
	lifted = limit;
	lifted.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_FSIZE, &lifted);
	rc = ftruncate(fd, size);
	setrlimit(RLIMIT_FSIZE, &limit);
	return rc;
}

enum hd_err hd_ring_create(int *fd, struct hd_ring **ring, struct hd_errbuf *eb)
{
	*ring = NULL;
	*fd = memfd_create("heddle-ring", MFD_CLOEXEC);
	if (*fd < 0)
		return hd_fail(eb, HD_ERR_NOMEM, "cannot create memory for recording: %s",
			       strerror(errno));
	if (make_room(*fd, (off_t)HD_RING_BYTES) != 0) {
		hd_fail(eb, HD_ERR_NOMEM, "cannot reserve memory for recording: %s",
			strerror(errno));
	} else if (!map_ring(*fd, ring, eb)) {
		(*ring)->version = HD_RING_VERSION;
		if (getrandom(&(*ring)->seal, sizeof((*ring)->seal), 0) < 0)
			(*ring)->seal = (uintptr_t)*ring;
		(*ring)->collector_pid = getpid();
		(*ring)->magic = HD_RING_MAGIC;
		return HD_OK;
	}
	close(*fd);
	*fd = -1;
	return HD_ERR_NOMEM;
}

enum hd_err hd_ring_map(int fd, struct hd_ring **ring, struct hd_errbuf *eb)
{
	struct stat st;

	*ring = NULL;
	if (fstat(fd, &st) != 0 || (uint64_t)st.st_size != HD_RING_BYTES)
		return hd_fail(eb, HD_ERR_INVALID, "descriptor %d is not a recording ring", fd);
	if (map_ring(fd, ring, eb))
		return HD_ERR_NOMEM;
	if ((*ring)->magic == HD_RING_MAGIC && (*ring)->version == HD_RING_VERSION)
		return HD_OK;
	hd_fail(eb, HD_ERR_VERSION, "the recording ring is of version %u; this heddle uses %u",
		(*ring)->version, HD_RING_VERSION);
	hd_ring_unmap(*ring);
	*ring = NULL;
	return HD_ERR_VERSION;
}

void hd_ring_unmap(struct hd_ring *ring)
{
	if (ring)
		munmap(ring, HD_RING_BYTES);
}

/* --- raw records to events --- */

/* Errors stay in the writer, whose calls then do nothing; the first makes the program stop. */
static void note(struct hd_collector *c, enum hd_err err)
{
	if (!err || c->error)
		return;
	c->error = err;
	__atomic_store_n(&c->ring->stop, 1, __ATOMIC_RELAXED);
}

static const char *string_of(struct hd_collector *c, uint64_t id)
{
	return hd_texts_get(&c->texts, (uint32_t)hd_map_get(&c->strings, id));
}

const char *hd_collector_string(struct hd_collector *c, uint64_t id)
{
	return string_of(c, id);
}

void hd_collector_listen(struct hd_collector *c, hd_collected_fn *fn, void *arg)
{
	c->listener_arg = arg;
	__atomic_store_n(&c->listener, fn, __ATOMIC_RELEASE);
}

static void string_done(struct hd_collector *c)
{
	uint32_t number = hd_texts_add(&c->texts, c->text, c->text_len);

	if (!number || !hd_map_set(&c->strings, c->text_id, number))
		note(c, HD_ERR_NOMEM);
	note(c, hd_trace_put_string(c->writer, c->text_id, c->text, c->text_len));
	if (c->digest)
		hd_trace_put_string(c->digest, c->text_id, c->text, c->text_len);
	free(c->text);
	c->text = NULL;
}

static void string_start(struct hd_collector *c, const struct hd_raw *r)
{
	if (r->addr > HD_TRACE_TEXT_MAX || !r->value || r->value > UINT32_MAX) {
		c->damaged++;
		return;
	}
	c->text_len = r->addr;
	c->text_have = 0;
	c->text_id = (uint32_t)r->value;
	c->text = malloc(c->text_len + 1);
	if (!c->text)
		note(c, HD_ERR_NOMEM);
	else if (!c->text_len)
		string_done(c);
}

/* Slots of a string's bytes, as many of the @n as belong to it. Returns how many did. */
static size_t string_more(struct hd_collector *c, const struct hd_raw *r, size_t n)
{
	size_t want = c->text_len - c->text_have, slots = (want + sizeof(*r) - 1) / sizeof(*r);

	if (slots > n) {
		slots = n;
		want = n * sizeof(*r);
	}
	memcpy(c->text + c->text_have, r, want);
	c->text_have += want;
	if (c->text_have == c->text_len)
		string_done(c);
	return slots;
}

static void drop(struct hd_collector *c, const struct hd_raw *r)
{
	const char *reason = string_of(c, r->addr);

	if (!reason) {
		c->damaged++;
		return;
	}
	note(c, hd_trace_put_drop(c->writer, reason, r->value));
	if (c->digest)
		hd_trace_put_drop(c->digest, reason, r->value);
}

static void build_id(struct hd_collector *c, const struct hd_raw *r)
{
	const char *hex = string_of(c, r->value);

	if (!hex) {
		c->damaged++;
		return;
	}
	note(c, hd_trace_put_build_id(c->writer, r->addr, hex));
	if (c->digest)
		hd_trace_put_build_id(c->digest, r->addr, hex);
}

/* A record that is no event. */
static void control(struct hd_collector *c, const struct hd_raw *r)
{
	switch (r->op) {
	case HD_RAW_SWITCH:
		c->current = (uint32_t)r->value;
		break;
	case HD_RAW_STRING:
		string_start(c, r);
		break;
	case HD_RAW_CONTEXT:
		note(c, hd_trace_put_context(c->writer, r->ctx, (uint32_t)r->addr, r->value));
		if (c->digest)
			hd_trace_put_context(c->digest, r->ctx, (uint32_t)r->addr, r->value);
		break;
	case HD_RAW_DROP:
		drop(c, r);
		break;
	case HD_RAW_BUILD_ID:
		build_id(c, r);
		break;
	case HD_RAW_SEAL:
		c->sealed = r->value == c->seal;
		c->damaged += !c->sealed;
		break;
	default: /* a VALUE2 after no event, or a number that nothing has */
		c->damaged++;
	}
}

static bool is_event(const struct hd_raw *r)
{
	return r->op < HD_OP_LIMIT && hd_op_info[r->op].name;
}

/* What a report is made of; its errors are the report's loss, not the trace's. */
static const bool in_digest[HD_OP_LIMIT] = {
	[HD_OP_THREAD_BEGIN] = true, [HD_OP_THREAD_END] = true,	 [HD_OP_FORK] = true,
	[HD_OP_JOIN] = true,	     [HD_OP_DETACH] = true,	 [HD_OP_THREAD_NAME] = true,
	[HD_OP_OUTSIDE] = true,	     [HD_OP_MODULE] = true,	 [HD_OP_EXIT] = true,
	[HD_OP_FINDING] = true,	     [HD_OP_STATE] = true,	 [HD_OP_FRAME] = true,
	[HD_OP_HOLDS] = true,	     [HD_OP_FINDING_END] = true, [HD_OP_ACCESS] = true,
	[HD_OP_GOAL] = true,	     [HD_OP_EXPECTED] = true,	 [HD_OP_WITHIN] = true,
	[HD_OP_STOPPED] = true,	     [HD_OP_STALL] = true,	 [HD_OP_NAMED] = true,
};

static inline void put(struct hd_collector *c, const struct hd_event *ev)
{
	c->counts.events++;
	c->counts.choices += ev->op == HD_OP_CHOICE;
	note(c, hd_trace_put(c->writer, ev));
	if (in_digest[ev->op] && c->digest)
		hd_trace_put(c->digest, ev);
	if (in_digest[ev->op] && c->listener)
		c->listener(c->listener_arg, ev);
}

static void put_held(struct hd_collector *c)
{
	if (c->held)
		put(c, &c->last);
	c->held = false;
}

/* The event at @r, and its value2 if that follows. Returns the records taken. */
static inline size_t event(struct hd_collector *c, const struct hd_raw *r, size_t n)
{
	struct hd_event ev = { .addr = r->addr,
			       .value = r->value,
			       .pc = HD_RAW_PC(r),
			       .size = HD_RAW_SIZE(r),
			       .ctx = r->ctx,
			       .thread = c->current,
			       .arg = r->arg,
			       .op = r->op };

	/* Only the last thing before a sudden end: it did not happen. */
	if (__builtin_expect(r->spare, 0))
		return 1;
	if (__builtin_expect(HD_RING_SEALED(r->op) && !c->sealed, 0)) {
		c->damaged++;
		return 1;
	}
	c->sealed = false;
	if (n == 1) {
		c->last = ev;
		c->held = true;
		return 1;
	}
	if (r[1].op == HD_RAW_VALUE2)
		ev.value2 = r[1].value;
	put(c, &ev);
	return r[1].op == HD_RAW_VALUE2 ? 2 : 1;
}

/* The plain accesses that @r begins with, which are most of all there is. Returns their number. */
static size_t accesses(struct hd_collector *c, const struct hd_raw *r, size_t n)
{
	size_t done = hd_trace_put_accesses(c->writer, c->current, r, n);

	c->counts.events += done;
	c->sealed &= !done;
	return done;
}

/* Is there, in @n records, a loop as ring.h has it, with all its values? */
static bool is_whole_loop(const struct hd_raw *r, size_t n)
{
	if (r->spare || !r->arg || r->arg > HD_LOOP_PARTS || r->arg >= n || !r->value ||
	    r->value > UINT32_MAX)
		return false;
	for (unsigned i = 1; i <= r->arg; i++) {
		uint32_t size = HD_RAW_SIZE(&r[i]);

		if ((r[i].op != HD_OP_READ && r[i].op != HD_OP_WRITE) || r[i].spare ||
		    (size != 1 && size != 2 && size != 4 && size != 8) ||
		    (r[i].value && r[i].value != size && r[i].value != -(uint64_t)size))
			return false;
	}
	return r->addr == hd_loop_slots(r + 1, r->arg, r->value) && r->addr < n;
}

/* Returns the records taken; 0: it is not whole. */
static size_t loop(struct hd_collector *c, const struct hd_raw *r, size_t n)
{
	if (!is_whole_loop(r, n))
		return 0;
	c->sealed = false;
	c->counts.events += r->value * r->arg;
	note(c, hd_trace_put_loop(c->writer, c->current, r));
	return 1 + r->addr;
}

/* Returns how many were taken: all, up to a loop that is not whole. */
static size_t take(struct hd_collector *c, const struct hd_raw *r, size_t n)
{
	size_t i = 0;

	if (c->held && n && !c->text && r[0].op == HD_RAW_VALUE2) {
		c->last.value2 = r[0].value;
		i = 1;
	}
	if (n)
		put_held(c);
	while (i < n) {
		size_t done = c->text ? 0 : accesses(c, r + i, n - i);

		if (done) {
			i += done;
		} else if (c->text) {
			i += string_more(c, r + i, n - i);
		} else if (is_event(r + i)) {
			i += event(c, r + i, n - i);
		} else if (r[i].op == HD_RAW_LOOP) {
			done = loop(c, r + i, n - i);
			if (!done)
				break;
			i += done;
		} else if (r[i].op == HD_RAW_PAD) {
			i = r[i].value < n - i ? i + 1 + r[i].value : n;
		} else {
			control(c, r + i);
			i++;
		}
	}
	return i;
}

/* --- the thread --- */

static void take_full(struct hd_collector *c, uint32_t number)
{
	struct hd_ring *ring = c->ring;
	struct hd_raw *b = buffer(ring, number);

	c->damaged += take(c, b + c->taken, HD_RING_EVENTS - c->taken) < HD_RING_EVENTS - c->taken;
	c->taken = 0;
	b[0].op = 0; /* so that take_rest can tell an unused buffer from this one's remains */
	/* Pairs with the producer, which says that it waits, then looks at consumed again. */
	__atomic_store_n(&ring->consumed, number + 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&ring->producer_waits, __ATOMIC_SEQ_CST))
		futex(&ring->consumed, FUTEX_WAKE, 1, NULL);
}

/*
 * For who listens: what is in the buffer that is being filled, but for the last records, which are not
 * finished. A cursor at the end may be that of the buffer before.
 */
static void take_part(struct hd_collector *c, uint32_t number)
{
	uint64_t n = __atomic_load_n(&c->ring->cursor, __ATOMIC_ACQUIRE);

	if (n >= HD_RING_EVENTS || n < c->taken + 3 ||
	    __atomic_load_n(&c->ring->produced, __ATOMIC_SEQ_CST) != number)
		return;
	c->taken += take(c, buffer(c->ring, number) + c->taken, n - 2 - c->taken);
}

/* Until there is more than @seen; spurious returns are fine. */
static void wait_for_more(struct hd_collector *c, uint32_t seen)
{
	const struct timespec tenth = { .tv_nsec = 100000000 };
	struct hd_ring *ring = c->ring;

	/* Pairs with the producer, which raises produced, then looks for a waiter. */
	__atomic_store_n(&ring->collector_waits, 1, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&ring->produced, __ATOMIC_SEQ_CST) == seen &&
	    !__atomic_load_n(&c->stopping, __ATOMIC_SEQ_CST))
		futex(&ring->produced, FUTEX_WAIT, seen, &tenth); /* for who listens */
	__atomic_store_n(&ring->collector_waits, 0, __ATOMIC_SEQ_CST);
}

/*
 * The buffer that the program was filling when it ended. It may have been ended
 * between handing a buffer over and moving the cursor to the start of the next:
 * then that next one still has the mark that take_full (or memfd_create) left.
 */
static void take_rest(struct hd_collector *c, uint32_t number)
{
	uint64_t n = __atomic_load_n(&c->ring->cursor, __ATOMIC_ACQUIRE);
	struct hd_raw *b = buffer(c->ring, number);

	if (n > HD_RING_EVENTS)
		n = HD_RING_EVENTS;
	/* A write or a loop that was about to happen has no values yet, and may never have happened. */
	if (n > c->taken && (c->text || c->taken || b[0].op)) {
		c->taken += take(c, b + c->taken, n - c->taken);
		c->damaged += c->taken < n && !b[c->taken].spare;
	}
	put_held(c);
	c->damaged +=
		c->ring->damaged || c->ring->magic != HD_RING_MAGIC || c->ring->seal != c->seal;
	if (!c->damaged)
		return;
	note(c, hd_trace_put_drop(c->writer, damaged_reason, c->damaged));
	if (c->digest)
		hd_trace_put_drop(c->digest, damaged_reason, c->damaged);
}

static void *collect(void *arg)
{
	struct hd_collector *c = arg;
	uint32_t next = c->ring->consumed;

	for (;;) {
		int stopping = __atomic_load_n(&c->stopping, __ATOMIC_SEQ_CST);
		uint32_t produced = __atomic_load_n(&c->ring->produced, __ATOMIC_ACQUIRE);

		/* More than fits was not produced by anyone: someone wrote over the count. */
		while (next != produced && produced - next <= HD_RING_BUFFERS)
			take_full(c, next++);
		if (stopping) {
			c->damaged += next != produced;
			break;
		}
		wait_for_more(c, produced);
		if (c->listener) {
			take_part(c, next);
			c->listener(c->listener_arg, NULL);
		}
	}
	take_rest(c, next);
	return NULL;
}

enum hd_err hd_collector_start(struct hd_collector **out, struct hd_ring *ring,
			       struct hd_trace_writer *w, struct hd_trace_writer *digest,
			       struct hd_errbuf *eb)
{
	struct hd_collector *c = calloc(1, sizeof(*c));
	sigset_t all, before;
	int err;

	*out = NULL;
	if (!c)
		return hd_fail(eb, HD_ERR_NOMEM, "out of memory for the collector");
	c->ring = ring;
	c->seal = ring->seal;
	c->writer = w;
	c->digest = digest;
	/* Signals are the command's business, so this thread takes none. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&c->thread, NULL, collect, c);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err) {
		free(c);
		return hd_fail(eb, HD_ERR_NOMEM, "cannot start the collector: %s", strerror(err));
	}
	*out = c;
	return HD_OK;
}

enum hd_err hd_collector_stop(struct hd_collector *c, struct hd_collected *counts,
			      struct hd_errbuf *eb)
{
	enum hd_err err;

	__atomic_store_n(&c->stopping, 1, __ATOMIC_SEQ_CST);
	/* A wake-up may come just before the thread begins to wait: repeat it. */
	for (;;) {
		struct timespec until;

		futex(&c->ring->produced, FUTEX_WAKE, 1, NULL);
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 1000000;
		if (until.tv_nsec >= 1000000000) {
			until.tv_nsec -= 1000000000;
			until.tv_sec++;
		}
		if (pthread_timedjoin_np(c->thread, NULL, &until) == 0)
			break;
	}
	if (counts)
		*counts = c->counts;
	err = c->error;
	if (err)
		hd_fail(eb, err, "recording stopped early: %s", hd_err_text(err));
	free(c->text);
	hd_map_free(&c->strings);
	hd_texts_free(&c->texts);
	free(c);
	return err;
}
