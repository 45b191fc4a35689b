/*
 * Two tasks or threads race on two variables, `good.balance` (an account) and `hits`, and on a block of
 * the heap. Which of them a run tells of is up to what is named: by HEDDLE_CHECK (-DNAME_GOOD,
 * -DNAME_BLOCK), or by --check-only.
 */
#include <heddle/heddle.h>
#include <heddle/hj.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct account {
	int balance;
} account_t;

static account_t good;
static int hits;
static int *block;

static void work(void *arg)
{
	if (arg)
		pthread_mutex_lock(arg);
	good.balance++;
	if (arg)
		pthread_mutex_unlock(arg);
	hits++;
	block[1]++;
}

#ifdef TASKS
static void root(void *arg)
{
	hj_async(work, NULL);
	work(NULL);
}

static void run(void *lock)
{
	hj_launch(root, NULL);
}
#else
static void *body(void *arg)
{
	work(arg);
	return NULL;
}

static void run(void *lock)
{
	pthread_t t;

	pthread_create(&t, NULL, body, lock);
	work(lock);
	pthread_join(t, NULL);
}
#endif

int main(int argc, char **argv)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	block = calloc(2, sizeof(*block));
#ifdef NAME_GOOD
	HEDDLE_CHECK(good);
#endif
#ifdef NAME_BLOCK
	HEDDLE_CHECK_RANGE(block, 2 * sizeof(*block));
#endif
	run(argc > 1 ? &lock : NULL);
	free(block);
	return 0;
}
