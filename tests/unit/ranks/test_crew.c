/*
 * Jobs of a crew whose ranks are made up: slow, in any order, dying with what they have or just after it was sent, answering
 * late, twice or nonsense. What is merged is what one process comes to, no answer counts twice, and nothing is waited for
 * that nobody will send.
 *
 * Each rank does what it is sent by the real code of helpers. Who gets on next, and what is heard next, is drawn.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/rng.h"
#include "ranks/crew.h"

#define MOST_RANKS 6   /* besides rank 0 */
#define ROUNDS	   400 /* of each kind */
#define JOBS	   40
#define AHEAD	   9	 /* jobs that are posted before the first of them is merged */
#define STEPS	   20000 /* waits of rank 0 in one round: none of them needs so many */

/* ---- the work --------------------------------------------------------------------- */

/* Answers depend on the question, and on what was told before it was posted. */
struct question {
	uint64_t what, ntold;
};

static uint64_t mix(uint64_t a, uint64_t b)
{
	uint64_t x = a * 31 + b;

	return hd_splitmix64(&x);
}

static uint64_t told_word(uint64_t i)
{
	return mix(i, 7);
}

static uint64_t told_until(const uint64_t *words, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum = mix(sum, words[i]);
	return sum;
}

/* What is asked for depends on what came of earlier questions: how many more, and when somebody tells something. */
struct work {
	struct question list[JOBS];
	size_t n;
	uint64_t ntold, sum;
};

static void ask_next(struct work *w, uint64_t answer)
{
	for (uint64_t i = 0; i < 1 + answer % 3 && w->n < JOBS; i++)
		w->list[w->n++] = (struct question){ mix(answer, i), w->ntold };
}

/* True: something is to be told before the questions that this leads to. */
static bool merge(struct work *w, uint64_t answer)
{
	const bool tell = answer % 8 == 1;

	w->sum = mix(w->sum, answer);
	w->ntold += tell;
	ask_next(w, answer);
	return tell;
}

static uint64_t one_process(uint64_t first)
{
	struct work w = { .list = { { first, 0 } }, .n = 1 };
	uint64_t words[JOBS];

	for (uint64_t i = 0; i < JOBS; i++)
		words[i] = told_word(i);
	for (size_t i = 0; i < w.n; i++)
		merge(&w, mix(w.list[i].what, told_until(words, w.list[i].ntold)));
	return w.sum;
}

/* ---- made-up ranks ------------------------------------------------------------------ */

struct letter {
	struct letter *next;
	size_t len;
	char bytes[];
};

struct queue {
	struct letter *first, **last;
};

/* All that a rank may be. */
enum habit {
	GOOD,
	DIES,	  /* at any time; what it has sent may still come */
	STRANGE,  /* knows other things */
	REFUSES,  /* says so */
	TWICE,	  /* sends two answers */
	NONSENSE, /* in front of an answer, which comes too late then */
	OTHERS,	  /* answers what another one was asked, or nobody */
	HABITS
};

struct rank {
	struct queue in, out;
	enum habit habit;
	bool dead, told_of;
	unsigned owes; /* messages that it has not answered, as far as rank 0 can see */
	uint64_t words[JOBS], nwords;
};

struct world {
	struct hd_rng rng;
	struct hd_ranks ranks;
	struct rank rank[MOST_RANKS + 1];
	bool may_be_slow;
	uint64_t made; /* answers, whoever has heard them */
};

static bool draw(struct world *w, unsigned one_in)
{
	return hd_rng_below(&w->rng, one_in) == 0;
}

static void put(struct queue *q, const void *bytes, size_t len)
{
	struct letter *l = malloc(sizeof(*l) + len);

	assert_non_null(l);
	*l = (struct letter){ .len = len };
	memcpy(l->bytes, bytes, len);
	*q->last = l;
	q->last = &l->next;
}

static struct letter *get(struct queue *q)
{
	struct letter *l = q->first;

	q->first = l->next;
	if (!q->first)
		q->last = &q->first;
	return l;
}

static void empty(struct queue *q)
{
	while (q->first)
		free(get(q));
}

/* ---- a rank gets on: it is there for one message ----------------------------------------- */

struct moment {
	struct world *world;
	struct rank *rank;
	struct letter *letter;
};

