/*
 * A helper unlocks a mutex that main has locked. POSIX leaves open what happens;
 * usually nothing visible, and the lock then protects nothing. heddle names it.
 *
 *   heddle cc misuse.c -o misuse
 *   heddle run -- ./misuse
 */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *helper(void *unused)
{
	(void)unused;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_mutex_lock(&lock);
	pthread_create(&thread, NULL, helper, NULL);
	pthread_join(thread, NULL);
	return 0;
}
