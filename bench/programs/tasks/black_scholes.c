/*
 * European options priced by the formula of Black and Scholes, in blocks of a thousand, again and
 * again as a portfolio is.
 *
 *   black_scholes [ROUNDS [OPTIONS]]
 *
 * Shared: the count of options worth more than a tenth of what they are on, added to in an
 * isolated block by each task.
 * --bug: the count is read and written in two blocks (an update gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define BLOCK 1000

struct option {
	double spot, strike, rate, volatility, years;
	bool put;
};

static long rounds = 300, options = 100000;
static struct option *book;
static double *price;
static uint64_t worthy;

/* The normal distribution's integral. */
static double normal(double x)
{
	return 0.5 * erfc(-x * M_SQRT1_2);
}

static double value(const struct option *o)
{
	double spread = o->volatility * sqrt(o->years);
	double d1 = (log(o->spot / o->strike) +
		     (o->rate + o->volatility * o->volatility / 2) * o->years) / spread;
	double d2 = d1 - spread;
	double later = o->strike * exp(-o->rate * o->years);

	if (o->put)
		return later * normal(-d2) - o->spot * normal(-d1);
	return o->spot * normal(d1) - later * normal(d2);
}

static void price_block(long block, void *arg)
{
	long end = (block + 1) * BLOCK < options ? (block + 1) * BLOCK : options;
	uint64_t count = 0;

	(void)arg;
	for (long i = block * BLOCK; i < end; i++) {
		double v = value(&book[i]);

		price[i] = v;
		count += v > book[i].spot / 10;
	}
	add_isolated(&worthy, count);
}

static void root(void *arg)
{
	(void)arg;
	for (long r = 0; r < rounds; r++)
		for_blocks((options + BLOCK - 1) / BLOCK, price_block, NULL);
}

static void make_book(void)
{
	book = task_bench_alloc(options, sizeof(*book));
	price = task_bench_alloc(options, sizeof(*price));
	for (long i = 0; i < options; i++) {
		book[i] = (struct option){
			.spot = 20 + 80 * uniform_at(1, i),
			.strike = 20 + 80 * uniform_at(2, i),
			.rate = 0.01 + 0.07 * uniform_at(3, i),
			.volatility = 0.1 + 0.4 * uniform_at(4, i),
			.years = 0.1 + uniform_at(5, i),
			.put = random_at(6, i) & 1,
		};
	}
}

int main(int argc, char **argv)
{
	long size[] = { rounds, options };
	uint64_t sum;

	task_bench_args(argc, argv, size, 2);
	rounds = size[0];
	options = size[1];
	make_book();
	launch(root);
	sum = worthy;
	for (long i = 0; i < options; i++)
		sum += hash_of(i, bits_of(price[i]));
	return put_checksum(sum);
}
