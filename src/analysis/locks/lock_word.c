#include "lock_word.h"

#include <string.h>

#define OPS_MAX	  (2 * HD_WORD_MAX + 2) /* with the locks held where a word begins */
#define LOCKS_MAX 64

struct word {
	uint32_t nbefore, nafter;
	hd_lock_op ops[2 * OPS_MAX];
};

void hd_words_free(struct hd_words *w)
{
	hd_intern_free(&w->words);
	hd_map_free(&w->answers);
}

/* --- making words --- */

/* Taking and giving back a lock twice in a row admits what doing it once admits. */
static size_t append(hd_lock_op *ops, size_t n, hd_lock_op op)
{
	ops[n++] = op;
	if (n >= 4 && (op & HD_LOCK_OP_GIVE) && ops[n - 2] == (op & ~(hd_lock_op)HD_LOCK_OP_GIVE) &&
	    ops[n - 4] == ops[n - 2] && ops[n - 3] == op)
		n -= 2;
	return n;
}

/* Locks taken in @ops and not given back; at most @max. */
static size_t held_after(const hd_lock_op *ops, size_t n, hd_lock_op *held, size_t max)
{
	size_t nheld = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		if (!(ops[i] & HD_LOCK_OP_GIVE)) {
			if (nheld < max)
				held[nheld++] = ops[i];
			continue;
		}
		while (k < nheld && held[k] >> 2 != ops[i] >> 2)
			k++;
		if (k < nheld)
			memmove(&held[k], &held[k + 1], (--nheld - k) * sizeof(*held));
	}
	return nheld;
}

static size_t reduce(hd_lock_op *out, const hd_lock_op *ops, size_t n)
{
	size_t nout = 0;

	for (size_t i = 0; i < n; i++)
		nout = append(out, nout, ops[i]);
	return nout;
}

/* Forget the beginning of a long one. */
static size_t put_before(hd_lock_op *out, const hd_lock_op *ops, size_t n)
{
	size_t cut = n > 2 * HD_WORD_MAX ? n - 2 * HD_WORD_MAX : 0;
	hd_lock_op tmp[2 * HD_WORD_MAX];
	size_t ntmp = reduce(tmp, ops + cut, n - cut), nheld, more;

	more = ntmp > HD_WORD_MAX ? ntmp - HD_WORD_MAX : 0;
	nheld = held_after(ops, cut, out, HD_WORD_MAX);
	for (size_t i = 0; i < more; i++) { /* the same for what is cut now */
		hd_lock_op held[HD_WORD_MAX + 1];
		size_t k;

		memcpy(held, out, nheld * sizeof(*held));
		held[nheld] = tmp[i];
		k = held_after(held, nheld + 1, out, HD_WORD_MAX);
		nheld = k;
	}
	memcpy(out + nheld, tmp + more, (ntmp - more) * sizeof(*out));
	return nheld + ntmp - more;
}

/* A long one ends early, with all locks given back. */
static size_t put_after(hd_lock_op *out, const hd_lock_op *before, size_t nbefore,
			const hd_lock_op *ops, size_t n, bool open)
{
	size_t take = n < HD_WORD_MAX ? n : HD_WORD_MAX, nout = reduce(out, ops, take), nheld, all;
	hd_lock_op held[OPS_MAX], both[2 * OPS_MAX];

	if (take == n && !open)
		return nout;
	memcpy(both, before, nbefore * sizeof(*both));
	memcpy(both + nbefore, out, nout * sizeof(*both));
	all = nbefore + nout;
	nheld = held_after(both, all, held, HD_WORD_MAX);
	for (size_t i = 0; i < nheld; i++)
		out[nout++] = held[i] | HD_LOCK_OP_GIVE;
	return nout;
}

hd_word hd_word_make(struct hd_words *w, const hd_lock_op *before, size_t nbefore,
		     const hd_lock_op *after, size_t nafter, bool open)
{
	struct word word;
	hd_word number;

	word.nbefore = (uint32_t)put_before(word.ops, before, nbefore);
	word.nafter = (uint32_t)put_after(word.ops + word.nbefore, word.ops, word.nbefore, after,
					  nafter, open);
	number = hd_intern_put(&w->words, &word,
			       offsetof(struct word, ops) +
				       (word.nbefore + word.nafter) * sizeof(word.ops[0]));
	if (!number)
		w->failed = true;
	return number;
}

