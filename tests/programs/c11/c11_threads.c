/*
 * All of C11's <threads.h>: what each call answers.
 *
 * CC: gnu11
 * RUN: run --races no --seed 1..20
 * EXPECT: clean
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>
#include <threads.h>
#include <time.h>

static mtx_t plain, recursive, timed;
static cnd_t c;
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int once_calls, destroyed, go;
static thread_local int own = 5;

static void init(void)
{
	once_calls++;
}

static void destroy(void *value)
{
	assert(value == &key);
	destroyed++;
}

static struct timespec in_an_hour(void)
{
	struct timespec ts;

	assert(timespec_get(&ts, TIME_UTC) == TIME_UTC);
	ts.tv_sec += 3600;
	return ts;
}

static int busy(void *arg)
{
	struct timespec hour = in_an_hour();

	assert(mtx_trylock(&plain) == thrd_busy);
	assert(mtx_trylock(&recursive) == thrd_busy);
	assert(mtx_timedlock(&timed, &hour) == thrd_timedout);
	return own++;
}

static int worker(void *arg)
{
	assert(tss_get(key) == NULL);
	assert(tss_set(key, &key) == thrd_success);
	assert(tss_get(key) == &key);
	call_once(&once, init);
	assert(once_calls == 1);
	assert(mtx_lock(&plain) == thrd_success);
	while (!go)
		assert(cnd_wait(&c, &plain) == thrd_success);
	assert(mtx_unlock(&plain) == thrd_success);
	thrd_exit(-3);
}

static int detached(void *arg)
{
	assert(thrd_detach(thrd_current()) == thrd_success);
	return 0;
}

static void locks(void)
{
	thrd_t t;
	int result;

	assert(mtx_init(&plain, mtx_plain) == thrd_success);
	assert(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
	assert(mtx_init(&timed, mtx_timed) == thrd_success);
	assert(mtx_lock(&plain) == thrd_success);
	assert(mtx_trylock(&plain) == thrd_busy);
	assert(mtx_lock(&recursive) == thrd_success);
	assert(mtx_lock(&recursive) == thrd_success);
	assert(mtx_trylock(&recursive) == thrd_success);
	assert(mtx_lock(&timed) == thrd_success);
	assert(thrd_create(&t, busy, NULL) == thrd_success);
	assert(thrd_join(t, &result) == thrd_success && result == 5 && own == 5);
	for (int i = 0; i < 3; i++)
		assert(mtx_unlock(&recursive) == thrd_success);
	assert(mtx_unlock(&plain) == thrd_success);
	assert(mtx_unlock(&timed) == thrd_success);
	mtx_destroy(&recursive);
	mtx_destroy(&timed);
}

static void waits(void)
{
	struct timespec hour = in_an_hour(), now;
	thrd_t t[2];
	int result;

	assert(cnd_init(&c) == thrd_success);
	assert(mtx_lock(&plain) == thrd_success);
	assert(cnd_timedwait(&c, &plain, &hour) == thrd_timedout);
	timespec_get(&now, TIME_UTC);
	assert(now.tv_sec >= hour.tv_sec);
	assert(mtx_unlock(&plain) == thrd_success);
	for (int i = 0; i < 2; i++)
		assert(thrd_create(&t[i], worker, NULL) == thrd_success);
	assert(mtx_lock(&plain) == thrd_success);
	go = 1;
	assert(cnd_signal(&c) == thrd_success);
	assert(cnd_broadcast(&c) == thrd_success);
	assert(mtx_unlock(&plain) == thrd_success);
	for (int i = 0; i < 2; i++)
		assert(thrd_join(t[i], &result) == thrd_success && result == -3);
	cnd_destroy(&c);
	mtx_destroy(&plain);
}

int main(void)
{
	struct timespec second = { .tv_sec = 1 };
	thrd_t t;

	assert(tss_create(&key, destroy) == thrd_success);
	locks();
	waits();
	assert(destroyed == 2);
	tss_delete(key);
	assert(thrd_create(&t, detached, NULL) == thrd_success);
	assert(!thrd_equal(t, thrd_current()));
	assert(thrd_sleep(&second, NULL) == 0);
	thrd_yield();
	return 0;
}
