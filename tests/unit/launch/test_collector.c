/*
 * The collector against a made-up producer that follows ring.h.
 */
#include "../trace/trace_fixture.h"

#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>

#include "launch/collector.h"

struct producer {
	struct hd_ring *ring;
	const struct hd_raw *records;
	size_t n;
	bool hand_over_last; /* end between handing a buffer over and moving the cursor */
};

static long futex(uint32_t *word, int op, uint32_t value)
{
	return syscall(SYS_futex, word, op, value, NULL, NULL, 0);
}

static struct hd_raw *slot(struct hd_ring *ring)
{
	char *first = (char *)ring + HD_RING_HEADER;
	size_t b = ring->produced % HD_RING_BUFFERS;

	return (struct hd_raw *)first + b * HD_RING_EVENTS + ring->cursor;
}

static void wait_for_room(struct hd_ring *ring)
{
	for (;;) {
		uint32_t seen = __atomic_load_n(&ring->consumed, __ATOMIC_ACQUIRE);

		if (ring->produced - seen < HD_RING_BUFFERS)
			return;
		__atomic_store_n(&ring->producer_waits, 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&ring->consumed, __ATOMIC_SEQ_CST) == seen)
			futex(&ring->consumed, FUTEX_WAIT, seen);
		__atomic_store_n(&ring->producer_waits, 0, __ATOMIC_SEQ_CST);
	}
}

static void *produce(void *arg)
{
	struct producer *p = arg;
	struct hd_ring *ring = p->ring;

	for (size_t i = 0; i < p->n; i++) {
		if (ring->cursor == HD_RING_EVENTS) {
			__atomic_store_n(&ring->produced, ring->produced + 1, __ATOMIC_SEQ_CST);
			if (__atomic_load_n(&ring->collector_waits, __ATOMIC_SEQ_CST))
				futex(&ring->produced, FUTEX_WAKE, 1);
			wait_for_room(ring);
			ring->cursor = 0;
		}
		*slot(ring) = p->records[i];
		ring->cursor++;
	}
	if (p->hand_over_last)
		__atomic_store_n(&ring->produced, ring->produced + 1, __ATOMIC_SEQ_CST);
	return NULL;
}

/* Run @p through a ring; returns the trace's bytes. */
static uint8_t *collect(struct producer *p, size_t *len)
{
	struct hd_collector *c;
	struct hd_errbuf eb;
	struct hd_ring *ring, *mine;
	pthread_t thread;
	int fd, file;
	struct hd_trace_writer *w = memory_writer(&file);

	assert_int_equal(hd_ring_create(&fd, &ring, &eb), HD_OK);
	assert_int_equal(hd_ring_map(fd, &mine, &eb), HD_OK);
	p->ring = mine;
	assert_int_equal(hd_collector_start(&c, ring, w, NULL, &eb), HD_OK);
	assert_int_equal(pthread_create(&thread, NULL, produce, p), 0);
	pthread_join(thread, NULL);
	assert_int_equal(hd_collector_stop(c, NULL, &eb), HD_OK);
	hd_ring_unmap(mine);
	hd_ring_unmap(ring);
	close(fd);
	return finish_bytes(w, file, len);
}

struct script {
	struct hd_raw *raw;
	struct hd_event *want;
	size_t nraw, nwant, nstrings;
	uint32_t thread;
};

static void script_init(struct script *s, size_t room)
{
	*s = (struct script){ 0 };
	s->raw = calloc(room, sizeof(*s->raw));
	s->want = calloc(room, sizeof(*s->want));
	assert_non_null(s->raw);
	assert_non_null(s->want);
}

static void script_free(struct script *s)
{
	free(s->raw);
	free(s->want);
}

static void add_switch(struct script *s, uint32_t thread)
{
	s->raw[s->nraw++] = (struct hd_raw){ .op = HD_RAW_SWITCH, .value = thread };
	s->thread = thread;
}

