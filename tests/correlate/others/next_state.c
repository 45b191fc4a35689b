/*
 * A state machine: the next state is looked up in a table of constants, without the lock. That goes through an address, which is
 * no part of a value. GOOD: with it.
 *
 * EXPECT: extended-race conn.state
 */
#include <pthread.h>
#include <stdio.h>
enum st { IDLE, OPENING, OPEN, CLOSING };
enum ev { E_OPEN, E_ACK, E_CLOSE, E_DONE };
static const enum st next[4][4] = {
	{ OPENING, IDLE, IDLE, IDLE }, { OPENING, OPEN, CLOSING, IDLE }, { OPEN, OPEN, CLOSING, OPEN }, { CLOSING, CLOSING, CLOSING, IDLE },
};
struct conn { pthread_mutex_t mu; enum st state; int transitions; };
static struct conn conn = { .mu = PTHREAD_MUTEX_INITIALIZER };
static void feed(struct conn *c, enum ev e)
{
	pthread_mutex_lock(&c->mu);
	enum st s = c->state;
#ifndef GOOD
	pthread_mutex_unlock(&c->mu);
	s = next[s][e];
	pthread_mutex_lock(&c->mu);
#else
	s = next[s][e];
#endif
	c->state = s;
	c->transitions++;
	pthread_mutex_unlock(&c->mu);
}
static void *local(void *a) { feed(&conn, E_OPEN); feed(&conn, E_CLOSE); feed(&conn, E_OPEN); return a; }
static void *remote(void *a) { feed(&conn, E_ACK); feed(&conn, E_DONE); feed(&conn, E_ACK); return a; }
int main(void)
{
	pthread_t a, b;
	pthread_create(&a, 0, local, 0); pthread_create(&b, 0, remote, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	printf("%d %d\n", conn.state, conn.transitions);
}
