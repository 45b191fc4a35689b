/*
 * The text form: import and export are inverses, impossible runs are refused with
 * their line, recorded runs become valid text.
 */
#include "trace_fixture.h"

#include "trace/trace_std.h"
#include "trace/trace_text.h"

typedef enum hd_err import_fn(const char *text, size_t len, const char *file,
			      struct hd_trace_writer *w, struct hd_errbuf *eb);

static uint8_t *imported(import_fn *import, const char *text, size_t *len)
{
	struct hd_errbuf eb = { 0 };
	int fd;
	struct hd_trace_writer *w = memory_writer(&fd);
	enum hd_err err = import(text, strlen(text), "run.txt", w, &eb);

	if (err)
		print_message("%s\n", eb.text);
	assert_int_equal(err, HD_OK);
	return finish_bytes(w, fd, len);
}

static char *exported(const uint8_t *bytes, size_t len, bool std)
{
	struct hd_errbuf eb;
	struct hd_trace *t;
	char *text = NULL;
	size_t size;
	uint64_t left_out;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	assert_int_equal(std ? hd_std_export(t, out, NULL, &left_out, &eb)
			     : hd_text_export(t, out, NULL, true, &eb),
			 HD_OK);
	fclose(out);
	hd_trace_close(t);
	return text;
}

/* Import, export: the same text. */
static void check_inverse(const char *text)
{
	size_t len;
	uint8_t *bytes = imported(hd_text_import, text, &len);
	char *back = exported(bytes, len, false);

	assert_string_equal(back, text);
	free(bytes);
	free(back);
}

/* Refused, at that line, and the message says what. */
static void check_refused(const char *text, unsigned line, const char *says)
{
	struct hd_errbuf eb = { 0 };
	char where[32];

	snprintf(where, sizeof(where), "run.txt: line %u: ", line);
	assert_int_not_equal(hd_text_import(text, strlen(text), "run.txt", NULL, &eb), HD_OK);
	if (!strstr(eb.text, where) || !strstr(eb.text, says))
		print_message("got: %s\n", eb.text);
	assert_non_null(strstr(eb.text, where));
	assert_non_null(strstr(eb.text, says));
}

static void example(void **state)
{
	check_inverse("init x 0\n"
		      "T1 fork T2\n"
		      "T1 begin\n"
		      "T1 acquire m\n"
		      "T1 read x 0  @bank.c:12\n"
		      "T1 write x 5\n"
		      "T1 release m\n"
		      "T1 end\n"
		      "T1 join T2\n");
}

static void every_word(void **state)
{
	check_inverse(
		"T1 thread-begin\nT1 fork T2\nT1 name T2 \"a \\\"b\\\" \\\\ \\n\\t\\x01 #\"\n"
		"T1 detach T2\nT1 read x 0 volatile\nT1 write x -3 libc repeat\n"
		"T1 alloc h 16\nT1 free h 16\nT1 acquire m try timed\nT1 acquire m again\n"
		"T1 release m again\nT1 release m\nT2 acquire-fail m 16 spin\n"
		"T1 lock-init m 0 rwlock\nT1 acquire m shared rwlock\n"
		"T2 acquire m shared rwlock\nT1 release m shared rwlock\n"
		"T1 lock-destroy m rwlock\nT1 acquire f file\nT1 wait c 5\nT1 wake c T2 110\n"
		"T1 notify c T0\nT1 notify-all c 3\nT1 barrier-enter b 0\n"
		"T1 barrier-leave b 0\nT1 post s 1\nT1 down s 0\nT1 once-begin o\n"
		"T1 once-end o\nT1 once-pass o\nT1 hb-release o\nT1 hb-acquire o\n"
		"T1 atomic-load a 0 acquire\nT1 atomic-store a 1 release\n"
		"T1 atomic-rmw a 1 2\nT1 cas-fail a 2 relaxed\nT1 fence acq_rel\nT1 fence\n"
		"T1 begin\nT1 end\nT1 func-entry 0x401000\nT1 func-exit\nT1 group x 8 1\n"
		"T1 task-spawn 1\nT1 task-begin 1\nT1 task-end 1\nT1 finish-begin 2\n"
		"T1 finish-end 2\nT1 future-put p 1\nT1 future-get p 1\n"
		"T1 phaser-signal p 1 2\nT1 phaser-wait p 1\nT1 isolated-begin -\n"
		"T1 isolated-end -\nT1 permit x 8 2 1\nT1 unpermit x 8 2 1\nT1 choice T2 3 1\n"
		"T1 sleep 1000\nT1 signal 11\nT1 outside \"time\"\nT1 module text 4096 \"/bin/x\"\n"
		"T1 exit 0\nT1 finding - 11 \"it crashed\" 3\nT1 state m T2 - 3\n"
		"T1 frame 0x401000\nT1 holds m T2 rwlock\nT1 finding-end\nT1 thread-end\n");
}

