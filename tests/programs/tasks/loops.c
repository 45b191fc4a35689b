/*
 * Every step of a loop runs exactly once: one to three dimensions, strides, chunks, empty ranges; and
 * in a phased one hj_next() is a barrier.
 *
 * RUN: run --seed 1..20
 * EXPECT: clean
 * RUN: run --policy pct --seed 1..10
 * EXPECT: clean
 * RUN: run --policy rr
 * EXPECT: clean
 * RUN: run --switch-at accesses --seed 1..5
 * EXPECT: clean
 */
#include "../program.h"

#include <heddle/hj.h>

#define N 7

static int one[N], two[N][N], three[3][4][2], phased[2][N], stepped;

static void body1(long i, void *arg)
{
	((int *)arg)[i]++;
}

static void body2(long i, long j, void *arg)
{
	two[i][j]++;
}

static void body3(long i, long j, long k, void *arg)
{
	three[i][j][k]++;
}

static void neighbour(long i, void *arg)
{
	phased[0][i] = (int)i;
	hj_next();
	phased[1][i] = phased[0][(i + 1) % N];
}

static void never(long i, void *arg)
{
	abort();
}

static void root(void *arg)
{
	struct hj_range whole = { .high = N }, odd = { .low = 1, .high = N, .stride = 2, .chunk = 2 };
	struct hj_range square[2] = { { .high = N, .chunk = 3 }, { .low = 2, .high = N, .chunk = 2 } };
	struct hj_range box[3] = { { .high = 3 }, { .high = 4, .chunk = 4 }, { .high = 2 } };

	hj_forall1(&whole, body1, one);
	HJ_FINISH
		hj_forasync1(&odd, body1, one);
	for (int i = 0; i < N; i++)
		assert(one[i] == 1 + i % 2);
	hj_forall2(square, body2, NULL);
	for (int i = 0; i < N; i++) {
		for (int j = 0; j < N; j++)
			assert(two[i][j] == (j >= 2));
	}
	hj_forall3(box, body3, NULL);
	for (int i = 0; i < 3 * 4 * 2; i++)
		assert((&three[0][0][0])[i] == 1);
	hj_forall1_phased(&whole, neighbour, NULL);
	for (int i = 0; i < N; i++)
		assert(phased[1][i] == (i + 1) % N);
	hj_forall1(&(struct hj_range){ .low = 5, .high = 5 }, never, NULL);
	stepped = 1;
}

int main(void)
{
	hj_launch(root, NULL);
	assert(stepped);
	return 0;
}