static void add_event(struct script *s, struct hd_event ev)
{
	ev.thread = s->thread;
	ev.pc &= (1ull << 48) - 1;
	ev.size &= 0xffff;
	s->want[s->nwant++] = ev;
	s->raw[s->nraw++] = (struct hd_raw){ .addr = ev.addr,
					     .value = ev.value,
					     .pc_size = ev.pc | (uint64_t)ev.size << 48,
					     .ctx = ev.ctx,
					     .arg = ev.arg,
					     .op = ev.op };
	if (ev.value2)
		s->raw[s->nraw++] = (struct hd_raw){ .op = HD_RAW_VALUE2, .value = ev.value2 };
}

static void add_string(struct script *s, uint32_t id, const char *text)
{
	size_t len = strlen(text);

	s->raw[s->nraw++] = (struct hd_raw){ .op = HD_RAW_STRING, .value = id, .addr = len };
	memcpy(&s->raw[s->nraw], text, len);
	s->nraw += (len + sizeof(struct hd_raw) - 1) / sizeof(struct hd_raw);
}

static void check_events(const struct script *s, const uint8_t *bytes, size_t len)
{
	struct hd_errbuf eb;
	size_t got;

	assert_int_equal(read_and_compare(bytes, len, s->want, s->nwant, &got, &eb), HD_OK);
	assert_int_equal(got, s->nwant);
}

/* More than the ring holds, with every kind of record, some across buffers. */
static void long_run(void **state)
{
	const size_t goal = HD_RING_EVENTS * (HD_RING_BUFFERS + 3) + 1234;
	struct script s;
	struct hd_rng r;
	struct producer p = { 0 };
	uint32_t strings = 0;
	size_t len;
	uint8_t *bytes;

	script_init(&s, goal + 64);
	hd_rng_seed(&r, test_seed());
	add_switch(&s, 1);
	while (s.nraw < goal) {
		size_t to_end = HD_RING_EVENTS - s.nraw % HD_RING_EVENTS;

		if (to_end == 1) {
			struct hd_event ev = tame_event(&r);

			/* The last of a buffer, its value2 the first of the next. */
			ev.value2 = 9;
			add_event(&s, ev);
		} else if (to_end == 3) {
			/* 80 bytes are three slots; one lies beyond. */
			add_string(&s, ++strings,
				   "a string that takes more than two slots, so that it "
				   "straddles the end of a buffer");
		} else if (hd_rng_below(&r, 50) == 0) {
			add_switch(&s, 1 + (uint32_t)hd_rng_below(&r, 9));
		} else {
			add_event(&s, tame_event(&r));
		}
	}
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	check_events(&s, bytes, len);
	script_free(&s);
	free(bytes);
}

/* Accesses take a shorter way through the collector: to the same bytes. */
static void accesses_are_events(void **state)
{
	const size_t goal = HD_RING_EVENTS * 2 + 77;
	struct script s;
	struct hd_rng r;
	struct producer p = { 0 };
	size_t len, want_len;
	uint8_t *bytes, *want;

	script_init(&s, goal + 64);
	hd_rng_seed(&r, test_seed());
	add_switch(&s, 1);
	while (s.nraw < goal) {
		struct hd_event ev = tame_event(&r);

		if (hd_rng_below(&r, 1000) == 0)
			add_switch(&s, 1 + (uint32_t)hd_rng_below(&r, 9));
		if (hd_rng_below(&r, 100) > 0) {
			ev.op = hd_rng_below(&r, 2) ? HD_OP_READ : HD_OP_WRITE;
			ev.value2 = hd_rng_below(&r, 500) ? 0 : ev.value2;
		}
		add_event(&s, ev);
	}
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	check_events(&s, bytes, len);
	want = trace_of(s.want, s.nwant, &want_len);
	assert_int_equal(len, want_len);
	assert_memory_equal(bytes, want, len);
	script_free(&s);
	free(bytes);
	free(want);
}

/* Does the trace say that something was damaged? All its events are readable. */
static bool has_drop(const uint8_t *bytes, size_t len)
{
	const struct hd_event *ev;
	struct hd_errbuf eb;
	struct hd_trace *t;
	size_t n;
	bool found;

	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	do {
		assert_int_equal(hd_trace_next(t, &ev, &n, &eb), HD_OK);
	} while (n);
	found = hd_trace_ndrops(t) > 0;
	hd_trace_close(t);
	return found;
}

