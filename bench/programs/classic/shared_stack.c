/*
 * Stack: N - 1 threads push one item and pop one. Bad: whether there is something to pop is looked at before the
 * lock is taken, and another thread may have taken the last item by then. Good: under the lock.
 */
#include "classic.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int top;

static void push(void)
{
	pthread_mutex_lock(&lock);
	atomic_store(&top, atomic_load(&top) + 1);
	pthread_mutex_unlock(&lock);
}

static void pop(void)
{
	int left = 0;

	if (is_bad && atomic_load(&top) == 0)
		return;
	pthread_mutex_lock(&lock);
	if (is_bad || atomic_load(&top) > 0) {
		left = atomic_load(&top) - 1;
		atomic_store(&top, left);
	}
	pthread_mutex_unlock(&lock);
	assert(left >= 0);
}

static void *work(void *arg)
{
	if ((long)arg < size - 1)
		push();
	pop();
	return NULL;
}

int main(int argc, char **argv)
{
	read_arguments(argc, argv, 3, 2, 50);
	run_threads(size, work);
	return 0;
}