/* Whitespace and comments go, numbers become decimal. */
static void normalised(void **state)
{
	size_t len;
	uint8_t *bytes =
		imported(hd_text_import,
			 "# a comment\n\n  \tT1   write\tx 0x10#not this\r\n"
			 "T1 read x 16   @dir/a.c:7 # why\nT1 write y 18446744073709551615\n"
			 "T1 read y -1\nT1 write z -9223372036854775808",
			 &len);
	char *back = exported(bytes, len, false);

	assert_string_equal(back, "T1 write x 16\nT1 read x 16  @dir/a.c:7\nT1 write y -1\n"
				  "T1 read y -1\nT1 write z -9223372036854775808\n");
	free(bytes);
	free(back);
}

static void impossible(void **state)
{
	check_refused("T1 release m\n", 1, "does not hold");
	check_refused("T1 acquire m\nT2 release m\n", 2, "does not hold");
	check_refused("T1 acquire m\n\nT2 acquire m\n", 3, "T1 holds since line 1");
	check_refused("T1 acquire m\nT1 acquire m\n", 2, "acquires m");
	check_refused("T1 acquire m\nT2 acquire m again\n", 2, "acquires m");
	check_refused("T1 acquire m shared\nT2 acquire m\n", 2, "shared");
	check_refused("T1 acquire m\nT2 acquire m shared\n", 2, "T1 holds");
	check_refused("T1 acquire m shared\nT2 release m shared\n", 2, "does not have");
	check_refused("T1 acquire m shared\nT1 release m\n", 2, "does not hold");
	check_refused("T1 read x 1\n", 1, "reads 1 from x, which holds 0");
	check_refused("init x 3\nT1 write x 4\nT1 read x 3\n", 3, "holds 4");
	check_refused("T1 atomic-rmw x 0 5\nT1 atomic-load x 0\n", 2, "holds 5");
	check_refused("T1 write x 1\ninit x 1\n", 2, "after it was used in line 1");
	check_refused("init x 1\ninit x 1\n", 2, "after it was used");
	check_refused("T1 fork T2\nT1 join T2\nT2 begin\n", 3, "after its join in line 2");
	check_refused("T2 begin\nT1 fork T2\n", 1, "before it is forked in line 2");
	check_refused("T1 fork T1\n", 1, "forks itself");
	check_refused("T1 fork T2\nT1 fork T2\n", 2, "again");
	check_refused("T1 join T2\nT1 fork T2\n", 2, "after its join");
	check_refused("T1 join T1\n", 1, "joins itself");
	check_refused("T1 join T2\nT3 join T2\n", 2, "again");
	check_refused("T1 begin\nT1 end\nT1 end\n", 3, "did not begin");
	check_refused("T1 begin\nT2 end\n", 2, "did not begin");
}