/* --- paths through the grid --- */

/* Locks that both tasks use, as bits. */
struct common {
	uint32_t locks[LOCKS_MAX];
	unsigned n;
};

struct holding {
	uint64_t any, exclusive;
};

static void note_locks(struct common *c, const struct word *p, const struct word *q)
{
	for (uint32_t i = 0; i < p->nbefore + p->nafter; i++) {
		uint32_t lock = p->ops[i] >> 2;
		unsigned k = 0;
		bool shared = false;

		while (k < c->n && c->locks[k] != lock)
			k++;
		for (uint32_t j = 0; j < q->nbefore + q->nafter && !shared; j++)
			shared = q->ops[j] >> 2 == lock;
		if (k == c->n && shared && c->n < LOCKS_MAX)
			c->locks[c->n++] = lock;
	}
}

/* What is held before each operation of @p, and after the last. */
static void follow(const struct common *c, const struct word *p, struct holding *held)
{
	held[0] = (struct holding){ 0, 0 };
	for (uint32_t i = 0; i < p->nbefore + p->nafter; i++) {
		uint64_t bit = 0;

		for (unsigned k = 0; k < c->n; k++)
			bit |= c->locks[k] == p->ops[i] >> 2 ? 1ull << k : 0;
		held[i + 1] = held[i];
		if (p->ops[i] & HD_LOCK_OP_GIVE) {
			held[i + 1].any &= ~bit;
			held[i + 1].exclusive &= ~bit;
		} else {
			held[i + 1].any |= bit;
			held[i + 1].exclusive |= p->ops[i] & HD_LOCK_OP_SHARED ? 0 : bit;
		}
	}
}

static bool allowed(const struct holding *a, const struct holding *b)
{
	return !(a->exclusive & b->any) && !(a->any & b->exclusive);
}

/*
 * Paths from (@i0, @j0), each step one operation of one task. True: (@i1, @j1) is reached, or with
 * @any_j, some (@i1, j) up to it.
 */
static bool reaches(const struct holding *p, uint32_t i0, uint32_t i1, const struct holding *q,
		    uint32_t j0, uint32_t j1, bool any_j)
{
	bool row[2 * OPS_MAX + 1] = { false }, found = false;

	for (uint32_t i = i0; i <= i1; i++) {
		found = false;
		for (uint32_t j = j0; j <= j1; j++) {
			bool before = i == i0 ? j == j0 : row[j - j0];

			row[j - j0] =
				(before || (j > j0 && row[j - j0 - 1])) && allowed(&p[i], &q[j]);
			found |= row[j - j0];
		}
	}
	return any_j ? found : row[j1 - j0];
}

static bool find_out(const struct hd_words *w, hd_word a, hd_word b, bool go_on)
{
	size_t len;
	const struct word *p = hd_intern_get(&w->words, a, &len);
	const struct word *q = hd_intern_get(&w->words, b, &len);
	struct holding hp[2 * OPS_MAX + 1], hq[2 * OPS_MAX + 1];
	struct common c = { .n = 0 };

	note_locks(&c, p, q);
	follow(&c, p, hp);
	follow(&c, q, hq);
	return reaches(hp, 0, p->nbefore, hq, 0, q->nbefore, false) &&
	       (!go_on || reaches(hp, p->nbefore, p->nbefore + p->nafter, hq, q->nbefore,
				  q->nbefore + q->nafter, true));
}

static bool answer(struct hd_words *w, hd_word a, hd_word b, bool go_on)
{
	uint64_t key = (uint64_t)a << 33 | (uint64_t)b << 1 | go_on, known;

	if (!a || !b)
		return true;
	w->questions++;
	known = hd_map_get(&w->answers, key);
	if (!known) {
		w->grids++;
		known = 1 + find_out(w, a, b, go_on);
		if (!hd_map_set(&w->answers, key, known))
			w->failed = true;
	}
	return known == 2;
}

bool hd_word_fits(struct hd_words *w, hd_word gap, hd_word other)
{
	return answer(w, gap, other, true);
}

bool hd_word_meet(struct hd_words *w, hd_word a, hd_word b)
{
	return a < b ? answer(w, a, b, false) : answer(w, b, a, false);
}
