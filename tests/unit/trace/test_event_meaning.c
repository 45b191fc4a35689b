/*
 * What events mean, against the facts written down once more, by hand and by name.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "trace/event_meaning.h"

#define ALL(ops) (sizeof(ops) / sizeof(*(ops)))

static bool is_in(unsigned op, const uint8_t *ops, size_t n)
{
	return memchr(ops, (int)op, n) != NULL;
}

static void test_every_event_has_a_meaning(void **state)
{
	unsigned events = 0;

	for (unsigned op = 0; op < HD_OP_LIMIT; op++) {
		assert_int_equal(hd_op_about(op) != HD_ABOUT_NOTHING, hd_op_info[op].name != NULL);
		events += hd_op_info[op].name != NULL;
	}
	assert_true(events > 70);
	/* What is no event means nothing, wherever the number comes from. */
	assert_int_equal(hd_op_about(0), HD_ABOUT_NOTHING);
	for (unsigned op = HD_OP_LIMIT; op < 300; op++) {
		assert_int_equal(hd_op_about(op), HD_ABOUT_NOTHING);
		assert_int_equal(hd_op_way(op), HD_WAY_NONE);
		assert_int_equal(hd_op_touches(op), HD_TOUCH_NONE);
		assert_false(hd_op_is_planned(op) || hd_op_is_soft(op));
	}
}

/* All of them: a plan that lacks one, or has one too many, is not the run that it came from. */
static void test_plans(void **state)
{
	static const uint8_t planned[] = {
		HD_OP_FORK,	      HD_OP_JOIN,
		HD_OP_READ,	      HD_OP_WRITE,
		HD_OP_READ_RANGE,     HD_OP_WRITE_RANGE,
		HD_OP_ALLOC,	      HD_OP_FREE,
		HD_OP_ACQUIRE,	      HD_OP_RELEASE,
		HD_OP_ACQUIRE_FAIL,   HD_OP_WAIT,
		HD_OP_WAKE,	      HD_OP_NOTIFY,
		HD_OP_NOTIFY_ALL,     HD_OP_BARRIER_ENTER,
		HD_OP_BARRIER_LEAVE,  HD_OP_SEM_POST,
		HD_OP_SEM_WAIT,	      HD_OP_ONCE_BEGIN,
		HD_OP_ONCE_END,	      HD_OP_ONCE_PASS,
		HD_OP_HB_RELEASE,     HD_OP_HB_ACQUIRE,
		HD_OP_ATOMIC_LOAD,    HD_OP_ATOMIC_STORE,
		HD_OP_ATOMIC_RMW,     HD_OP_ATOMIC_CAS_FAIL,
		HD_OP_BEGIN,	      HD_OP_END,
		HD_OP_FUTURE_PUT,     HD_OP_FUTURE_GET,
		HD_OP_PHASER_SIGNAL,  HD_OP_PHASER_WAIT,
		HD_OP_ISOLATED_BEGIN, HD_OP_ISOLATED_END,
		HD_OP_CLAIM,
	};
	static const uint8_t soft[] = { HD_OP_ALLOC, HD_OP_FREE, HD_OP_HB_RELEASE,
					HD_OP_HB_ACQUIRE };

	for (unsigned op = 0; op < 256; op++) {
		assert_int_equal(hd_op_is_planned(op), is_in(op, planned, ALL(planned)));
		assert_int_equal(hd_op_is_soft(op), is_in(op, soft, ALL(soft)));
	}
}

static void test_orders(void **state)
{
	static const uint8_t gives[] = {
		HD_OP_FORK,	     HD_OP_RELEASE,	  HD_OP_NOTIFY,	  HD_OP_NOTIFY_ALL,
		HD_OP_BARRIER_ENTER, HD_OP_SEM_POST,	  HD_OP_ONCE_END, HD_OP_HB_RELEASE,
		HD_OP_FUTURE_PUT,    HD_OP_PHASER_SIGNAL,
	};
	/* In the same order: what takes from it. */
	static const uint8_t takes[] = {
		HD_OP_JOIN,	     HD_OP_ACQUIRE,	HD_OP_WAKE,	 HD_OP_WAKE,
		HD_OP_BARRIER_LEAVE, HD_OP_SEM_WAIT,	HD_OP_ONCE_PASS, HD_OP_HB_ACQUIRE,
		HD_OP_FUTURE_GET,    HD_OP_PHASER_WAIT,
	};
	static const uint8_t renews[] = { HD_OP_ALLOC, HD_OP_FREE, HD_OP_LOCK_INIT,
					  HD_OP_LOCK_DESTROY };

	for (size_t i = 0; i < ALL(gives); i++)
		assert_int_equal(hd_op_about(gives[i]), hd_op_about(takes[i]));
	for (unsigned op = 0; op < HD_OP_LIMIT; op++) {
		enum hd_way way = hd_op_way(op);

		assert_int_equal(way == HD_WAY_GIVES, is_in(op, gives, ALL(gives)));
		assert_int_equal(way == HD_WAY_TAKES, is_in(op, takes, ALL(takes)));
		assert_int_equal(way == HD_WAY_RENEWS, is_in(op, renews, ALL(renews)));
	}
}