/* A loop of @n accesses, each of which moves up, down or not, with random values; and what it stands for. */
static void add_loop(struct script *s, struct hd_rng *r)
{
	struct hd_raw *loop = &s->raw[s->nraw], *part = loop + 1;
	unsigned n = 1 + (unsigned)hd_rng_below(r, HD_LOOP_PARTS);
	uint64_t rounds = 1 + hd_rng_below(r, 200);
	uint8_t *values = (uint8_t *)(part + n), *at = values;

	*loop = (struct hd_raw){ .op = HD_RAW_LOOP, .arg = (uint16_t)n, .value = rounds };
	for (unsigned i = 0; i < n; i++) {
		uint64_t size = 1u << hd_rng_below(r, 4);

		part[i] = (struct hd_raw){ .addr = 0x10000 + hd_rng_below(r, 1 << 16) * 8,
					   .value = size * (hd_rng_below(r, 3) - 1),
					   .pc_size = (0x400000 + hd_rng_below(r, 64)) | size << 48,
					   .ctx = (uint32_t)hd_rng_below(r, 3),
					   .op = hd_rng_below(r, 2) ? HD_OP_READ : HD_OP_WRITE };
	}
	loop->addr = hd_loop_slots(part, n, rounds);
	for (uint64_t i = 0; i < (loop->addr - n) * sizeof(*loop); i++)
		values[i] = (uint8_t)hd_rng_below(r, 256);
	for (uint64_t k = 0; k < rounds; k++, at = values) {
		for (unsigned i = 0; i < n; i++) {
			uint64_t size = part[i].pc_size >> 48, value = 0;
			uint64_t index = !part[i].value		      ? 0
					 : (int64_t)part[i].value > 0 ? k
								      : rounds - 1 - k;

			memcpy(&value, at + index * size, size);
			s->want[s->nwant++] =
				(struct hd_event){ .addr = part[i].addr + k * part[i].value,
						   .value = value,
						   .pc = part[i].pc_size & 0xffffffffffff,
						   .size = (uint32_t)size,
						   .ctx = part[i].ctx,
						   .thread = s->thread,
						   .op = part[i].op };
			at += ((part[i].value ? rounds : 1) * size + 7) / 8 * 8;
		}
	}
	s->nraw += 1 + loop->addr;
}

/* Loops are read as the accesses that they stand for, whether they are long or short, wherever a chunk ends. */
static void loops(void **state)
{
	const size_t goal = 20000; /* in one buffer: nothing lies across its end */
	struct script s;
	struct hd_rng r;
	struct producer p = { 0 };
	size_t len;
	uint8_t *bytes;

	script_init(&s, 2000000);
	hd_rng_seed(&r, test_seed());
	add_switch(&s, 2);
	while (s.nraw < goal) {
		if (hd_rng_below(&r, 4) == 0) {
			add_loop(&s, &r);
		} else if (hd_rng_below(&r, 8) == 0) {
			s.raw[s.nraw] =
				(struct hd_raw){ .op = HD_RAW_PAD, .value = hd_rng_below(&r, 5) };
			s.nraw += 1 + s.raw[s.nraw].value;
		} else {
			add_event(&s, tame_event(&r));
		}
	}
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	assert_true(s.nwant > 65536);
	check_events(&s, bytes, len);
	script_free(&s);
	free(bytes);
}

