/*
 * A log: the place is taken from the length, the text is written, and the length advanced later.
 *
 * EXPECT: extended-race log_.len
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static struct {
	char text[256];
	size_t len;
} log_;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void append(const char *s)
{
	size_t n = strlen(s);
	pthread_mutex_lock(&lock);
	memcpy(log_.text + log_.len, s, n);
#ifndef GOOD
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
#endif
	log_.len += n;
	pthread_mutex_unlock(&lock);
}
static void *writer(void *arg)
{
	for (int i = 0; i < 4; i++)
		append(arg);
	return NULL;
}
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, writer, "alpha ");
	pthread_create(&b, NULL, writer, "be ");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%.*s\n", (int)log_.len, log_.text);
	return 0;
}
