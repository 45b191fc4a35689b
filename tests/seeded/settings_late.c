/*
 * A worker uses the settings, an atomic pointer, which its creator sets when it has started the worker.
 *
 * FAILS: crash
 * CAUSE: settings
 * REMEDY: none
 */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic(int *) settings;

static void *work(void *x)
{
	int *own = atomic_load(&settings);
	return *own == 3 ? x : (void *)1;
}

int main(void)
{
	static int three = 3;
	pthread_t t;
	void *wrong;
#ifdef FIXED
	atomic_store(&settings, &three);
#endif
	pthread_create(&t, 0, work, 0);
#ifndef FIXED
	atomic_store(&settings, &three);
#endif
	pthread_join(t, &wrong);
	return wrong != 0;
}