static void nonsense(void **state)
{
	check_refused("T1 frobnicate x\n", 1, "no event 'frobnicate'");
	check_refused("T1 read-range x 8\n", 1, "no event");
	check_refused("hello\n", 1, "'hello'");
	check_refused("T1\n", 1, "an event");
	check_refused("Tx read x 0\n", 1, "'Tx'");
	check_refused("T01 read x 0\n", 1, "'T01'");
	check_refused("T4294967296 begin\n", 1, "'T4294967296'");
	check_refused("T1 read 5x 0\n", 1, "not a name: '5x'");
	check_refused("T1 read a.b 0\n", 1, "not a name");
	check_refused("T1 read x\n", 1, "a number");
	check_refused("T1 read x five\n", 1, "'five'");
	check_refused("T1 read x 18446744073709551616\n", 1, "64 bits");
	check_refused("T1 read x -9223372036854775809\n", 1, "64 bits");
	check_refused("T1 read x 0 loudly\n", 1, "'loudly'");
	check_refused("T1 begin now\n", 1, "'now'");
	check_refused("T1 fork 2\n", 1, "not a thread");
	check_refused("T1 begin @here\n", 1, "@file:line");
	check_refused("T1 begin @a.c:x\n", 1, "@file:line");
	check_refused("@a.c:1\n", 1, "only");
	check_refused("init T1\n", 1, "a number");
	check_refused("T1 outside \"open\n", 1, "quotes");
	check_refused("T1 outside \"\\q\"\n", 1, "escape");
	check_refused("T1 acquire m rwlock spin\n", 1, "'spin'");
}

static void refusals_are_clean(void **state)
{
	struct hd_errbuf eb;
	static const char nul[] = "T1 begin\0\n";

	/* Control characters do not reach the message. */
	assert_int_equal(hd_text_import("T1 \x1b[2J\n", 8, "f", NULL, &eb), HD_ERR_PARSE);
	assert_null(strchr(eb.text, '\x1b'));
	assert_int_equal(hd_text_import(nul, sizeof(nul) - 1, "f", NULL, &eb), HD_ERR_PARSE);
	assert_int_equal(hd_text_import("", 0, "f", NULL, &eb), HD_OK);
}

/* --- random valid runs --- */

#ifdef __SANITIZE_ADDRESS__ /* slow, and looks for other things */
#define RUNS 1000
#else
#define RUNS 10000
#endif
#define THREADS 4
#define NAMES	5

struct gen {
	struct hd_rng r;
	FILE *out;
	int alive[THREADS], begun[THREADS], used[NAMES];
	int owner[NAMES], depth[NAMES], shares[NAMES][THREADS], nshares[NAMES];
	int64_t value[NAMES];
};

static unsigned pick(struct gen *g, unsigned n)
{
	return (unsigned)hd_rng_below(&g->r, n);
}

static void gen_lock(struct gen *g, unsigned t, unsigned m)
{
	if (g->depth[m] && g->owner[m] == (int)t) {
		int more = pick(g, 3) == 0;

		g->depth[m] += more ? 1 : -1;
		fprintf(g->out, "T%u %s m%u%s\n", t, more ? "acquire" : "release", m,
			more || g->depth[m] ? " again" : "");
	} else if (g->shares[m][t] && pick(g, 2)) {
		g->shares[m][t]--;
		g->nshares[m]--;
		fprintf(g->out, "T%u release m%u shared rwlock\n", t, m);
	} else if (!g->depth[m] && pick(g, 2)) {
		g->shares[m][t]++;
		g->nshares[m]++;
		fprintf(g->out, "T%u acquire m%u shared rwlock\n", t, m);
	} else if (!g->depth[m] && !g->nshares[m]) {
		g->depth[m] = 1;
		g->owner[m] = (int)t;
		fprintf(g->out, "T%u acquire m%u\n", t, m);
	}
}

