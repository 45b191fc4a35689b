/*
 * Thread-specific data. Ours, because glibc would run the destructors on the
 * donor, outside our control.
 */
#include "thread.h"

#include <errno.h>
#include <limits.h>

#include "runtime/explore/explore.h"
#include "runtime/memory/arena.h"
#include "runtime/real.h"

static struct {
	bool used;
	uint32_t version; /* a reused key does not see what its predecessor stored */
	void (*destroy)(void *);
} keys[PTHREAD_KEYS_MAX];

#define NUMBERS ((uintptr_t)&keys[PTHREAD_KEYS_MAX]) /* stands for which of them are free */

/* An operation of the explorer's: who uses the key comes before or after it. */
static void set_used(unsigned key, bool used)
{
	hd_rt_changes_unseen();
	hd_rt_explore_touch(NUMBERS);
	hd_rt_explore_change((uintptr_t)&keys[key], keys[key].used, used);
	keys[key].used = used;
}

static bool is_used(unsigned key)
{
	hd_rt_explore_come((uintptr_t)&keys[key]);
	return keys[key].used;
}

struct slot {
	void *value;
	uint32_t version;
};

HD_EXPORT int pthread_key_create(pthread_key_t *key, void (*destroy)(void *))
{
	for (unsigned i = 0; i < PTHREAD_KEYS_MAX; i++) {
		if (keys[i].used)
			continue;
		set_used(i, true);
		keys[i].version++;
		keys[i].destroy = destroy;
		*key = i;
		if (hd_rt_enter(HD_CALLER))
			hd_rt_range_done(key, sizeof(*key));
		return 0;
	}
	return EAGAIN;
}

HD_EXPORT int pthread_key_delete(pthread_key_t key)
{
	if (key >= PTHREAD_KEYS_MAX || !is_used(key))
		return EINVAL;
	set_used(key, false);
	return 0;
}

/* The slots lie in f->tsd.values as pairs of words. */
static struct slot *slots(struct fiber *f)
{
	return (struct slot *)f->tsd.values;
}

static uint32_t nslots(const struct fiber *f)
{
	return f->tsd.n / 2;
}

HD_EXPORT void *pthread_getspecific(pthread_key_t key)
{
	struct fiber *me = hd_rt.cur;
	struct slot *s = slots(me);

	hd_rt_thread_matters(me);
	if (key >= nslots(me) || !is_used(key) || s[key].version != keys[key].version)
		return NULL;
	return s[key].value;
}

HD_EXPORT int pthread_setspecific(pthread_key_t key, const void *value)
{
	struct fiber *me = hd_rt.cur;

	if (key >= PTHREAD_KEYS_MAX || !is_used(key))
		return EINVAL;
	if (key >= nslots(me)) {
		uint32_t len = 2 * (key + 16);

		me->tsd.values = hd_rt_grow(me->tsd.values, me->tsd.n * sizeof(void *),
					    len * sizeof(void *));
		me->tsd.n = len;
	}
	slots(me)[key] = (struct slot){ .value = (void *)value, .version = keys[key].version };
	return 0;
}

void hd_rt_tsd_destroy(struct fiber *f)
{
	bool again = true;

	for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
		again = false;
		for (uint32_t i = 0; i < nslots(f); i++) {
			struct slot *s = &slots(f)[i];
			void *value = s->value;

			if (!value || !is_used(i) || s->version != keys[i].version)
				continue;
			s->value = NULL;
			if (keys[i].destroy) {
				keys[i].destroy(value);
				again = true;
			}
		}
	}
}
