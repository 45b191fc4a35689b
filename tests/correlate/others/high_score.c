/*
 * The best score and who has it: read, compared outside, and both set in a second section. GOOD: in one.
 *
 * EXPECT: extended-race best.score
 * PART
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <threads.h>

static mtx_t lock;
static struct {
	int score;
	int player;
} best;

static int submit(int player, int score)
{
	int old;

	mtx_lock(&lock);
	old = best.score;
#ifdef GOOD
	if (score > old) {
		best.score = score;
		best.player = player;
	}
	mtx_unlock(&lock);
#else
	mtx_unlock(&lock);
	if (score <= old)
		return 0;
	mtx_lock(&lock);
	best.score = score;
	best.player = player;
	mtx_unlock(&lock);
#endif
	return score > old;
}

static int play(void *arg)
{
	int player = *(int *)arg, won = 0;

	for (int i = 1; i < 5; i++)
		won += submit(player, i * 10 + player * 3);
	return won;
}

int main(void)
{
	int one = 1, two = 2;
	thrd_t a, b;

	mtx_init(&lock, mtx_plain);
	thrd_create(&a, play, &one);
	thrd_create(&b, play, &two);
	thrd_join(a, NULL);
	thrd_join(b, NULL);
	printf("%d by %d\n", best.score, best.player);
	return 0;
}
