/*
 * Workers choose the next task by all that they see, whenever one of them gives the lock back, and keep the choice in a
 * variable. To start a task takes a unit, and another task that ends gives it back, in a later critical section than the
 * look by which it was chosen: it adds to what is there then.
 *
 * EXPECT: none
 * ALWAYS: gcc-O0 clang-O2
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
static int next, units = 2, started, done;
static const struct task *next_task;
static const struct task tasks[];

static void choose(void)
{
	for (const struct task *t = tasks; t->is_ready; t++) {
		if (t->is_ready()) {
			next_task = t;
			return;
		}
	}
	next_task = NULL;
}

static int is_finished(void)
{
	return done == PIECES;
}

static void work(void)
{
	choose();
	if (next_task || is_finished())
		pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	sched_yield();
	pthread_mutex_lock(&lock);
}

static int can_begin(void)
{
	return units > 0 && next < PIECES;
}

static void begin(void)
{
	next++;
	units--;
	work();
	started++;
}

static int can_end(void)
{
	return started > 0;
}

static void end(void)
{
	started--;
	work();
	units++;
	done++;
}

static const struct task tasks[] = { { can_begin, begin }, { can_end, end }, { NULL, NULL } };

static void *worker(void *arg)
{
	pthread_barrier_wait(&start);
	pthread_mutex_lock(&lock);
	for (;;) {
		while (next_task) {
			next_task->run();
			choose();
		}
		if (is_finished())
			break;
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
	choose();
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, worker, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	printf("%d\n", done);
	return 0;
}