static void test_conflicts(void **state)
{
	static const uint8_t reads[] = { HD_OP_READ, HD_OP_READ_RANGE, HD_OP_ATOMIC_LOAD,
					 HD_OP_ATOMIC_CAS_FAIL };
	static const uint8_t writes[] = { HD_OP_WRITE, HD_OP_WRITE_RANGE, HD_OP_ATOMIC_STORE,
					  HD_OP_ATOMIC_RMW };
	static const uint8_t objects[] = {
		HD_OP_WAIT,	  HD_OP_NOTIFY,	      HD_OP_NOTIFY_ALL, HD_OP_SEM_POST,
		HD_OP_LOCK_INIT,  HD_OP_LOCK_DESTROY, HD_OP_ONCE_BEGIN, HD_OP_ONCE_END,
		HD_OP_HB_RELEASE, HD_OP_HB_ACQUIRE,   HD_OP_FUTURE_PUT, HD_OP_FUTURE_GET,
		HD_OP_PERMIT,	  HD_OP_UNPERMIT,
	};

	for (unsigned op = 0; op < HD_OP_LIMIT; op++) {
		enum hd_touch touches = hd_op_touches(op);

		assert_int_equal(touches == HD_TOUCH_READ, is_in(op, reads, ALL(reads)));
		assert_int_equal(touches == HD_TOUCH_WRITE, is_in(op, writes, ALL(writes)));
		assert_int_equal(touches == HD_TOUCH_OBJECT, is_in(op, objects, ALL(objects)));
		/* Only these are said to be of a length. */
		if (hd_op_is_range(op))
			assert_int_equal(hd_op_info[op].value, HD_U_LEN);
		else if (touches == HD_TOUCH_READ || touches == HD_TOUCH_WRITE)
			assert_int_equal(hd_op_info[op].value, HD_U_VAL);
	}
	assert_int_equal(hd_op_touches(HD_OP_ACQUIRE), HD_TOUCH_LOCK);
	assert_int_equal(hd_op_touches(HD_OP_RELEASE), HD_TOUCH_UNLOCK);
	assert_int_equal(hd_op_touches(HD_OP_ACQUIRE_FAIL), HD_TOUCH_TRY);
	assert_int_equal(hd_op_touches(HD_OP_FORK), HD_TOUCH_FORK);
	assert_int_equal(hd_op_touches(HD_OP_JOIN), HD_TOUCH_JOIN);
	assert_int_equal(hd_op_touches(HD_OP_SEM_WAIT), HD_TOUCH_PERMIT);
	assert_int_equal(hd_op_touches(HD_OP_ONCE_PASS), HD_TOUCH_LOOK);
	assert_int_equal(hd_op_touches(HD_OP_PHASER_WAIT), HD_TOUCH_PHASE);
	assert_int_equal(hd_op_touches(HD_OP_CHOICE), HD_TOUCH_NONE);
	/* A barrier tells itself what its rounds order. */
	assert_int_equal(hd_op_touches(HD_OP_BARRIER_ENTER), HD_TOUCH_NONE);
}

static void test_digests(void **state)
{
	static const uint8_t none[] = { HD_OP_CHOICE, HD_OP_CONSTRUCT, HD_OP_FUNC_ENTRY,
					HD_OP_FUNC_EXIT, HD_OP_PLACE };
	static const uint8_t accesses[] = { HD_OP_READ, HD_OP_WRITE, HD_OP_READ_RANGE,
					    HD_OP_WRITE_RANGE };

	for (unsigned op = 0; op < HD_OP_LIMIT; op++) {
		if (!hd_op_info[op].name)
			continue;
		assert_int_equal(hd_op_digest(op) == HD_DIGEST_NONE, is_in(op, none, ALL(none)));
		assert_int_equal(hd_op_digest(op) == HD_DIGEST_ACCESS,
				 is_in(op, accesses, ALL(accesses)));
	}
	assert_int_equal(hd_op_digest(HD_OP_SEM_POST), HD_DIGEST_PERMITS);
	assert_int_equal(hd_op_digest(HD_OP_SEM_WAIT), HD_DIGEST_PERMITS);
	assert_int_equal(hd_op_digest(HD_OP_ATOMIC_STORE), HD_DIGEST_STORE);
	assert_int_equal(hd_op_digest(HD_OP_ATOMIC_RMW), HD_DIGEST_SWAP);
	assert_int_equal(hd_op_digest(HD_OP_ONCE_END), HD_DIGEST_ONCE);
	assert_int_equal(hd_op_digest(HD_OP_FREE), HD_DIGEST_FREE);
	assert_int_equal(hd_op_digest(HD_OP_PHASER_SIGNAL), HD_DIGEST_PHASE);
	assert_int_equal(hd_op_digest(HD_OP_THREAD_END), HD_DIGEST_END);
	assert_int_equal(hd_op_digest(HD_OP_ACQUIRE), HD_DIGEST_LOCK);
	assert_int_equal(hd_op_digest(HD_OP_RELEASE), HD_DIGEST_LOCK);
	assert_int_equal(hd_op_digest(HD_OP_WAKE), HD_DIGEST_VALUE);
	assert_int_equal(hd_op_digest(HD_OP_JOIN), HD_DIGEST_VALUE);
}

/* Lists of one kind have the numbers of the whole list. */
static void test_parts(void **state)
{
	assert_int_equal(HD_TASK_OP_FINISH_END, HD_OP_FINISH_END);
	assert_int_equal(hd_op_about(HD_TASK_OP_PERMIT), HD_ABOUT_TASK);
	assert_int_equal(HD_TEAM_OP_CLAIM, HD_OP_CLAIM);
	assert_int_equal(hd_op_about(HD_TEAM_OP_UNIT), HD_ABOUT_TEAM);
	assert_int_equal(HD_RUN_OP_STALL, HD_OP_STALL);
	assert_int_equal(hd_op_about(HD_RUN_OP_EXIT), HD_ABOUT_RUN);
	assert_int_equal(HD_FINDING_OP_WITHIN, HD_OP_WITHIN);
	assert_int_equal(hd_op_about(HD_FINDING_OP_ACCESS), HD_ABOUT_FINDING);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_event_has_a_meaning),
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_orders),
		cmocka_unit_test(test_conflicts),
		cmocka_unit_test(test_digests),
		cmocka_unit_test(test_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
