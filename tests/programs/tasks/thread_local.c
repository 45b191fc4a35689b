/*
 * A task finds thread-local variables as a new thread does, whoever ran on its stack before, and is
 * alone with them while others run. Destructors of thread-specific data run at its end.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

static _Thread_local int mine = 5, zero;
static _Thread_local char text[32] = "fresh";
static pthread_key_t key;
static _Atomic int destroyed;

static void destroy(void *value)
{
	destroyed++;
}

static void use(void *arg)
{
	assert(mine == 5 && zero == 0 && !strcmp(text, "fresh") && !pthread_getspecific(key));
	mine = (int)(long)arg;
	zero = -mine;
	strcpy(text, "used");
	errno = mine;
	pthread_setspecific(key, text);
	hj_yield();
	HJ_ISOLATED
		assert(mine == (int)(long)arg && zero == -mine && !strcmp(text, "used"));
	assert(errno == mine && pthread_getspecific(key) == text);
}

static void root(void *arg)
{
	for (int round = 0; round < 3; round++) {
		HJ_FINISH {
			for (long i = 0; i < 6; i++)
				hj_async(use, (void *)(i + 10));
		}
	}
	assert(destroyed == 18);
}

int main(void)
{
	pthread_key_create(&key, destroy);
	hj_launch(root, NULL);
	return 0;
}