/* A loop whose values are not there yet did not happen; one that makes no sense is told of. */
static void loops_that_are_not_whole(void **state)
{
	static const struct {
		uint16_t parts;
		uint8_t op, spare;
		uint64_t rounds, slots, size, step;
		bool damaged;
	} bad[] = {
		{ 1, HD_OP_WRITE, 1, 10, 4, 8, 8, false },
		{ 1, HD_OP_WRITE, 0, 10, 4, 8, 8, false },
		{ 0, HD_OP_WRITE, 0, 10, 4, 8, 8, true },
		{ 17, HD_OP_WRITE, 0, 10, 4, 8, 8, true },
		{ 1, HD_OP_FINDING, 0, 10, 4, 8, 8, true },
		{ 1, HD_OP_WRITE, 0, 0, 4, 8, 8, true },
		{ 1, HD_OP_WRITE, 0, 1ull << 40, 4, 8, 8, true },
		{ 1, HD_OP_WRITE, 0, 10, 5, 8, 8, true },
		{ 1, HD_OP_WRITE, 0, 10, 4, 3, 3, true },
		{ 1, HD_OP_WRITE, 0, 10, 4, 8, 16, true },
		{ 1, HD_OP_WRITE, 0, 10000, 2502, 8, 8, true },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		bool fine = i == 1;
		struct script s;
		struct producer p = { 0 };
		size_t len, want_len;
		uint8_t *bytes, *want;

		script_init(&s, 64);
		add_switch(&s, 1);
		add_event(&s, (struct hd_event){ .op = HD_OP_BEGIN });
		want = trace_of(s.want, s.nwant, &want_len);
		s.raw[s.nraw] = (struct hd_raw){ .op = HD_RAW_LOOP,
						 .arg = bad[i].parts,
						 .spare = bad[i].spare,
						 .value = bad[i].rounds,
						 .addr = bad[i].slots };
		s.raw[s.nraw + 1] = (struct hd_raw){ .op = bad[i].op,
						     .addr = 0x1000,
						     .value = bad[i].step,
						     .pc_size = bad[i].size << 48 };
		s.nraw += 20;
		p.records = s.raw;
		p.n = fine ? s.nraw - 15 : s.nraw;
		bytes = collect(&p, &len);
		assert_int_equal(len == want_len && !memcmp(bytes, want, len),
				 !fine && !bad[i].damaged);
		if (!fine)
			assert_int_equal(has_drop(bytes, len), bad[i].damaged);
		script_free(&s);
		free(bytes);
		free(want);
	}
}

/* What is between events: strings, contexts, drops, build ids. */
static void control_records(void **state)
{
	struct script s;
	struct producer p = { 0 };
	struct hd_errbuf eb;
	struct hd_trace *t;
	const struct hd_event *ev;
	const char *reason;
	uint32_t parent;
	uint64_t pc, n;
	size_t len, batch;
	uint8_t *bytes;

	script_init(&s, 64);
	add_switch(&s, 3);
	add_string(&s, 1, "library calls");
	add_string(&s, 2, "deadbeef");
	add_string(&s, 3, "");
	s.raw[s.nraw++] =
		(struct hd_raw){ .op = HD_RAW_CONTEXT, .ctx = 7, .addr = 6, .value = 0x4711 };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_DROP, .addr = 1, .value = 5 };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_DROP, .addr = 1, .value = 2 };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_BUILD_ID, .addr = 0x400000, .value = 2 };
	add_event(&s, (struct hd_event){ .op = HD_OP_BEGIN });
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	check_events(&s, bytes, len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	do {
		assert_int_equal(hd_trace_next(t, &ev, &batch, &eb), HD_OK);
	} while (batch);
	assert_string_equal(hd_trace_string(t, 1), "library calls");
	assert_string_equal(hd_trace_string(t, 3), "");
	assert_string_equal(hd_trace_build_id(t, 0x400000), "deadbeef");
	assert_true(hd_trace_context(t, 7, &parent, &pc));
	assert_int_equal(parent, 6);
	assert_int_equal(pc, 0x4711);
	assert_int_equal(hd_trace_ndrops(t), 1);
	hd_trace_drop_at(t, 0, &reason, &n);
	assert_string_equal(reason, "library calls");
	assert_int_equal(n, 7);
	hd_trace_close(t);
	script_free(&s);
	free(bytes);
}

/* Killed after handing over the last buffer, before the cursor moved: nothing twice. */
static void killed_at_the_turn(void **state)
{
	/* Past a whole round, so that the next buffer holds old records. */
	const size_t goal = (size_t)HD_RING_EVENTS * (HD_RING_BUFFERS + 1);
	struct script s;
	struct hd_rng r;
	struct producer p = { .hand_over_last = true };
	size_t len;
	uint8_t *bytes;

	script_init(&s, goal);
	hd_rng_seed(&r, test_seed());
	add_switch(&s, 1);
	while (s.nraw < goal)
		add_event(&s, tame_event(&r));
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	check_events(&s, bytes, len);
	script_free(&s);
	free(bytes);
}

