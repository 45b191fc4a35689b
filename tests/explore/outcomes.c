/*
 * Litmus tests, and programs whose end is decided by their schedule. The argument says which; what they read is in r.
 *
 * FLAGS: -O1
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

atomic_int x, y; /* not static: that no compiler leaves them out */
int r[4];
struct {
	signed char small;
	struct {
		unsigned short cell[3];
	} in;
	double real;
} shown = { .small = -3, .in = { { 1, 2, 65535 } }, .real = -0.5 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
int plain, pid;
static sem_t permits, closed;
static pthread_key_t key, made[2];
static pthread_t t[4];

#define STORE(v, value) atomic_store_explicit(&v, value, memory_order_relaxed)
#define LOAD(v)		atomic_load_explicit(&v, memory_order_relaxed)
#define PUBLISH(v)	atomic_store_explicit(&v, 1, memory_order_release)
#define ACQUIRE(v)	atomic_load_explicit(&v, memory_order_acquire)
#define THREAD(name, ...)                                                                          \
	static void *name(void *arg)                                                               \
	{                                                                                          \
		__VA_ARGS__;                                                                       \
		return arg;                                                                        \
	}

THREAD(sb_0, STORE(x, 1); r[0] = LOAD(y))
THREAD(sb_1, STORE(y, 1); r[1] = LOAD(x))
THREAD(mp_0, STORE(x, 1); STORE(y, 1))
THREAD(mp_1, r[0] = LOAD(y); r[1] = LOAD(x))
THREAD(mp_rel, STORE(x, 1); PUBLISH(y))
THREAD(mp_acq, r[0] = ACQUIRE(y); r[1] = LOAD(x))
THREAD(lb_0, r[0] = LOAD(x); STORE(y, 1))
THREAD(lb_1, r[1] = LOAD(y); STORE(x, 1))
THREAD(ww_0, STORE(x, 1); STORE(y, 2))
THREAD(ww_1, STORE(y, 1); STORE(x, 2))
THREAD(write_x, STORE(x, 1))
THREAD(write_y, STORE(y, 1))
THREAD(read_xy, r[0] = LOAD(x); r[1] = LOAD(y))
THREAD(read_yx, r[2] = LOAD(y); r[3] = LOAD(x))
THREAD(add, STORE(x, LOAD(x) + 1))
THREAD(print_a, puts("a"))
THREAD(print_b, puts("b"); fputs("B\n", stderr))
THREAD(write_c, if (write(1, "c\n", 2) != 2) abort())
THREAD(lock_mn, pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n);
       pthread_mutex_unlock(&m))
THREAD(lock_nm, pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m);
       pthread_mutex_unlock(&n))
THREAD(racy_add, plain++)
THREAD(post_twice, sem_post(&permits); sem_post(&permits))
THREAD(look_twice, sem_getvalue(&permits, &r[0]); sem_getvalue(&permits, &r[1]))
THREAD(drop_key, pthread_key_delete(key))
THREAD(use_key, r[0] = pthread_setspecific(key, &r) == 0)
THREAD(make_key, pthread_key_create(&made[0], NULL); r[0] = (int)(made[0] - key))
THREAD(make_other, pthread_key_create(&made[1], NULL); r[1] = (int)(made[1] - key))
THREAD(pass, sem_wait(&closed))
THREAD(let_pass, sem_post(&closed))
THREAD(close_it, sem_destroy(&closed))
THREAD(pass_and_close, sem_wait(&closed); sem_destroy(&closed))
THREAD(cancellable, pthread_testcancel(); r[0] = 1)
THREAD(cancel, pthread_cancel(t[0]))
THREAD(ask, pthread_kill(t[0], 0))

static const struct {
	const char *name;
	void *(*threads[4])(void *);
} cases[] = {
	{ "SB", { sb_0, sb_1 } },
	{ "MP", { mp_0, mp_1 } },
	{ "MP+rel+acq", { mp_rel, mp_acq } },
	{ "LB", { lb_0, lb_1 } },
	{ "2+2W", { ww_0, ww_1 } },
	{ "IRIW", { write_x, write_y, read_xy, read_yx } },
	{ "add", { add, add } },
	{ "permits", { post_twice, look_twice } },
	{ "keys", { drop_key, use_key } },
	{ "new keys", { make_key, make_other } },
	{ "closed", { pass, let_pass, close_it } },
	{ "closed-clean", { pass_and_close, let_pass } },
	{ "cancel", { cancellable, cancel } },
	{ "ask", { cancellable, ask } },
	{ "print", { print_a, print_b, write_c } },
	{ "deadlock", { lock_mn, lock_nm } },
	{ "racy", { racy_add, racy_add } },
	{ "status", { add, add } },
	{ "process", { add, add, add } },
};

int main(int argc, char **argv)
{
	size_t i = 0;

	pthread_key_create(&key, NULL);
	while (argc > 1 && strcmp(cases[i].name, argv[1]) != 0)
		i++;
	if (!strcmp(cases[i].name, "process"))
		pid = getpid(); /* which makes states differ */
	for (int k = 0; k < 4 && cases[i].threads[k]; k++)
		pthread_create(&t[k], NULL, cases[i].threads[k], NULL);
	for (int k = 0; k < 4 && cases[i].threads[k]; k++)
		pthread_join(t[k], NULL);
	if (argc > 1 && !strcmp(argv[1], "status")) {
		printf("x is %d\n", x);
		return x + 10;
	}
	return shown.small != -3;
}