static void gen_access(struct gen *g, unsigned t, unsigned x)
{
	int64_t v = (int64_t)any_number(&g->r) * (pick(g, 2) ? 1 : -1);

	if (!g->used[x] && pick(g, 3) == 0) {
		fprintf(g->out, "init x%u %lld\n", x, (long long)v);
		g->value[x] = v;
	} else if (pick(g, 2)) {
		fprintf(g->out, "T%u read x%u %lld", t, x, (long long)g->value[x]);
		fputs(pick(g, 3) ? "\n" : "  @a/b.c:17\n", g->out);
	} else if (pick(g, 4) == 0) {
		fprintf(g->out, "T%u atomic-rmw x%u %lld %lld release\n", t, x,
			(long long)g->value[x], (long long)v);
		g->value[x] = v;
	} else {
		fprintf(g->out, "T%u write x%u %lld\n", t, x, (long long)v);
		g->value[x] = v;
	}
	g->used[x] = 1;
}

/* Thread 0 runs from the start; others once forked; 2: joined. */
static void gen_thread(struct gen *g, unsigned t)
{
	unsigned other = pick(g, THREADS);

	if (other == t || other == 0)
		return;
	if (g->alive[other] == 0) {
		fprintf(g->out, "T%u fork T%u\n", t, other);
		g->alive[other] = 1;
	} else if (g->alive[other] == 1 && pick(g, 4) == 0) {
		fprintf(g->out, "T%u join T%u\n", t, other);
		g->alive[other] = 2;
	}
}

static void gen_block(struct gen *g, unsigned t)
{
	int end = g->begun[t] && pick(g, 2);

	g->begun[t] += end ? -1 : 1;
	fprintf(g->out, "T%u %s\n", t, end ? "end" : "begin");
}

static char *random_run(struct gen *g, unsigned steps)
{
	char *text = NULL;
	size_t len;

	g->out = open_memstream(&text, &len);
	assert_non_null(g->out);
	g->alive[0] = 1;
	while (steps--) {
		unsigned t = pick(g, THREADS);

		if (g->alive[t] != 1)
			t = 0;
		switch (pick(g, 5)) {
		case 0:
			gen_lock(g, t, pick(g, NAMES));
			break;
		case 1:
			gen_thread(g, t);
			break;
		case 2:
			gen_block(g, t);
			break;
		default:
			gen_access(g, t, pick(g, NAMES));
		}
	}
	fclose(g->out);
	return text;
}

static void random_inverse(void **state)
{
	uint64_t seed = test_seed();

	for (unsigned i = 0; i < RUNS; i++) {
		struct gen g = { 0 };
		char *text;

		hd_rng_seed(&g.r, seed + i);
		text = random_run(&g, 1 + i % 40);
		check_inverse(text);
		free(text);
	}
}

/* --- recorded runs --- */

static struct hd_event access_event(uint32_t thread, uint8_t op, uint64_t addr, uint32_t size,
				    uint64_t value)
{
	return (struct hd_event){
		.addr = addr, .value = value, .thread = thread, .size = size, .op = op
	};
}

static void check_export(const struct hd_event *ev, size_t n, const char *want)
{
	struct hd_errbuf eb;
	size_t len;
	uint8_t *bytes = trace_of(ev, n, &len);
	char *text = exported(bytes, len, false);

	if (want)
		assert_string_equal(text, want);
	assert_int_equal(hd_text_import(text, strlen(text), "exported", NULL, &eb), HD_OK);
	free(bytes);
	free(text);
}

/* Eight bytes over two cells of four. */
static void cells_are_cut(void **state)
{
	const struct hd_event ev[] = {
		access_event(1, HD_OP_WRITE, 0x1000, 8, 0x0000000200000001),
		access_event(2, HD_OP_READ, 0x1000, 4, 1),
		access_event(2, HD_OP_WRITE, 0x1004, 4, 0xffffffff),
		access_event(1, HD_OP_READ, 0x1000, 8, 0xffffffff00000001),
	};

	check_export(ev, 4,
		     "T1 write x_1000 1\nT1 write x_1004 2\nT2 read x_1000 1\n"
		     "T2 write x_1004 -1\nT1 read x_1000 1\nT1 read x_1004 -1\n");
}

