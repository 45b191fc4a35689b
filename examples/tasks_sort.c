/*
 * Merge sort with tasks. The error: the halves are merged before their tasks have ended.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <heddle/hj.h>

#define N 64

static int numbers[N], space[N];

struct part {
	int from, to;
};

static void merge(const struct part *p, int middle)
{
	int a = p->from, b = middle;

	for (int i = p->from; i < p->to; i++) {
		if (a < middle && (b == p->to || numbers[a] <= numbers[b]))
			space[i] = numbers[a++];
		else
			space[i] = numbers[b++];
	}
	memcpy(&numbers[p->from], &space[p->from], (size_t)(p->to - p->from) * sizeof(int));
}

static void sort(void *arg)
{
	struct part p = *(struct part *)arg;
	int middle = (p.from + p.to) / 2;
	struct part left = { p.from, middle }, right = { middle, p.to };

	if (p.to - p.from < 2)
		return;
#ifdef FIXED
	HJ_FINISH
#endif
	{
		hj_async_copy(sort, &left, sizeof(left));
		sort(&right);
	}
	merge(&p, middle);
}

int main(void)
{
	struct part all = { 0, N };

	for (int i = 0; i < N; i++)
		numbers[i] = i * 37 % N;
	hj_launch(sort, &all);
#ifdef FIXED
	for (int i = 0; i < N; i++)
		assert(numbers[i] == i);
#endif
	return 0;
}
