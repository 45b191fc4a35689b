/*
 * Is the connection open, and then a message into its buffer; another thread closes it, which clears the
 * buffer. GOOD: looked at in the section that writes.
 *
 * EXPECT: extended-race heap
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	pthread_mutex_t mu;
	int open;
	unsigned used;
	char buffer[128];
} conn;

static int conn_is_open(conn *c)
{
	int is;

	pthread_mutex_lock(&c->mu);
	is = c->open;
	pthread_mutex_unlock(&c->mu);
	return is;
}

static void conn_append(conn *c, const char *text)
{
	pthread_mutex_lock(&c->mu);
#ifdef GOOD
	if (!c->open) {
		pthread_mutex_unlock(&c->mu);
		return;
	}
#endif
	memcpy(c->buffer + c->used, text, strlen(text));
	c->used += strlen(text);
	pthread_mutex_unlock(&c->mu);
}

static void conn_send(conn *c, const char *text)
{
#ifndef GOOD
	if (!conn_is_open(c))
		return;
#endif
	conn_append(c, text);
}

static void conn_close(conn *c)
{
	pthread_mutex_lock(&c->mu);
	c->open = 0;
	c->used = 0;
	memset(c->buffer, 0, sizeof(c->buffer));
	pthread_mutex_unlock(&c->mu);
}

static void *sender(void *arg)
{
	conn_send(arg, "one ");
	conn_send(arg, "two ");
	return NULL;
}

static void *closer(void *arg)
{
	conn_close(arg);
	return NULL;
}

int main(void)
{
	conn *c = calloc(1, sizeof(*c));
	pthread_t a, b;

	pthread_mutex_init(&c->mu, NULL);
	c->open = 1;
	pthread_create(&a, NULL, sender, c);
	pthread_create(&b, NULL, closer, c);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	printf("%u left, open %d\n", c->used, conn_is_open(c));
	free(c);
	return 0;
}
