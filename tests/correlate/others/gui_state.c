/*
 * The state of a dialog and its message are set in two sections; another thread prints both in one, the state as it is called
 * in a table. GOOD: set in one.
 *
 * EXPECT: extended-race state message
 * ALWAYS: gcc-O0 gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
enum { IDLE, BUSY, FAILED };
static int state;
static char message[40] = "ready";
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void set(int s, const char *text)
{
	pthread_mutex_lock(&m);
	state = s;
#ifndef GOOD
	pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m);
#endif
	strcpy(message, text);
	pthread_mutex_unlock(&m);
}
static void show(void)
{
	static const char *const names[] = { "idle", "busy", "failed" };
	pthread_mutex_lock(&m);
	printf("[%s] %s\n", names[state], message);
	pthread_mutex_unlock(&m);
}
static void *work(void *a) { set(BUSY, "loading"); set(FAILED, "no file"); set(IDLE, "ready again"); return a; }
static void *ui(void *a) { for (int i = 0; i < 4; i++) show(); return a; }
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, work, 0);
	pthread_create(&y, 0, ui, 0);
	pthread_join(x, 0);
	pthread_join(y, 0);
	return 0;
}