static void unseen_values(void **state)
{
	const struct hd_event ev[] = {
		access_event(1, HD_OP_READ, 0x10, 1, 200), /* there from the start */
		access_event(1, HD_OP_READ, 0x10, 1, 7),   /* changed by code not seen */
		access_event(1, HD_OP_WRITE, 0x10, 1, 8),
		access_event(1, HD_OP_READ, 0x10, 1, 8),
	};

	check_export(ev, 4,
		     "init x_10 200\nT1 read x_10 200\n"
		     "T0 write x_10 7  # by code that heddle did not see\nT1 read x_10 7\n"
		     "T1 write x_10 8\nT1 read x_10 8\n");
}

/* A range write leaves what the next read shows; a cell never read keeps its value. */
static void ranges(void **state)
{
	const struct hd_event ev[] = {
		access_event(1, HD_OP_WRITE, 0x100, 4, 1),
		access_event(1, HD_OP_WRITE, 0x104, 4, 2),
		{ .addr = 0x100, .value = 64, .thread = 2, .op = HD_OP_WRITE_RANGE },
		{ .addr = 0x102, .value = 4, .thread = 1, .op = HD_OP_READ_RANGE },
		access_event(1, HD_OP_READ, 0x100, 4, 9),
	};

	check_export(ev, 5,
		     "T1 write x_100 1\nT1 write x_104 2\nT2 write x_100 9\n"
		     "T2 write x_104 2\nT1 read x_100 9\nT1 read x_104 2\nT1 read x_100 9\n");
}

/* Sixteen bytes: the second eight are not recorded, so they are only touched. */
static void wide_access(void **state)
{
	const struct hd_event ev[] = {
		access_event(1, HD_OP_WRITE, 0x20, 16, 5),
		access_event(1, HD_OP_READ, 0x28, 8, 6),
		access_event(1, HD_OP_READ, 0x20, 16, 5),
	};

	check_export(ev, 3,
		     "T1 write x_20 5\nT1 write x_28 6\nT1 read x_28 6\n"
		     "T1 read x_20 5\nT1 read x_28 6\n");
}

/* Whatever was recorded, the export is a possible run. */
static void random_recordings(void **state)
{
	static const uint8_t ops[] = { HD_OP_READ,	   HD_OP_WRITE,	      HD_OP_INIT,
				       HD_OP_READ_RANGE,   HD_OP_WRITE_RANGE, HD_OP_ATOMIC_LOAD,
				       HD_OP_ATOMIC_STORE, HD_OP_ATOMIC_RMW,  HD_OP_ATOMIC_CAS_FAIL,
				       HD_OP_ALLOC,	   HD_OP_FREE,	      HD_OP_WAKE };
	struct hd_event ev[30];
	struct hd_rng r;

	hd_rng_seed(&r, test_seed());
	for (int i = 0; i < 3000; i++) {
		for (int k = 0; k < 30; k++) {
			uint8_t op = ops[hd_rng_below(&r, sizeof(ops))];
			uint32_t size = 1u << hd_rng_below(&r, 5);

			ev[k] = access_event(1 + (uint32_t)hd_rng_below(&r, 3), op,
					     0x1000 + hd_rng_below(&r, 20), size,
					     hd_rng_below(&r, 4) << 8 * hd_rng_below(&r, 8));
			if (size < 8)
				ev[k].value &= (1ull << 8 * size) - 1;
			if (op == HD_OP_ATOMIC_RMW)
				ev[k].value2 = hd_rng_below(&r, 200);
		}
		check_export(ev, 30, NULL);
	}
}

/* --- names --- */

static bool same_name(void *arg, uint64_t addr, uint64_t size, char *buf, size_t len)
{
	snprintf(buf, len, "account[2].balance");
	return true;
}

static bool one_site(void *arg, uint64_t pc, const char **file, uint32_t *line)
{
	*file = "my bank.c";
	*line = 3;
	return pc == 0x400;
}

