/*
 * Is a session free, which memcmp says, and then it is taken in the next critical section: two clients take it. GOOD: one
 * critical section.
 *
 * EXPECT: extended-race owner
 * PART
 * ALSO: taken
 * MISSED: gcc-O0
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char owner[16];
static int taken;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static const char nobody[16];

static void *client(void *name)
{
	pthread_mutex_lock(&m);
	if (memcmp(owner, nobody, strlen(name) + 8) == 0) {
#ifndef GOOD
		pthread_mutex_unlock(&m);
		pthread_mutex_lock(&m);
#endif
		memcpy(owner, name, 6);
		taken++;
	}
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, client, "alpha");
	pthread_create(&b, NULL, client, "gamma");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s %d\n", owner, taken);
	return 0;
}
