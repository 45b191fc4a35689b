/*
 * Room in a text is reserved by advancing its length, and filled in a later critical section; and each thread has a line of
 * its own that it writes at its own position.
 *
 * EXPECT: none
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[256];
static size_t len;
static struct {
	char line[64];
	size_t at;
} lines[2];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void append(const char *word, int me)
{
	size_t n = strlen(word), at;

	pthread_mutex_lock(&lock);
	at = len;
	len += n;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	memcpy(text + at, word, n);
	memcpy(lines[me].line + lines[me].at, word, n);
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	lines[me].at += n;
	pthread_mutex_unlock(&lock);
}

static void *first(void *arg)
{
	for (int i = 0; i < 4; i++)
		append("one ", 0);
	return arg;
}

static void *second(void *arg)
{
	for (int i = 0; i < 4; i++)
		append("three ", 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%.*s\n", (int)len, text);
	return 0;
}
