/*
 * Swaptions priced by simulation: paths of the forward curve in a one-factor Heath-Jarrow-Morton
 * model, for each swaption in blocks of a few hundred paths.
 *
 *   swaptions [PATHS [SWAPTIONS]]      paths for each swaption
 *
 * Shared: the sum of each swaption's pay-offs, in units of 2^-32, which its tasks add to in
 * isolated blocks on that sum.
 * --bug: it is read and written in two blocks (an update gets lost).
 */
#include "task_bench.h"

#include <math.h>

#define TENORS 20 /* half years */
#define BLOCK 250 /* paths */

struct swaption {
	double strike, volatility, level;
	int expiry; /* half years from now */
	uint64_t sum;
};

struct block {
	long swaption, first, end;
};

static long paths = 56000, swaptions = 32;
static struct swaption *all;

/* One normal number for two uniform ones. */
static double gauss(uint64_t stream, uint64_t n)
{
	return sqrt(-2 * log(1 - uniform_at(stream, 2 * n))) *
	       cos(2 * M_PI * uniform_at(stream, 2 * n + 1));
}

/* Move the curve of forward rates on by one half year. */
static void advance(double *forward, double volatility, double shock)
{
	double drift = 0;

	for (int t = 0; t + 1 < TENORS; t++) {
		double sigma = volatility * exp(-0.05 * t);

		drift += sigma * sigma * 0.5;
		forward[t] = forward[t + 1] + drift * 0.5 + sigma * shock;
	}
}

/* What the right to the swap is worth today in path @n. */
static double pay_off(const struct swaption *s, uint64_t stream, uint64_t n)
{
	double forward[TENORS], discount = 1, bond = 1, value = 0;

	for (int t = 0; t < TENORS; t++)
		forward[t] = s->level + 0.0005 * t;
	for (int step = 0; step < s->expiry; step++) {
		discount *= exp(-0.5 * forward[0]);
		advance(forward, s->volatility, gauss(stream, n * TENORS + step) * M_SQRT1_2);
	}
	for (int t = 0; t < TENORS - s->expiry; t++) {
		bond *= exp(-0.5 * forward[t]);
		value += bond * 0.5 * (forward[t] - s->strike);
	}
	return value > 0 ? discount * value : 0;
}

static void simulate(void *arg)
{
	struct block *b = arg;
	struct swaption *s = &all[b->swaption];
	uint64_t sum = 0;

	for (long n = b->first; n < b->end; n++)
		sum += (uint64_t)(pay_off(s, 10 + b->swaption, n) * 0x1p32);
	add_isolated(&s->sum, sum);
}

static void root(void *arg)
{
	(void)arg;
	finish_begin();
	for (long i = 0; i < swaptions; i++) {
		for (long n = 0; n < paths; n += BLOCK) {
			struct block b = { i, n, n + BLOCK < paths ? n + BLOCK : paths };

			async(simulate, &b, sizeof(b));
		}
	}
	finish_end();
}

int main(int argc, char **argv)
{
	long size[] = { paths, swaptions };
	uint64_t sum = 0;

	task_bench_args(argc, argv, size, 2);
	paths = size[0];
	swaptions = size[1];
	all = task_bench_alloc(swaptions, sizeof(*all));
	for (long i = 0; i < swaptions; i++) {
		all[i] = (struct swaption){
			.strike = 0.02 + 0.04 * uniform_at(1, i),
			.volatility = 0.005 + 0.01 * uniform_at(2, i),
			.level = 0.02 + 0.04 * uniform_at(3, i),
			.expiry = 2 + random_at(4, i) % 12,
		};
	}
	launch(root);
	for (long i = 0; i < swaptions; i++)
		sum += hash_of(i, all[i].sum);
	return put_checksum(sum);
}