static enum hd_arrival hear_letter(void *arg, unsigned *from, char **bytes, size_t *len, int ms)
{
	struct moment *m = arg;

	(void)ms;
	*from = 0;
	if (!m->letter)
		return HD_RANK_LOST;
	*len = m->letter->len;
	*bytes = malloc(*len + 1);
	assert_non_null(*bytes);
	memcpy(*bytes, m->letter->bytes, *len);
	free(m->letter);
	m->letter = NULL;
	return HD_MESSAGE_CAME;
}

/* As the letter @bytes, but of another job or with another answer. */
static void put_changed(struct queue *q, const char *bytes, size_t len, size_t at)
{
	char other[64];

	assert_in_range(len, at + 1, sizeof(other));
	memcpy(other, bytes, len);
	other[at] ^= 1;
	put(q, other, len);
}

static bool say(void *arg, unsigned to, const void *bytes, size_t len)
{
	struct moment *m = arg;
	struct rank *r = m->rank;
	const bool job = *(const char *)bytes == 'J';

	assert_int_equal(to, 0);
	if (job && r->habit == NONSENSE && draw(m->world, 3))
		put(&r->out, "?", 1);
	if (job && r->habit == OTHERS && draw(m->world, 3))
		put_changed(&r->out, bytes, len, 1);
	put(&r->out, bytes, len);
	if (job && r->habit == TWICE)
		put_changed(&r->out, bytes, len, len - 1);
	m->world->made += job;
	return true;
}

static bool know(void *arg, const char *bytes, size_t len, uint64_t *answer)
{
	struct rank *r = ((struct moment *)arg)->rank;

	assert_int_equal(len, sizeof(uint64_t));
	memcpy(&r->words[r->nwords++], bytes, len);
	*answer = told_until(r->words, r->nwords) + (r->habit == STRANGE);
	return true;
}

static bool work_at(void *arg, const char *bytes, size_t len, FILE *out)
{
	struct moment *m = arg;
	struct question q;
	uint64_t answer;

	assert_int_equal(len, sizeof(q));
	if (m->rank->habit == REFUSES && draw(m->world, 4))
		return false;
	memcpy(&q, bytes, len);
	assert_true(q.ntold <= m->rank->nwords);
	answer = mix(q.what, told_until(m->rank->words, q.ntold));
	return fwrite(&answer, sizeof(answer), 1, out) == 1;
}

static void get_on(struct world *w, struct rank *r)
{
	struct moment m = { w, r, get(&r->in) };
	const struct hd_hand hand = { &m, know, work_at };
	struct hd_ranks own = { .rank = 1, .send = say, .receive = hear_letter, .arg = &m };

	hd_crew_help(&own, &hand);
}

static void die(struct world *w, struct rank *r)
{
	r->dead = true;
	empty(&r->in);
	if (draw(w, 2)) /* what was under way is lost */
		empty(&r->out);
}

/* ---- rank 0 sends and hears ------------------------------------------------------------------- */

static bool send_letter(void *arg, unsigned to, const void *bytes, size_t len)
{
	struct world *w = arg;
	struct rank *r = &w->rank[to];

	assert_in_range(to, 1, w->ranks.size - 1);
	assert_false(r->told_of);
	assert_int_equal(r->owes, 0);
	if (r->dead) /* who sends may know, or not yet */
		return draw(w, 2);
	r->owes++;
	put(&r->in, bytes, len);
	return true;
}

/* What happens next at rank @i: something comes from there, or not yet. */
static enum hd_arrival happens(struct world *w, unsigned i, char **bytes, size_t *len)
{
	struct rank *r = &w->rank[i];
	struct letter *l;

	if (!r->dead && r->habit == DIES && draw(w, 30))
		die(w, r);
	if (!r->dead && r->in.first)
		get_on(w, r);
	if (!r->out.first) {
		if (!r->dead || r->told_of)
			return HD_NOTHING_CAME;
		r->told_of = true;
		return HD_RANK_LOST;
	}
	if (w->may_be_slow && draw(w, 3))
		return HD_NOTHING_CAME;
	l = get(&r->out);
	r->owes -= r->owes > 0;
	*len = l->len;
	*bytes = malloc(l->len + 1);
	assert_non_null(*bytes);
	memcpy(*bytes, l->bytes, l->len);
	free(l);
	return HD_MESSAGE_CAME;
}

