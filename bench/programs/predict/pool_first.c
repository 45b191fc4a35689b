/*
 * A pool of connections, the first release: no more than `limit` are out at a time.
 *
 * Making a connection is slow, so it is done without the pool's lock. But the one that is being
 * made is counted only afterwards: two threads that both find the pool empty and below the limit
 * both make one. Exit status 1. In order: ASK of one thread, COUNT of another, COUNT of the first.
 *
 * There is no data race. -DFIXED: the connection is counted where the limit is looked at.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct connection {
	int host;
	int broken;
};

#define KEEP 4

struct first_pool {
	pthread_mutex_t lock;
	struct connection *idle[KEEP];
	int nidle;
	int out, most, limit; /* connections lent, the most that ever were, the most allowed */
	int asked, refused;
};

/* What every part of the program asks now and then. */
struct settings {
	pthread_mutex_t lock;
	char name[8][8];
	int value[8];
};

static struct first_pool pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .limit = 1};
static struct settings settings = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .name = {"host", "port", "user", "retries"},
    .value = {17, 5432, 1000, 3},
};

static int setting(const char *name)
{
	int value = -1;

	pthread_mutex_lock(&settings.lock);
	for (int i = 0; i < 8 && value < 0; i++)
		if (!strcmp(settings.name[i], name))
			value = settings.value[i];
	pthread_mutex_unlock(&settings.lock);
	return value;
}

static void connection_open(struct connection *c)
{
	c->host = setting("host");
	c->broken = 0;
}

static void count_one_more(struct first_pool *p)
{
	p->out++; /* COUNT */
	if (p->out > p->most)
		p->most = p->out;
}

/* An idle connection, or a new one in @place, or NULL if as many as allowed are out. */
static struct connection *borrow(struct first_pool *p, struct connection *place)
{
	struct connection *c = NULL;
	int refuse = 0;

	pthread_mutex_lock(&p->lock);
	if (p->nidle > 0) {
		c = p->idle[--p->nidle];
		count_one_more(p);
	} else if (p->out >= p->limit) { /* ASK */
		refuse = 1;
	}
#ifdef FIXED
	else
		count_one_more(p);
#endif
	pthread_mutex_unlock(&p->lock);
	if (c || refuse)
		return c;
	connection_open(place);
#ifndef FIXED
	pthread_mutex_lock(&p->lock);
	count_one_more(p);
	pthread_mutex_unlock(&p->lock);
#endif
	return place;
}

/* Connections that broke are not lent again. */
static void give_back(struct first_pool *p, struct connection *c)
{
	pthread_mutex_lock(&p->lock);
	p->out--;
	if (!c->broken && p->nidle < KEEP)
		p->idle[p->nidle++] = c;
	pthread_mutex_unlock(&p->lock);
}

static void talk(struct connection *c)
{
	if (c->host != 17)
		abort();
	c->broken = 1; /* the other side hangs up after every answer */
}

struct client {
	int before; /* settings that it reads before it needs a connection */
	struct connection place;
};

static void *run_client(void *arg)
{
	struct client *client = arg;
	struct connection *c;

	for (int i = 0; i < client->before; i++)
		if (setting("host") != 17)
			abort();
	c = borrow(&pool, &client->place);
	if (c) {
		talk(c);
		give_back(&pool, c);
	}
	return NULL;
}

int main(void)
{
	static struct client clients[] = {{.before = 0}, {.before = 14}, {.before = 32}};
	pthread_t thread[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&thread[i], NULL, run_client, &clients[i]))
			return 2;
	for (int i = 0; i < 3; i++)
		pthread_join(thread[i], NULL);
	if (pool.most > pool.limit) {
		fprintf(stderr, "pool: %d connections were out, %d are allowed\n", pool.most,
			pool.limit);
		return 1;
	}
	puts("pool: done");
	return 0;
}
