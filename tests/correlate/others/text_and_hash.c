/*
 * A text is appended to under one lock, and its hash is made under another. What decides how long
 * the loop goes on is not counted as data.
 *
 * EXPECT: extended-race text hash
 * PART
 * MISSED: -O0 -O2
 */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
char text[128];
unsigned hash;
static void add(const char *s)
{
	pthread_mutex_lock(&m);
	strcat(text, s);
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&n);
#endif
	for (const char *p = s; *p; p++)
		hash = hash * 31 + (unsigned char)*p;
#ifdef GOOD
	pthread_mutex_unlock(&m);
#else
	pthread_mutex_unlock(&n);
#endif
}
static void *a(void *x)
{
	for (int i = 0; i < 3; i++)
		add("alpha beta gamma");
	return x;
}
static void *b(void *x)
{
	for (int i = 0; i < 3; i++)
		add("delta epsilon");
	return x;
}

int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, a, (void *)1);
	pthread_create(&t[1], 0, b, (void *)2);
	pthread_join(t[0], 0);
	pthread_join(t[1], 0);
	return 0;
}
