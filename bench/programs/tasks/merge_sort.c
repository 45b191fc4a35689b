/*
 * Merge sort: the halves are tasks, and so are the halves of a long merge.
 *
 *   merge_sort [NUMBERS [ROUNDS]]      rounds with different numbers
 *
 * Shared: nothing but what a finish hands over.
 * --bug: the halves are merged before they are waited for (races).
 */
#include "task_bench.h"

#define LEAF 16
#define SMALL 4096 /* no tasks below it */

/* Sort @n numbers at @a; the result is there, or at @b if @away. */
struct range {
	uint32_t *a, *b;
	long n;
	bool away;
};

struct merge {
	const uint32_t *a, *b;
	uint32_t *out;
	long na, nb;
};

static long numbers = 3000000, rounds = 7;

static void insertion(uint32_t *a, long n)
{
	for (long i = 1; i < n; i++) {
		uint32_t x = a[i];
		long k = i;

		for (; k > 0 && a[k - 1] > x; k--)
			a[k] = a[k - 1];
		a[k] = x;
	}
}

/* How many of the sorted @n numbers at @a are below @x. */
static long below(const uint32_t *a, long n, uint32_t x)
{
	long low = 0;

	while (low < n) {
		long middle = low + (n - low) / 2;

		if (a[middle] < x)
			low = middle + 1;
		else
			n = middle;
	}
	return low;
}

static void merge(void *arg)
{
	struct merge m = *(struct merge *)arg;

	while (m.na + m.nb > 2 * SMALL) {
		bool first = m.na >= m.nb;
		long half = (first ? m.na : m.nb) / 2;
		long ka = first ? half : below(m.a, m.na, m.b[half]);
		long kb = first ? below(m.b, m.nb, m.a[half]) : half;
		struct merge upper = { m.a + ka, m.b + kb, m.out + ka + kb, m.na - ka, m.nb - kb };

		async(merge, &upper, sizeof(upper));
		m.na = ka;
		m.nb = kb;
	}
	while (m.na > 0 && m.nb > 0) {
		if (*m.b < *m.a) {
			*m.out++ = *m.b++;
			m.nb--;
		} else {
			*m.out++ = *m.a++;
			m.na--;
		}
	}
	memcpy(m.out, m.a, m.na * sizeof(*m.out));
	memcpy(m.out + m.na, m.b, m.nb * sizeof(*m.out));
}

static void sort(void *arg);

/* The halves of a range, sorted into the other array. */
static void sort_halves(struct range *lower, struct range *upper)
{
	if (upper->n <= SMALL) {
		sort(lower);
		sort(upper);
		return;
	}
	finish_begin();
	async(sort, lower, sizeof(*lower));
	async(sort, upper, sizeof(*upper));
	finish_end();
}

static void sort(void *arg)
{
	struct range r = *(struct range *)arg;
	long half = r.n / 2;
	uint32_t *from = r.away ? r.a : r.b, *to = r.away ? r.b : r.a;
	struct merge m = { from, from + half, to, half, r.n - half };
	struct range lower = { r.a, r.b, half, !r.away };
	struct range upper = { r.a + half, r.b + half, r.n - half, !r.away };

	if (r.n <= LEAF) {
		insertion(r.a, r.n);
		if (r.away)
			memcpy(r.b, r.a, r.n * sizeof(*r.a));
		return;
	}
	if (broken && r.n == numbers) {
		finish_begin();
		async(sort, &lower, sizeof(lower));
		async(sort, &upper, sizeof(upper));
		merge(&m);
		finish_end();
		return;
	}
	sort_halves(&lower, &upper);
	if (r.n > 2 * SMALL)
		finish_begin();
	merge(&m);
	if (r.n > 2 * SMALL)
		finish_end();
}

static uint32_t *unsorted, *other;
static uint64_t sum;

static void fill(long block, void *round)
{
	long end = (block + 1) * SMALL < numbers ? (block + 1) * SMALL : numbers;

	for (long i = block * SMALL; i < end; i++)
		unsorted[i] = (uint32_t)random_at(*(long *)round, i);
}

static void root(void *arg)
{
	struct range all = { unsorted, other, numbers, false };

	(void)arg;
	for (long r = 0; r < rounds; r++) {
		for_blocks((numbers + SMALL - 1) / SMALL, fill, &r);
		sort(&all);
		for (long i = 0; i < numbers; i += numbers / 1000 + 1)
			sum += hash_of(i, unsorted[i]);
	}
}

int main(int argc, char **argv)
{
	long size[] = { numbers, rounds };

	task_bench_args(argc, argv, size, 2);
	numbers = size[0];
	rounds = size[1];
	unsorted = task_bench_alloc(numbers, sizeof(*unsorted));
	other = task_bench_alloc(numbers, sizeof(*other));
	launch(root);
	for (long i = 1; i < numbers; i++) {
		if (unsorted[i - 1] > unsorted[i] && !broken)
			abort();
	}
	return put_checksum(sum);
}
