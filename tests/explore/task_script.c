/*
 * A task program that reads what to do: tasks are separated by '/', the first is the root, each is
 * a sequence of operations of a letter and a digit.
 *
 *   rN wN  read, write variable N           jN iN  the same (write: add one) in an isolated block
 *   kN     add one in a block isolated on variable N only
 *   bN eN  open, close a region to write variable N;   cN dN  to read it
 *   sN     make task N                       F0 E0  begin, end a finish
 *   pN gN  put, get promise N                yN     may the promise have been put? counts as read
 *   aN     fail if the last value that was read is N
 *   zN     an atomic variable: add one, and the old value counts as read
 *   mN nN  post, wait for semaphore N         qN tN  set flag N, wait for it, by a condition variable
 *   lN     write variable N under a mutex     xN     send an actor a message, at which it writes variable N
 *
 * Only the accesses to the variables are instrumented, each with instructions of its own.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include <heddle/hj.h>

#define TASKS 6
#define VARIABLES 3
#define UNSEEN __attribute__((no_sanitize("thread"), noinline))
#define SEEN __attribute__((noinline))

static char text[512];
static char *tasks[TASKS];
static int ntasks;
static hj_promise_t *promises[VARIABLES];

static int x0, x1, x2;
static atomic_int z;

static sem_t sems[VARIABLES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int flags[VARIABLES];
static hj_actor_t *actor; /* it exits after the last of the messages */
static int received, messages;

#define ACCESSES(n)                                                                                \
	static SEEN int read##n(void)                                                              \
	{                                                                                          \
		return x##n;                                                                       \
	}                                                                                          \
	static SEEN void write##n(int v)                                                           \
	{                                                                                          \
		x##n = v;                                                                          \
	}                                                                                          \
	static SEEN int isolated_read##n(void)                                                     \
	{                                                                                          \
		return x##n;                                                                       \
	}                                                                                          \
	static SEEN void isolated_add##n(void)                                                     \
	{                                                                                          \
		x##n++;                                                                            \
	}
ACCESSES(0)
ACCESSES(1)
ACCESSES(2)

static int *const variables[] = { &x0, &x1, &x2 };
static int (*const readers[])(void) = { read0, read1, read2 };
static void (*const writers[])(int) = { write0, write1, write2 };
static int (*const isolated_readers[])(void) = { isolated_read0, isolated_read1, isolated_read2 };
static void (*const adders[])(void) = { isolated_add0, isolated_add1, isolated_add2 };

static SEEN int add_to_z(void)
{
	return atomic_fetch_add(&z, 1);
}

static void perform(void *task);

static UNSEEN int isolated(char op, int n)
{
	const void *one[] = { variables[n] };
	int value = 0;

	if (op == 'k')
		hj_isolated_begin_on(one, 1);
	else
		hj_isolated_begin();
	if (op == 'j')
		value = isolated_readers[n]();
	else
		adders[n]();
	hj_isolated_end();
	return value;
}

static UNSEEN void region(char op, int n)
{
	if (op == 'b')
		hj_acquire_w(variables[n]);
	else if (op == 'e')
		hj_release_w(variables[n]);
	else if (op == 'c')
		hj_acquire_r(variables[n]);
	else
		hj_release_r(variables[n]);
}

static UNSEEN void locked(char op, int n, int me)
{
	pthread_mutex_lock(&lock);
	if (op == 'l')
		writers[n](me + 1);
	if (op == 'q') {
		flags[n] = 1;
		pthread_cond_broadcast(&cond);
	}
	while (op == 't' && !flags[n])
		pthread_cond_wait(&cond, &lock);
	pthread_mutex_unlock(&lock);
}

/* A line for each value, so that reports tell them apart. */
static UNSEEN void check(int n, int last)
{
	if (n == 0)
		assert(last != 0);
	if (n == 1)
		assert(last != 1);
	if (n == 2)
		assert(last != 2);
	if (n == 3)
		assert(last != 3);
}

static UNSEEN int step(char op, int n, int me, int last)
{
	switch (op) {
	case 'r':
		return readers[n]();
	case 'w':
		writers[n](me + 1);
		break;
	case 'j':
		return isolated(op, n);
	case 'i':
	case 'k':
		isolated(op, n);
		break;
	case 'b':
	case 'e':
	case 'c':
	case 'd':
		region(op, n);
		break;
	case 's':
		if (n < ntasks)
			hj_async(perform, (void *)(long)n);
		break;
	case 'F':
		hj_finish_begin();
		break;
	case 'E':
		hj_finish_end();
		break;
	case 'p':
		hj_promise_put(promises[n], NULL);
		break;
	case 'g':
		hj_future_get(hj_promise_future(promises[n]));
		break;
	case 'y':
		return hj_future_ready(hj_promise_future(promises[n]));
	case 'z':
		return add_to_z();
	case 'm':
		sem_post(&sems[n]);
		break;
	case 'n':
		sem_wait(&sems[n]);
		break;
	case 'q':
	case 't':
	case 'l':
		locked(op, n, me);
		break;
	case 'x':
		hj_actor_send(actor, (void *)(long)(n + 1));
		break;
	default:
		check(n, last);
	}
	return last;
}

static UNSEEN void perform(void *task)
{
	int me = (int)(long)task, last = -1;

	for (const char *p = tasks[me]; p[0] && p[1]; p += 2)
		last = step(p[0], p[1] - '0', me, last);
}

static UNSEEN void got(hj_actor_t *self, void *message, void *state)
{
	(void)state;
	writers[(long)message - 1](9);
	if (++received == messages)
		hj_actor_exit(self);
}

static UNSEEN void begin(void *task)
{
	if (messages) {
		actor = hj_actor_new(got, NULL);
		hj_actor_start(actor);
	}
	perform(task);
}

UNSEEN int main(void)
{
	char *rest = text;

	if (read(0, text, sizeof(text) - 1) < 0)
		return 2;
	text[strcspn(text, "\n")] = 0;
	for (const char *p = text; *p; p++)
		messages += *p == 'x';
	while (ntasks < TASKS && (tasks[ntasks] = strsep(&rest, "/")))
		ntasks++;
	for (int i = 0; i < VARIABLES; i++)
		promises[i] = hj_promise_new();
	for (int i = 0; i < VARIABLES; i++)
		sem_init(&sems[i], 0, 0);
	hj_launch(begin, (void *)0L);
	return 0;
}
