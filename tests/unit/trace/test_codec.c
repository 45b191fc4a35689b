/*
 * The pure encodings: what goes in comes out.
 */
#include "trace_fixture.h"

#include "trace/event_codec.h"

static void varints(void **state)
{
	static const uint64_t numbers[] = { 0,	   1,	       127,	   128,	      16383,
					    16384, 1ull << 62, 1ull << 63, UINT64_MAX };
	uint8_t buf[16];

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		uint8_t *end = hd_put_varint(buf, numbers[i]);
		uint64_t got;

		assert_true(end - buf <= 10);
		assert_ptr_equal(hd_get_varint(buf, end, &got), end);
		assert_true(got == numbers[i]);
		/* One byte short, it must not be read. */
		assert_null(hd_get_varint(buf, end - 1, &got));
	}
}

static void varint_too_long(void **state)
{
	/* Ten bytes whose last would carry bit 64. */
	const uint8_t buf[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
	uint64_t got;

	assert_null(hd_get_varint(buf, buf + sizeof(buf), &got));
}

static void zigzag(void **state)
{
	assert_true(hd_zigzag(0) == 0);
	assert_true(hd_zigzag((uint64_t)-1) == 1);
	assert_true(hd_zigzag(1) == 2);
	assert_true(hd_unzigzag(hd_zigzag(1ull << 63)) == 1ull << 63);
	assert_true(hd_unzigzag(hd_zigzag(INT64_MAX)) == INT64_MAX);
}

/* Each class is the smallest that holds the number. */
static void classes(void **state)
{
	assert_int_equal(hd_class_of(0), 1);
	for (unsigned bits = 1; bits <= 64; bits++) {
		uint64_t top = 1ull << (bits - 1);
		unsigned c = hd_class_of(top);

		assert_true((top & ~hd_class_mask[c]) == 0);
		assert_true(hd_class_len[c] * 8u >= bits);
		if (c > 1)
			assert_true(hd_class_len[c - 1] * 8u < bits);
	}
}

struct pair {
	struct hd_codec enc, dec;
	struct hd_site enc_site, dec_site;
};

static void round_trip(struct pair *p, const struct hd_event *ev, size_t *bytes)
{
	uint8_t buf[64], control, *end;
	struct hd_event got;

	memset(buf, 0xa5, sizeof(buf));
	end = hd_encode_event(&p->enc, &p->enc_site, ev, buf, &control);
	*bytes = (size_t)(end - buf);
	assert_true(*bytes <= HD_EVENT_DATA_MAX);
	assert_ptr_equal(hd_decode_event(&p->dec, &p->dec_site, control, buf, &got), end);
	got.thread = ev->thread;
	assert_true(same_event(&got, ev));
}

static struct pair *new_pair(const struct hd_event *ev)
{
	struct pair *p = calloc(1, sizeof(*p));

	assert_non_null(p);
	hd_site_init(&p->enc_site, ev->pc, ev->ctx, ev->size, ev->arg, ev->op);
	p->dec_site = p->enc_site;
	return p;
}

static void random_events(void **state)
{
	struct hd_rng r;
	size_t bytes;

	hd_rng_seed(&r, test_seed());
	for (int sites = 0; sites < 200; sites++) {
		struct hd_event first = wild_event(&r);
		struct pair *p = new_pair(&first);

		for (int i = 0; i < 500; i++) {
			struct hd_event ev = first;

			ev.addr = hd_rng_below(&r, 2) ? any_number(&r)
						      : first.addr + 8ull * (unsigned)i;
			ev.value = any_number(&r);
			ev.value2 = hd_rng_below(&r, 3) ? 0 : any_number(&r);
			round_trip(p, &ev, &bytes);
		}
		free(p);
	}
}

/* A loop over an array whose contents are known costs no data bytes at all. */
static void a_known_loop_is_free(void **state)
{
	struct hd_event ev = {
		.addr = 0x1000, .value = 7, .pc = 0x400000, .size = 8, .op = HD_OP_READ
	};
	struct pair *p = new_pair(&ev);
	size_t bytes, total = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < 100; i++) {
			ev.addr = 0x1000 + 8 * (uint64_t)i;
			round_trip(p, &ev, &bytes);
			/* The first two events teach the stride; the first pass the values. */
			if (pass && i > 1)
				total += bytes;
		}
	}
	assert_int_equal(total, 0);
	free(p);
}

/* A value with bits beyond its size is kept too, though no recorder makes one. */
static void value_wider_than_size(void **state)
{
	struct hd_event ev = { .addr = 1, .value = 0x1234567890, .size = 2, .op = HD_OP_WRITE };
	struct pair *p = new_pair(&ev);
	size_t bytes;

	round_trip(p, &ev, &bytes);
	ev.value = 0x80;
	round_trip(p, &ev, &bytes);
	ev.value = 0xffff;
	round_trip(p, &ev, &bytes);
	free(p);
}

static void op_table(void **state)
{
	assert_string_equal(hd_op_info[HD_OP_READ].name, "read");
	assert_int_equal(hd_op_info[HD_OP_READ].addr, HD_U_LOC);
	assert_int_equal(hd_op_info[HD_OP_READ].value, HD_U_VAL);
	assert_int_equal(hd_op_info[HD_OP_ACQUIRE].arg, HD_U_MODE);
	assert_int_equal(hd_op_info[HD_OP_CHOICE].value, HD_U_THREAD);
	assert_null(hd_op_info[0].name);
	/* Words are unique, or the text form would be ambiguous. */
	for (int a = 1; a < HD_OP_LIMIT; a++) {
		for (int b = a + 1; b < HD_OP_LIMIT; b++) {
			if (hd_op_info[a].name && hd_op_info[b].name)
				assert_string_not_equal(hd_op_info[a].name, hd_op_info[b].name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(varints),
		cmocka_unit_test(varint_too_long),
		cmocka_unit_test(zigzag),
		cmocka_unit_test(classes),
		cmocka_unit_test(random_events),
		cmocka_unit_test(a_known_loop_is_free),
		cmocka_unit_test(value_wider_than_size),
		cmocka_unit_test(op_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
