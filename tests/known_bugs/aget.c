/*
 * aget: bwritten is updated by downloaders under a lock, and read without by the signal handler's
 * thread that saves the state: the state may not be what was written.
 *
 * FAILS: output
 * CAUSE: offset|bwritten
 * REMEDY: 'bwritten_mutex'
 * MISSED: that the message comes of it; the races are told with the values that they change
 */
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t bwritten_mutex = PTHREAD_MUTEX_INITIALIZER;
static long bwritten;
static long offset[2];
static long saved_total, saved_offset[2];
static void *http_get(void *a)
{
	int n = *(int *)a;
	for (int i = 0; i < 2; i++) {
#ifdef FIXED
		pthread_mutex_lock(&bwritten_mutex);
		offset[n] += 512;
		bwritten += 512;
		pthread_mutex_unlock(&bwritten_mutex);
#else
		offset[n] += 512;
		pthread_mutex_lock(&bwritten_mutex);
		bwritten += 512;
		pthread_mutex_unlock(&bwritten_mutex);
#endif
	}
	return NULL;
}
static void *save_log(void *a)
{
#ifdef FIXED
	pthread_mutex_lock(&bwritten_mutex);
#endif
	saved_total = bwritten;
	for (int i = 0; i < 2; i++)
		saved_offset[i] = offset[i];
#ifdef FIXED
	pthread_mutex_unlock(&bwritten_mutex);
#endif
	if (saved_total != saved_offset[0] + saved_offset[1])
		fprintf(stderr, "the log is not what was written\n");
	return a;
}
int main(void)
{
	pthread_t t[3];
	int n[2] = { 0, 1 };
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, http_get, &n[i]);
	pthread_create(&t[2], NULL, save_log, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
