/*
 * Task programs whose result depends on an order that neither isolated blocks nor regions make: of
 * messages to an actor, of values put into an accumulator whose function is not commutative, of locks, of
 * atomic operations, and on whether a promise has been put yet. Each ends wrongly in one order only.
 *
 * EXPECT of heddle explore, by every strategy: the assertion. "sum", where no order matters: nothing.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include <heddle/hj.h>

static const char *what;
static hj_actor_t *actor;
static hj_accum_t *accum;
static hj_promise_t *promise;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_long last;
static long under_lock;

static void handle(hj_actor_t *self, void *message, void *state)
{
	long *seen = state;

	*seen = 10 * *seen + (long)message;
	if (*seen > 10)
		hj_actor_exit(self);
}

static long append(long a, long b)
{
	return 10 * a + b;
}

static void act(void *arg)
{
	long me = (long)arg;

	if (!strcmp(what, "mail")) {
		hj_actor_send(actor, arg);
	} else if (!strcmp(what, "fold") || !strcmp(what, "sum")) {
		hj_accum_put(accum, me);
	} else if (!strcmp(what, "lock")) {
		pthread_mutex_lock(&lock);
		under_lock = append(under_lock, me);
		pthread_mutex_unlock(&lock);
	} else if (!strcmp(what, "atomic")) {
		atomic_store(&last, me);
	} else if (me == 1) {
		hj_promise_put(promise, NULL);
	} else {
		assert(!hj_future_ready(hj_promise_future(promise)));
	}
	HJ_ISOLATED {
	}
}

static void root(void *arg)
{
	static long seen;

	(void)arg;
	promise = hj_promise_new();
	actor = hj_actor_new(handle, &seen);
	HJ_FINISH {
		accum = !strcmp(what, "fold") ? hj_accum_new_fn(append, 0) : hj_accum_new(HJ_SUM);
		if (!strcmp(what, "mail"))
			hj_actor_start(actor);
		hj_async(act, (void *)1L);
		hj_async(act, (void *)2L);
	}
	assert(seen != 21);
	assert(hj_accum_get(accum) != 21);
	assert(under_lock != 21);
	assert(atomic_load(&last) != 1);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "sum";
	hj_launch(root, NULL);
	return 0;
}
