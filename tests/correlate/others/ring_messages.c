/*
 * A message of 28 bytes is copied into a ring in one section, and the head is advanced in the next:
 * the index is multiplied, not shifted.
 *
 * EXPECT: extended-race head ring
 * PART
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
struct msg {
	char text[24];
	int from;
};
struct msg ring[8];
unsigned head;
static void send_(const struct msg *s)
{
	pthread_mutex_lock(&m);
	memcpy(&ring[head & 7], s, sizeof *s);

#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	head = head + 1;
	pthread_mutex_unlock(&m);
}
static void *w(void *x)
{
	struct msg a = { "hi", 0 };
	a.from = (int)(long)x;
	for (int i = 0; i < 4; i++)
		send_(&a);
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, w, (void *)1);
	pthread_create(&t[1], 0, w, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
