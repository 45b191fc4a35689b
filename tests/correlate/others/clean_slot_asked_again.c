/*
 * A free slot is looked for in one critical section; whether it is still free is asked in the one that fills it.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define SLOTS 16

static struct {
	int used, fd;
} table[SLOTS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int find_free(void)
{
	int found = -1;

	pthread_mutex_lock(&lock);
	for (int i = 0; i < SLOTS; i++) {
		if (!table[i].used) {
			found = i;
			break;
		}
	}
	pthread_mutex_unlock(&lock);
	return found;
}

static int fill(int i, int fd)
{
	int done = 0;

	pthread_mutex_lock(&lock);
	if (!table[i].used) {
		table[i].used = 1;
		table[i].fd = fd;
		done = 1;
	}
	pthread_mutex_unlock(&lock);
	return done;
}

static void *acceptor(void *arg)
{
	for (int fd = 0; fd < 5; fd++) {
		int i = find_free();

		while (i >= 0 && !fill(i, fd))
			i = find_free();
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, acceptor, NULL);
	pthread_create(&b, NULL, acceptor, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%d\n", table[0].fd);
	return 0;
}
