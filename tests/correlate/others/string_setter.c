/*
 * A name and its length, set in two sections; another thread reads both and compares. GOOD: in one.
 *
 * EXPECT: extended-race name name_len
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[32] = "nobody";
static size_t name_len = 6;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int bad;

static void set_name(const char *to)
{
	pthread_mutex_lock(&m);
	strcpy(name, to);
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	name_len = strlen(to);
	pthread_mutex_unlock(&m);
}

static void *setter(void *arg)
{
	char text[32];

	for (int i = 0; i < 3; i++) {
		snprintf(text, sizeof(text), "name-%d", i * 1000);
		set_name(text);
	}
	return arg;
}

static void *reader(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&m);
		if (strlen(name) != name_len)
			bad++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, setter, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s, %zu, %d\n", name, name_len, bad);
	return 0;
}
