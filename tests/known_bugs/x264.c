/*
 * x264: frame threads wait for lines of the reference frame by `if`, not `while`: a broadcast for
 * fewer lines wakes them.
 *
 * FAILS: assertion
 * CAUSE: lines_completed
 * REMEDY: waiting again
 */
#include <pthread.h>
#include <assert.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cv = PTHREAD_COND_INITIALIZER;
static int lines_completed;
static void *encode(void *a)
{
	for (int i = 1; i <= 2; i++) {
		pthread_mutex_lock(&mutex);
		lines_completed = i;
		pthread_cond_broadcast(&cv);
		pthread_mutex_unlock(&mutex);
	}
	return a;
}
static void *refer(void *a)
{
	pthread_mutex_lock(&mutex);
#ifdef FIXED
	while (lines_completed < 2)
#else
	if (lines_completed < 2)
#endif
		pthread_cond_wait(&cv, &mutex);
	assert(lines_completed >= 2);
	pthread_mutex_unlock(&mutex);
	return a;
}
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], NULL, refer, NULL);
	pthread_create(&t[1], NULL, encode, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
