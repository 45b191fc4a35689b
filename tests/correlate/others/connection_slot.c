/*
 * A connection table: a free slot is found in one section and filled in the next.
 *
 * EXPECT: extended-race table
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#define MAX 16
struct conn {
	int used, fd;
	unsigned long peer;
};
static struct conn table[MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int find_free(void)
{
	for (int i = 0; i < MAX; i++)
		if (!table[i].used)
			return i;
	return -1;
}
static int add(int fd, unsigned long peer)
{
	pthread_mutex_lock(&lock);
	int i = find_free();
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	if (i < 0)
		return -1;
	pthread_mutex_lock(&lock);
#endif
	if (i >= 0) {
		table[i].used = 1;
		table[i].fd = fd;
		table[i].peer = peer;
	}
	pthread_mutex_unlock(&lock);
	return i;
}
static void *acceptor(void *arg)
{
	int base = (int)(long)arg;
	for (int i = 0; i < 5; i++)
		add(base + i, (unsigned long)base * 77);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	int used = 0;
	pthread_create(&a, NULL, acceptor, (void *)10);
	pthread_create(&b, NULL, acceptor, (void *)50);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	for (int i = 0; i < MAX; i++)
		used += table[i].used;
	printf("%d\n", used);
	return 0;
}
