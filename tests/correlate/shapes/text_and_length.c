/*
 * A word is appended to a text with one lock, its length added to the text's with another. Two
 * threads do. GOOD: one lock.
 *
 * EXPECT: extended-race text length
 * WHY: different locks
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char text[256];
static size_t length;
static pthread_mutex_t text_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t length_lock = PTHREAD_MUTEX_INITIALIZER;

static void append(const char *word)
{
	pthread_mutex_lock(&text_lock);
	strcat(text, word);
#ifndef GOOD
	pthread_mutex_unlock(&text_lock);
	pthread_mutex_lock(&length_lock);
#endif
	length += strlen(word);
#ifndef GOOD
	pthread_mutex_unlock(&length_lock);
#else
	pthread_mutex_unlock(&text_lock);
#endif
}

static void *writer(void *arg)
{
	char word[40];

	snprintf(word, sizeof(word), "%s and so on, ", (char *)arg);
	append(word);
	append(word);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, "first things");
	pthread_create(&b, NULL, writer, "second things");
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return length != strlen(text);
}
