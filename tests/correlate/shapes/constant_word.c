/*
 * Words that are constants of the program are appended with one lock, and counted with another. GOOD: one
 * lock.
 *
 * EXPECT: extended-race name name_length
 * WHY: different locks
 */
#include <pthread.h>
#include <string.h>

static char name[128];
static unsigned long name_length;
static pthread_mutex_t a_lock = PTHREAD_MUTEX_INITIALIZER, b_lock = PTHREAD_MUTEX_INITIALIZER;

static void extend(const char *s)
{
	pthread_mutex_lock(&a_lock);
	strcpy(name + strlen(name), s);
#ifndef GOOD
	pthread_mutex_unlock(&a_lock);
	pthread_mutex_lock(&b_lock);
#endif
	name_length += strlen(s);
#ifndef GOOD
	pthread_mutex_unlock(&b_lock);
#else
	pthread_mutex_unlock(&a_lock);
#endif
}

static void *clerk(void *arg)
{
	extend(arg);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	static const char *const names[] = { "a rather long name of somebody", "another, of some length" };

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, clerk, (void *)names[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return name_length == 0;
}