/* A program that writes over the ring: what makes no sense is counted. */
static void scribbled_ring(void **state)
{
	struct script s;
	struct producer p = { 0 };
	struct hd_trace *t;
	struct hd_errbuf eb;
	const struct hd_event *ev;
	const char *reason;
	size_t len, batch;
	uint64_t n;
	uint8_t *bytes;

	script_init(&s, 64);
	add_switch(&s, 1);
	s.raw[s.nraw++] = (struct hd_raw){ .op = 255 };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_VALUE2 };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_STRING, .value = 1, .addr = UINT64_MAX };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_DROP, .value = 1, .addr = 77 };
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_RAW_BUILD_ID, .value = 77 };
	add_event(&s, (struct hd_event){ .op = HD_OP_END });
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	check_events(&s, bytes, len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	do {
		assert_int_equal(hd_trace_next(t, &ev, &batch, &eb), HD_OK);
	} while (batch);
	assert_int_equal(hd_trace_ndrops(t), 1);
	hd_trace_drop_at(t, 0, &reason, &n);
	assert_int_equal(n, 5);
	hd_trace_close(t);
	script_free(&s);
	free(bytes);
}

/* Ended in the middle of a write: the record is there, its value is not. */
static void write_not_done(void **state)
{
	struct script s;
	struct producer p = { 0 };
	size_t len;
	uint8_t *bytes;

	script_init(&s, 16);
	add_switch(&s, 1);
	add_event(&s, (struct hd_event){ .op = HD_OP_WRITE, .addr = 8, .size = 4, .value = 1 });
	s.raw[s.nraw++] = (struct hd_raw){ .op = HD_OP_WRITE, .addr = 16, .spare = 1 };
	p.records = s.raw;
	p.n = s.nraw;
	bytes = collect(&p, &len);
	check_events(&s, bytes, len);
	script_free(&s);
	free(bytes);
}

/* The writer fails: the program is told to stop, and never has to wait. */
static void disk_full(void **state)
{
	const size_t goal = (size_t)HD_RING_EVENTS * (HD_RING_BUFFERS + 4);
	const struct hd_trace_meta meta = { 0 };
	struct hd_collector *c;
	struct hd_errbuf eb;
	struct hd_ring *ring;
	struct hd_trace_writer *w;
	struct producer p = { 0 };
	struct script s;
	struct hd_rng r;
	pthread_t thread;
	int fd, ends[2];

	/* A pipe without a reader: the header fits, then it is closed. */
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(hd_trace_create_fd(&w, ends[1], "pipe", &meta, &eb), HD_OK);
	close(ends[0]);
	script_init(&s, goal + 2);
	hd_rng_seed(&r, 1);
	while (s.nraw < goal)
		add_event(&s, tame_event(&r));
	assert_int_equal(hd_ring_create(&fd, &ring, &eb), HD_OK);
	p = (struct producer){ ring, s.raw, s.nraw, false };
	assert_int_equal(hd_collector_start(&c, ring, w, NULL, &eb), HD_OK);
	assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
	pthread_join(thread, NULL);
	assert_int_equal(hd_collector_stop(c, NULL, &eb), HD_ERR_IO);
	assert_int_equal(ring->stop, 1);
	assert_int_equal(ring->consumed, ring->produced);
	assert_int_equal(hd_trace_finish(w, NULL, &eb), HD_ERR_IO);
	hd_ring_unmap(ring);
	close(fd);
	script_free(&s);
}

static void not_a_ring(void **state)
{
	struct hd_errbuf eb;
	struct hd_ring *ring;
	int fd = memfd_create("small", 0);

	assert_int_equal(hd_ring_map(fd, &ring, &eb), HD_ERR_INVALID);
	assert_int_equal(ftruncate(fd, (off_t)HD_RING_BYTES), 0);
	assert_int_equal(hd_ring_map(fd, &ring, &eb), HD_ERR_VERSION);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_run),	   cmocka_unit_test(accesses_are_events),
		cmocka_unit_test(loops),	   cmocka_unit_test(loops_that_are_not_whole),
		cmocka_unit_test(control_records), cmocka_unit_test(killed_at_the_turn),
		cmocka_unit_test(scribbled_ring),  cmocka_unit_test(write_not_done),
		cmocka_unit_test(disk_full),	   cmocka_unit_test(not_a_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
