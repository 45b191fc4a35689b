/*
 * A message is added to a log under one lock, and its length to the size of the log under another. GOOD:
 * both under one.
 *
 * EXPECT: extended-race log_text log_size
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char log_text[256];
static size_t log_size;
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t size_lock = PTHREAD_MUTEX_INITIALIZER;

static void write_log(const char *msg)
{
	pthread_mutex_lock(&text_lock);
	strcat(log_text, msg);
#ifndef GOOD
	pthread_mutex_unlock(&text_lock);
	pthread_mutex_lock(&size_lock);
#endif
	log_size += strlen(msg);
#ifndef GOOD
	pthread_mutex_unlock(&size_lock);
#else
	pthread_mutex_unlock(&text_lock);
#endif
}

static void *server(void *arg)
{
	char msg[32];

	for (int i = 0; i < 3; i++) {
		snprintf(msg, sizeof(msg), "%s: request %d\n", (const char *)arg, i);
		write_log(msg);
	}
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, server, "a");
	pthread_create(&b, NULL, server, "b");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%s%zu\n", log_text, log_size);
	return 0;
}
