/*
 * A request is written to the log under the log's lock; how many there were is counted under another. Nobody uses
 * the two together.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[512];
static size_t used;
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long requests;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;

static void handle(int client, int n)
{
	char line[32];
	int len = snprintf(line, sizeof(line), "%d: %d\n", client, n);

	pthread_mutex_lock(&log_lock);
	memcpy(text + used, line, (size_t)len);
	used += (size_t)len;
	pthread_mutex_unlock(&log_lock);
	pthread_mutex_lock(&count_lock);
	requests++;
	pthread_mutex_unlock(&count_lock);
}

static void *client(void *arg)
{
	for (int i = 0; i < 5; i++)
		handle(*(int *)arg, i);
	return NULL;
}

static void *watcher(void *arg)
{
	unsigned long n;

	pthread_mutex_lock(&count_lock);
	n = requests;
	pthread_mutex_unlock(&count_lock);
	printf("%lu so far\n", n);
	return arg;
}

int main(void)
{
	int one = 1, two = 2;
	pthread_t t[3];

	pthread_create(&t[0], NULL, client, &one);
	pthread_create(&t[1], NULL, client, &two);
	pthread_create(&t[2], NULL, watcher, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	printf("%zu bytes\n", used);
	return 0;
}
