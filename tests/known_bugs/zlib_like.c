/*
 * zlib-like: a table that is computed on the first use by a flag: another thread sees the flag
 * before the table.
 *
 * FAILS: exit
 * CAUSE: empty|table
 * REMEDY: a new lock
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static atomic_int empty = 1;
static atomic_uint table[4];
static void make(void)
{
#ifdef FIXED
	for (int i = 0; i < 4; i++)
		atomic_store(&table[i], (unsigned)i * 0x1db7u + 1);
	atomic_store(&empty, 0);
#else
	atomic_store(&empty, 0);
	for (int i = 0; i < 4; i++)
		atomic_store(&table[i], (unsigned)i * 0x1db7u + 1);
#endif
}
static void *crc(void *a)
{
	unsigned c = 0;
	if (atomic_load(&empty))
		make();
	for (int i = 0; i < 4; i++)
		c ^= atomic_load(&table[i]);
	*(unsigned *)a = c;
	return NULL;
}
int main(void)
{
	pthread_t t[2];
	unsigned c[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, crc, &c[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	if (c[0] != c[1]) {
		fputs("checksums differ\n", stderr);
		return 1;
	}
	return 0;
}