static enum hd_arrival receive_letter(void *arg, unsigned *from, char **bytes, size_t *len, int ms)
{
	struct world *w = arg;
	const unsigned n = w->ranks.size - 1;
	const unsigned tries = ms ? 4 * n : 1;

	for (unsigned i = 0; i < tries; i++) {
		enum hd_arrival came;

		*from = 1 + (unsigned)hd_rng_below(&w->rng, n);
		came = happens(w, *from, bytes, len);
		if (came != HD_NOTHING_CAME)
			return came;
	}
	return HD_NOTHING_CAME;
}

static void begin(struct world *w, uint64_t seed, unsigned nranks)
{
	memset(w, 0, sizeof(*w));
	hd_rng_seed(&w->rng, seed);
	for (unsigned i = 1; i <= nranks; i++) {
		w->rank[i].in.last = &w->rank[i].in.first;
		w->rank[i].out.last = &w->rank[i].out.first;
	}
	w->ranks = (struct hd_ranks){
		.size = nranks + 1, .send = send_letter, .receive = receive_letter, .arg = w
	};
}

static void end(struct world *w)
{
	for (unsigned i = 1; i < w->ranks.size; i++) {
		empty(&w->rank[i].in);
		empty(&w->rank[i].out);
	}
}

/* ---- the crew --------------------------------------------------------------------------------- */

struct merging {
	struct work work;
	struct hd_crew *crew;
	struct world *world;
	uint64_t job[JOBS]; /* by question */
	size_t posted, own; /* own: done by rank 0 */
	uint64_t words[JOBS];
};

static void tell(struct merging *m, uint64_t i)
{
	uint64_t word = told_word(i), wanted;

	m->words[i] = word;
	wanted = told_until(m->words, i + 1);
	assert_true(hd_crew_tell(m->crew, (char *)&word, sizeof(word), &wanted));
}

static uint64_t post(struct merging *m, const struct question *q)
{
	char *bytes = malloc(sizeof(*q));
	uint64_t number;

	assert_non_null(bytes);
	memcpy(bytes, q, sizeof(*q));
	number = hd_crew_post(m->crew, bytes, sizeof(*q));
	assert_true(number);
	return number;
}

/* Sometimes one of which nobody will want the answer. */
static void post_in_vain(struct merging *m)
{
	const struct question q = { hd_rng_next(&m->world->rng), 0 };
	uint64_t number = post(m, &q);

	if (draw(m->world, 2))
		hd_crew_wait(m->crew, 1);
	hd_crew_forget(m->crew, number);
}

static void post_ahead(struct merging *m, size_t first)
{
	while (m->posted < m->work.n && m->posted < first + AHEAD) {
		m->job[m->posted] = post(m, &m->work.list[m->posted]);
		m->posted++;
		if (draw(m->world, 6))
			post_in_vain(m);
	}
}

/* The answer to question @i, whoever gives it. */
static uint64_t answer_to(struct merging *m, size_t i)
{
	uint64_t answer;
	char *bytes = NULL;
	size_t len = 0;
	unsigned steps = 0;

	while (!hd_crew_answer(m->crew, m->job[i], &bytes, &len)) {
		assert_true(steps++ < STEPS);
		if (hd_crew_wait(m->crew, 1))
			continue;
		if (hd_crew_answer(m->crew, m->job[i], &bytes, &len))
			break;
		hd_crew_forget(m->crew, m->job[i]);
		m->own++;
		return mix(m->work.list[i].what, told_until(m->words, m->work.list[i].ntold));
	}
	assert_int_equal(len, sizeof(answer));
	memcpy(&answer, bytes, sizeof(answer));
	free(bytes);
	assert_false(hd_crew_answer(m->crew, m->job[i], &bytes, &len)); /* there is one */
	return answer;
}

/* All of it by these ranks. It ends with what is still under way. */
static void merge_all(struct merging *m, struct world *w, uint64_t first)
{
	*m = (struct merging){ .work = { .list = { { first, 0 } }, .n = 1 }, .world = w };
	m->crew = hd_crew_new(&w->ranks);
	assert_non_null(m->crew);
	for (size_t i = 0; i < m->work.n; i++) {
		post_ahead(m, i);
		if (merge(&m->work, answer_to(m, i)))
			tell(m, m->work.ntold - 1);
	}
	post_in_vain(m);
	hd_crew_free(m->crew);
}