static void names_from_a_source(void **state)
{
	const struct hd_name_source source = { .location = same_name, .site = one_site };
	struct hd_event ev[] = { access_event(1, HD_OP_WRITE, 0x100, 4, 1),
				 access_event(1, HD_OP_WRITE, 0x200, 4, 1) };
	struct hd_errbuf eb;
	struct hd_trace *t;
	char *text;
	size_t len, size;
	uint8_t *bytes;
	FILE *out = open_memstream(&text, &size);

	ev[0].pc = 0x400;
	bytes = trace_of(ev, 2, &len);
	assert_int_equal(hd_trace_open_mem(&t, bytes, len, &eb), HD_OK);
	assert_int_equal(hd_text_export(t, out, &source, true, &eb), HD_OK);
	fclose(out);
	/* Made identifiers, and told apart. */
	assert_string_equal(text, "T1 write account_2__balance 1  @my_bank.c:3\n"
				  "T1 write account_2__balance_200 1\n");
	hd_trace_close(t);
	free(text);
	free(bytes);
}

/* --- STD --- */

static void check_std(const char *in, const char *std, const char *text)
{
	size_t len;
	uint8_t *bytes = imported(hd_std_import, in, &len);
	char *back = exported(bytes, len, true), *plain = exported(bytes, len, false);

	assert_string_equal(back, std);
	assert_string_equal(plain, text);
	free(bytes);
	free(back);
	free(plain);
}

static void std_form(void **state)
{
	const char *same = "T0|fork(T1)|1\nT0|begin|2\nT0|acq(L)|3\nT0|w(V)|4\nT0|r(V)|5\n"
			   "T0|acq(L)|6\nT0|rel(L)|7\nT0|rel(L)|8\nT0|end|9\nT1|w(V)|10\n"
			   "T0|join(T1)|11\nT0|r(V)|12\n";

	check_std(same, same,
		  "T0 fork T1  @1:0\nT0 begin  @2:0\nT0 acquire L  @3:0\nT0 write V 1  @4:0\n"
		  "T0 read V 1  @5:0\nT0 acquire L again  @6:0\nT0 release L again  @7:0\n"
		  "T0 release L  @8:0\nT0 end  @9:0\nT1 write V 2  @10:0\nT0 join T1  @11:0\n"
		  "T0 read V 2  @12:0\n");
	/* Threads of other names get numbers after T3; places may be missing. */
	check_std("# comment\nT3|r(a.b)\nmain|w(a.b)|x.c\n\nT3|fork(worker)|0\n",
		  "T3|r(a_b)|0\nT4|w(a_b)|x.c\nT3|fork(T5)|0\n",
		  "T3 read a_b 0\nT4 write a_b 1  @x.c:0\nT3 fork T5  @0:0\n");
}

static void std_refusals(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{ "T0|rel(l)|1\n", "line 1: T0 releases l" },
		{ "T0|acq(l)|1\nT1|acq(l)|2\n", "line 2: T1 acquires l" },
		{ "T0|end|1\n", "line 1" },
		{ "T0|fork(T1)|1\nT0|join(T1)|2\nT1|r(x)|3\n", "line 3: T1 has an event" },
		{ "T0|x(l)|1\n", "no event 'x'" },
		{ "T0|r()|1\n", "line 1" },
		{ "T0|r(x|1\n", "line 1" },
		{ "T0 r x\n", "line 1" },
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct hd_errbuf eb = { 0 };

		assert_int_not_equal(
			hd_std_import(bad[i].text, strlen(bad[i].text), "f.std", NULL, &eb), HD_OK);
		assert_non_null(strstr(eb.text, bad[i].says));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(example),
		cmocka_unit_test(every_word),
		cmocka_unit_test(normalised),
		cmocka_unit_test(impossible),
		cmocka_unit_test(nonsense),
		cmocka_unit_test(refusals_are_clean),
		cmocka_unit_test(random_inverse),
		cmocka_unit_test(cells_are_cut),
		cmocka_unit_test(unseen_values),
		cmocka_unit_test(ranges),
		cmocka_unit_test(wide_access),
		cmocka_unit_test(random_recordings),
		cmocka_unit_test(names_from_a_source),
		cmocka_unit_test(std_form),
		cmocka_unit_test(std_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
