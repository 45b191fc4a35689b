/*
 * A worker asks which task is ready, and runs it; tasks give the lock back to do their work. Each takes what it was
 * found ready for at once, so what is counted later is bounded by that.
 *
 * EXPECT: none
 * ALWAYS: gcc-O0 clang-O0 gcc-O2
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { PIECES = 50 };

struct task {
	int (*is_ready)(void);
	void (*run)(void);
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t start;
static int next, filled, done;

static void work(void)
{
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	sched_yield();
	pthread_mutex_lock(&lock);
}

static int can_fill(void)
{
	return next < PIECES;
}

static void fill(void)
{
	next++;
	work();
	filled++;
}

static int can_drain(void)
{
	return filled > 0;
}

static void drain(void)
{
	filled--;
	work();
	done++;
}

static int is_finished(void)
{
	return done >= PIECES;
}

static const struct task tasks[] = { { can_drain, drain }, { can_fill, fill }, { NULL, NULL } };

static void *worker(void *arg)
{
	pthread_barrier_wait(&start);
	pthread_mutex_lock(&lock);
	while (!is_finished()) {
		const struct task *t = tasks;

		while (t->is_ready && !t->is_ready())
			t++;
		if (t->is_ready)
			t->run();
		else
			pthread_cond_wait(&changed, &lock);
	}
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_barrier_init(&start, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", done);
	return 0;
}
