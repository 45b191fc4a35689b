/*
 * A place is reserved in one section and filled in the next: it is the reserver's. Readers take only
 * what is filled.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

#define ROOM 16

static int reserved;
static struct {
	int filled, value;
} place[ROOM];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *arg)
{
	for (int i = 0; i < 4; i++) {
		int mine;

		pthread_mutex_lock(&lock);
		mine = reserved++;
		pthread_mutex_unlock(&lock);
		pthread_mutex_lock(&lock);
		place[mine].value = *(int *)arg + i;
		place[mine].filled = 1;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *reader(void *arg)
{
	int sum = 0;

	for (int i = 0; i < ROOM; i++) {
		pthread_mutex_lock(&lock);
		if (place[i].filled)
			sum += place[i].value;
		pthread_mutex_unlock(&lock);
	}
	printf("%d\n", sum);
	return arg;
}

int main(void)
{
	pthread_t t[3];
	int base[2] = { 10, 20 };

	pthread_create(&t[0], NULL, writer, &base[0]);
	pthread_create(&t[1], NULL, writer, &base[1]);
	pthread_create(&t[2], NULL, reader, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
