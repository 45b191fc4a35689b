/*
 * A list is cleared in one section and its length in the next, while another looks at both. The
 * length decides whether the list is looked at, as a flag would.
 *
 * EXPECT: extended-race head count
 * PART
 * MISSED: -O0 -O2
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct e {
	struct e *next;
};
struct e *head;
int count;
struct e pool[4];
int bad;
static void *clear(void *x)
{
	pthread_mutex_lock(&m);
	head = NULL;

#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	count = 0;
	pthread_mutex_unlock(&m);
	return x;
}
static void *check(void *x)
{
	for (int r = 0; r < 3; r++) {
		pthread_mutex_lock(&m);
		if (count > 0 && head == NULL)
			bad++;
		pthread_mutex_unlock(&m);
	}
	return x;
}

int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 4; i++) {
		pool[i].next = head;
		head = &pool[i];
		count++;
	}
	pthread_create(&t[0], 0, clear, (void *)1);
	pthread_create(&t[1], 0, check, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