static bool any_good(const struct world *w)
{
	for (unsigned i = 1; i < w->ranks.size; i++) {
		if (w->rank[i].habit == GOOD)
			return true;
	}
	return false;
}

static const uint64_t firsts[] = { 1, 5, 12 };

/* Of each first question, in ROUNDS orders; the habits of all ranks are drawn from @habits. */
static size_t rounds(const enum habit *habits, size_t nhabits, bool slow)
{
	size_t own = 0;

	for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++) {
		const uint64_t wanted = one_process(firsts[k]);

		for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
			struct world w;
			struct merging m;

			begin(&w, seed, 1 + (unsigned)seed % MOST_RANKS);
			w.may_be_slow = slow;
			for (unsigned i = 1; i < w.ranks.size; i++)
				w.rank[i].habit = habits[hd_rng_below(&w.rng, nhabits)];
			merge_all(&m, &w, firsts[k]);
			assert_int_equal(m.work.sum, wanted);
			assert_true(m.own == 0 || !any_good(&w));
			own += m.own;
			end(&w);
		}
	}
	return own;
}

/* The questions are worth it: many, with something told in between. */
static void test_one_process(void **state)
{
	(void)state;
	for (size_t k = 0; k < sizeof(firsts) / sizeof(firsts[0]); k++) {
		struct world w;
		struct merging m;

		begin(&w, 1, 1);
		merge_all(&m, &w, firsts[k]);
		assert_int_equal(m.work.n, JOBS);
		assert_true(m.work.ntold > 1);
		assert_int_equal(m.own, 0);
		end(&w);
	}
}

static void test_any_order(void **state)
{
	static const enum habit good[] = { GOOD };

	(void)state;
	assert_int_equal(rounds(good, 1, false), 0);
	assert_int_equal(rounds(good, 1, true), 0);
}

static void test_dying(void **state)
{
	static const enum habit some[] = { GOOD, DIES }, all[] = { DIES };

	(void)state;
	rounds(some, 2, true);
	assert_true(rounds(all, 1, true) > 0);
}

static void test_all_habits(void **state)
{
	static const enum habit all[] = { GOOD, DIES, STRANGE, REFUSES, TWICE, NONSENSE, OTHERS };

	(void)state;
	assert_int_equal(sizeof(all) / sizeof(all[0]), HABITS);
	for (size_t i = 0; i < HABITS; i++) {
		const enum habit with_good[] = { GOOD, all[i] };

		rounds(with_good, 2, true);
	}
	rounds(all, HABITS, true);
}

/* ---- one thing at a time ------------------------------------------------------------------------ */

static struct merging begin_jobs(struct world *w, unsigned nranks)
{
	struct merging m = { .world = w };

	begin(w, 1, nranks);
	m.crew = hd_crew_new(&w->ranks);
	assert_non_null(m.crew);
	return m;
}

static const struct question q1 = { 11, 0 }, q2 = { 22, 0 };

static uint64_t had(struct merging *m, uint64_t number)
{
	uint64_t answer;
	char *bytes;
	size_t len;

	assert_true(hd_crew_answer(m->crew, number, &bytes, &len));
	memcpy(&answer, bytes, sizeof(answer));
	free(bytes);
	return answer;
}

/* It was thought to be lost, and another one has done its job: what it sends then is of no account. */
static void test_late(void **state)
{
	struct world w;
	struct merging m = begin_jobs(&w, 2);
	uint64_t one = post(&m, &q1), two, made;
	char *bytes;
	size_t len;

	(void)state;
	hd_crew_wait(m.crew, 0); /* rank 1 has it */
	assert_non_null(w.rank[1].in.first);
	get_on(&w, &w.rank[1]);
	made = w.made;
	assert_int_equal(made, 1);
	put(&w.rank[1].out, "?", 1); /* first comes nonsense, then the answer */
	put(&w.rank[1].out, w.rank[1].out.first->bytes, w.rank[1].out.first->len);
	free(get(&w.rank[1].out));
	while (hd_crew_hands(m.crew) == 2)
		hd_crew_wait(m.crew, 1);
	while (w.made == made)
		hd_crew_wait(m.crew, 1);
	two = post(&m, &q2);
	while (w.made < 3 || w.rank[1].out.first || w.rank[2].out.first)
		hd_crew_wait(m.crew, 1);
	assert_int_equal(w.made, 3); /* q1 twice, q2 */
	assert_int_equal(had(&m, one), mix(q1.what, 0));
	assert_int_equal(had(&m, two), mix(q2.what, 0));
	assert_false(hd_crew_answer(m.crew, one, &bytes, &len));
	assert_int_equal(hd_crew_load(m.crew).jobs, 2);
	hd_crew_free(m.crew);
	end(&w);
}

