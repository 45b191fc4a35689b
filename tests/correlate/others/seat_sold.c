/*
 * C11 threads: it is asked whether a seat is left, and the seat is written in the next section. The loop that sells does not wait for
 * others, though it ends by what they write. GOOD: it is asked where the seat is written.
 *
 * EXPECT: extended-race hall.sold
 * PART
 */
#include <threads.h>
#include <stdio.h>
#include <string.h>
#define ROWS 6
static mtx_t door;
static struct {
	char who[ROWS][16];
	int sold;
} hall;
static int any_left(void)
{
	mtx_lock(&door);
	int left = hall.sold < ROWS;
	mtx_unlock(&door);
	return left;
}
static int sell(const char *name)
{
#ifdef GOOD
	mtx_lock(&door);
	if (hall.sold >= ROWS) {
		mtx_unlock(&door);
		return -1;
	}
#else
	if (!any_left())
		return -1;
	mtx_lock(&door);
#endif
	int seat = hall.sold;
	strcpy(hall.who[seat % ROWS], name);
	hall.sold = seat + 1;
	mtx_unlock(&door);
	return seat;
}
static int seller(void *name)
{
	int last = -1;
	while (sell(name) >= 0) {
		last++;
		thrd_yield();
	}
	return last;
}
int main(void)
{
	thrd_t t[2];
	mtx_init(&door, mtx_plain);
	(void)any_left;
	thrd_create(&t[0], seller, "anna");
	thrd_create(&t[1], seller, "bert");
	thrd_join(t[0], NULL);
	thrd_join(t[1], NULL);
	printf("%d\n", hall.sold);
	return 0;
}
