/*
 * Numbers are kept in order: each is put where it belongs, in one section, with what is behind it moved by one.
 *
 * EXPECT: none
 * ALWAYS: gcc-O2
 */
#include <pthread.h>
#include <stdio.h>
static int a[32], n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void insert(int v)
{
	int at = 0;
	pthread_mutex_lock(&m);
	while (at < n && a[at] < v) at++;
	for (int i = n; i > at; i--) a[i] = a[i - 1];
	a[at] = v;
	n++;
	pthread_mutex_unlock(&m);
}
static void *ins(void *arg)
{
	unsigned r = (unsigned)(long)arg;
	for (int i = 0; i < 8; i++) { r = r * 1103515245u + 12345u; insert((int)(r >> 20)); }
	return NULL;
}
int main(void)
{
	pthread_t x, y;
	pthread_create(&x, 0, ins, (void *)1);
	pthread_create(&y, 0, ins, (void *)77);
	pthread_join(x, 0);
	pthread_join(y, 0);
	for (int i = 0; i < n; i++) printf("%d ", a[i]);
	puts("");
	return 0;
}
