/*
 * The product of two polynomials modulo 2^32, by Karatsuba's three half-size products, which are
 * tasks down to a few hundred coefficients.
 *
 *   karatsuba [COEFFICIENTS [ROUNDS]]      a power of two; rounds of the same
 *
 * Shared: nothing but what a finish hands over.
 * --bug: the three products are summed up before they are waited for (races).
 */
#include "task_bench.h"

#define LEAF 64	  /* multiplied by the school's rule */
#define SMALL 512 /* no tasks for products up to this size */

typedef uint32_t word;

/* out[0 .. 2n-1] = a * b; scratch has scratch_size(n) words. */
struct product {
	word *out, *scratch;
	const word *a, *b;
	long n;
};

static long coefficients = 1 << 17, rounds = 3;
static word *a, *b, *out, *scratch;

static void school(const struct product *p)
{
	memset(p->out, 0, 2 * p->n * sizeof(word));
	for (long i = 0; i < p->n; i++) {
		word x = p->a[i];

		for (long j = 0; j < p->n; j++)
			p->out[i + j] += x * p->b[j];
	}
}

static void add_halves(word *to, const word *from, long half)
{
	for (long i = 0; i < half; i++)
		to[i] = from[i] + from[half + i];
}

static void add_to(word *to, const word *from, long n)
{
	for (long i = 0; i < n; i++)
		to[i] += from[i];
}

static void subtract_from(word *to, const word *from, long n)
{
	for (long i = 0; i < n; i++)
		to[i] -= from[i];
}

/* Sums of halves and the middle product; then the same for each product that runs in parallel. */
static long scratch_size(long n)
{
	if (n <= LEAF)
		return 0;
	return 2 * n + (n > SMALL ? 3 : 1) * scratch_size(n / 2);
}

static void multiply(void *arg);

/* The three products, and what the middle one has too much. */
static void products(struct product *lower, struct product *upper, struct product *middle)
{
	bool tasks = 2 * lower->n > SMALL;

	if (!tasks) {
		multiply(lower);
		multiply(upper);
		multiply(middle);
	} else {
		finish_begin();
		async(multiply, lower, sizeof(*lower));
		async(multiply, upper, sizeof(*upper));
		async(multiply, middle, sizeof(*middle));
		if (!broken)
			finish_end();
	}
	subtract_from(middle->out, lower->out, 2 * lower->n);
	subtract_from(middle->out, upper->out, 2 * lower->n);
	if (tasks && broken)
		finish_end();
}

static void multiply(void *arg)
{
	struct product p = *(struct product *)arg;
	long half = p.n / 2, share = p.n > SMALL ? scratch_size(half) : 0;
	word *sum_a = p.scratch, *sum_b = sum_a + half, *middle = sum_b + half;
	word *rest = middle + 2 * half;

	if (p.n <= LEAF) {
		school(&p);
		return;
	}
	add_halves(sum_a, p.a, half);
	add_halves(sum_b, p.b, half);
	products(&(struct product){ p.out, rest, p.a, p.b, half },
		 &(struct product){ p.out + 2 * half, rest + share, p.a + half, p.b + half, half },
		 &(struct product){ middle, rest + 2 * share, sum_a, sum_b, half });
	add_to(p.out + half, middle, 2 * half);
}

static void root(void *arg)
{
	struct product p = { out, scratch, a, b, coefficients };

	(void)arg;
	for (long r = 0; r < rounds; r++)
		multiply(&p);
}

int main(int argc, char **argv)
{
	long size[] = { coefficients, rounds };
	uint64_t sum = 0;

	task_bench_args(argc, argv, size, 2);
	rounds = size[1];
	for (coefficients = 2 * LEAF; coefficients < size[0];)
		coefficients *= 2;
	a = task_bench_alloc(coefficients, sizeof(*a));
	b = task_bench_alloc(coefficients, sizeof(*b));
	out = task_bench_alloc(2 * coefficients, sizeof(*out));
	scratch = task_bench_alloc(scratch_size(coefficients), sizeof(*scratch));
	for (long i = 0; i < coefficients; i++) {
		a[i] = (word)random_at(1, i);
		b[i] = (word)random_at(2, i);
	}
	launch(root);
	for (long i = 0; i < 2 * coefficients; i++)
		sum += hash_of(i, out[i]);
	return put_checksum(sum);
}