/* A job that is wanted no more keeps nobody from the next one, and its answer is none to that. */
static void test_forgotten(void **state)
{
	struct world w;
	struct merging m = begin_jobs(&w, 1);
	uint64_t one = post(&m, &q1), two;
	char *bytes;
	size_t len;

	(void)state;
	hd_crew_wait(m.crew, 0);
	hd_crew_forget(m.crew, one);
	two = post(&m, &q2);
	while (!hd_crew_answer(m.crew, two, &bytes, &len))
		assert_true(hd_crew_wait(m.crew, 1));
	assert_int_equal(len, sizeof(uint64_t));
	assert_int_equal(*(uint64_t *)bytes, mix(q2.what, 0));
	free(bytes);
	assert_int_equal(w.made, 2);
	assert_false(hd_crew_answer(m.crew, one, &bytes, &len));
	hd_crew_free(m.crew);
	end(&w);
}

/* It was lost with whoever had it: nobody does it again. */
static void test_forgotten_and_lost(void **state)
{
	struct world w;
	struct merging m = begin_jobs(&w, 2);
	uint64_t one = post(&m, &q1), two;

	(void)state;
	hd_crew_wait(m.crew, 0);
	hd_crew_forget(m.crew, one);
	die(&w, &w.rank[1]);
	empty(&w.rank[1].out);
	two = post(&m, &q2);
	while (hd_crew_hands(m.crew) == 2 || w.rank[2].in.first || w.rank[2].out.first)
		hd_crew_wait(m.crew, 1);
	assert_int_equal(w.made, 1);
	assert_int_equal(had(&m, two), mix(q2.what, 0));
	hd_crew_free(m.crew);
	end(&w);
}

/* One that was told the same and says another thing gets no jobs; the jobs are done by the one that agrees, or here. */
static void test_strangers(void **state)
{
	struct world w;
	struct merging m = begin_jobs(&w, 2);
	uint64_t one;

	(void)state;
	w.rank[1].habit = STRANGE;
	tell(&m, 0);
	one = post(&m, &(struct question){ 5, 1 });
	while (hd_crew_hands(m.crew) == 2)
		hd_crew_wait(m.crew, 1);
	while (!w.made || w.rank[2].out.first)
		hd_crew_wait(m.crew, 1);
	assert_int_equal(hd_crew_strangers(m.crew), 1);
	assert_int_equal(had(&m, one), mix(5, told_until(m.words, 1)));
	hd_crew_free(m.crew);
	end(&w);
}

/* ---- who helps ------------------------------------------------------------------------------------- */

static bool fails(void *arg, const char *bytes, size_t len, FILE *out)
{
	(void)arg, (void)bytes, (void)len, (void)out;
	return false;
}

/* It cannot go on, and says so; nothing half done is sent. Where rank 0 is gone, it says nothing. */
static void test_helper_ends(void **state)
{
	struct world w;
	struct moment m = { .world = &w, .rank = &w.rank[1] };
	const struct hd_hand hand = { &m, know, fails };
	struct hd_ranks own = { .rank = 1, .send = say, .receive = hear_letter, .arg = &m };
	struct letter *l;

	(void)state;
	begin(&w, 1, 1);
	hd_crew_help(&own, &hand);
	assert_null(w.rank[1].out.first);
	put(&w.rank[1].in, "J12345678job", 12);
	m.letter = get(&w.rank[1].in);
	hd_crew_help(&own, &hand);
	l = get(&w.rank[1].out);
	assert_int_equal(l->len, 1);
	assert_int_equal(l->bytes[0], 'E');
	free(l);
	assert_null(w.rank[1].out.first);
	end(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_process),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_dying),
		cmocka_unit_test(test_all_habits),
		cmocka_unit_test(test_late),
		cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_forgotten_and_lost),
		cmocka_unit_test(test_strangers),
		cmocka_unit_test(test_helper_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
