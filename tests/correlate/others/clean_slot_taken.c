/*
 * A slot is taken in one section, by advancing the index, and filled in the next; a loop that ends when others say so does its
 * work without asking, and who says so only reads what was done. Two values are moved on, each to the next of
 * three places, with a look whether they are still there. Nothing is lost.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int slot[64], next, running = 1, rounds, seen, place[3] = { 1, 2, 3 };

static int take(void)
{
	int at;

	pthread_mutex_lock(&m);
	at = next++;
	pthread_mutex_unlock(&m);
	return at;
}

static void fill(int at, int value)
{
	pthread_mutex_lock(&m);
	slot[at] = value;
	pthread_mutex_unlock(&m);
}

static int get(int i)
{
	int v;

	pthread_mutex_lock(&m);
	v = place[i];
	pthread_mutex_unlock(&m);
	return v;
}

static void exchange(int i, int k)
{
	int a = get(i), b = get(k);

	pthread_mutex_lock(&m);
	if (place[i] == a && place[k] == b) {
		place[i] = b;
		place[k] = a;
	}
	pthread_mutex_unlock(&m);
}

static int is_running(void)
{
	int yes;

	pthread_mutex_lock(&m);
	yes = running;
	pthread_mutex_unlock(&m);
	return yes;
}

static void *work(void *arg)
{
	for (int i = 0; i < 12; i++) {
		if (!is_running())
			break;
		fill(take(), i);
		exchange(i % 3, (i + 1) % 3);
		pthread_mutex_lock(&m);
		rounds++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

static void *stop(void *arg)
{
	for (int i = 0; i < 4; i++)
		fill(take(), 100 + i);
	exchange(0, 2);
	pthread_mutex_lock(&m);
	running = 0;
	seen = rounds;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t worker, stopper;

	pthread_create(&worker, NULL, work, NULL);
	pthread_create(&stopper, NULL, stop, NULL);
	pthread_join(worker, NULL);
	pthread_join(stopper, NULL);
	printf("%d %d %d\n", next, seen, place[0]);
	return 0;
}
