#include "split_state.h"

#include <stdlib.h>

bool hd_xput(FILE *out, const void *p, size_t size)
{
	return !size || fwrite(p, size, 1, out) == 1;
}

bool hd_xput_number(FILE *out, uint64_t v)
{
	return hd_xput(out, &v, sizeof(v));
}

bool hd_xget_number(FILE *in, uint64_t *v)
{
	return fread(v, sizeof(*v), 1, in) == 1;
}

bool hd_xput_bytes(FILE *out, const char *bytes, size_t len)
{
	return hd_xput_number(out, len) && hd_xput(out, bytes, len);
}

bool hd_xget_bytes(FILE *in, char **bytes, size_t *len)
{
	uint64_t n;

	*bytes = NULL;
	if (!hd_xget_number(in, &n) || n > HD_X_MOST_READ)
		return false;
	*bytes = n ? hd_xread_many(in, n, 1) : calloc(1, 1);
	*len = (size_t)n;
	return *bytes;
}

bool hd_xput_wants(FILE *out, const struct hd_xwants *w)
{
	bool ok = hd_xput_number(out, w->n);

	for (size_t i = 0; ok && i < w->n; i++) {
		const struct hd_xwant *want = &w->list[i];
		uint64_t head[] = { want->node, want->forced, want->nthreads };

		ok = hd_xput(out, head, sizeof(head)) &&
		     hd_xput(out, want->threads, want->nthreads * sizeof(*want->threads));
	}
	return ok;
}

bool hd_xget_wants(FILE *in, struct hd_xwants *w)
{
	uint64_t n, head[3];
	bool ok = hd_xget_number(in, &n);

	for (; ok && n; n--) {
		struct hd_xwant want = { 0 };

		ok = fread(head, sizeof(head), 1, in) == 1 && head[2] <= HD_X_MOST_READ;
		if (ok && head[2])
			want.threads = hd_xread_many(in, head[2], sizeof(*want.threads));
		want.node = (size_t)head[0];
		want.forced = head[1];
		want.nthreads = ok ? (size_t)head[2] : 0;
		ok = ok && (want.threads || !head[2]) && hd_xwants_add(w, &want);
		free(want.threads);
	}
	return ok;
}

char *hd_xtask_bytes(const struct hd_xposition *p, size_t *len)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, len);
	bool ok = out && hd_xposition_write(p, out);

	if (out && fclose(out) == 0 && ok)
		return bytes;
	free(bytes);
	return NULL;
}

/* ---- whoever makes slices ------------------------------------------------------------ */

/* Only its choice is of interest any more. */
static void strip(struct hd_xtreenode *n)
{
	struct hd_xchoice kept = n->choices[n->chosen];

	n->choices[n->chosen].ops = NULL;
	for (size_t i = 0; i < n->nchoices; i++)
		free(n->choices[i].ops);
	hd_xwakeup_free(&n->wakeup);
	n->wakeup = (struct hd_xwakeup){ 0 };
	n->choices[0] = kept;
	n->nchoices = n->nenabled = 1;
	n->chosen = 0;
}

static bool anything_left(const struct hd_xtree *t)
{
	for (size_t k = t->base; k < t->n; k++) {
		if (hd_xtree_next(&t->nodes[k]) < t->nodes[k].nenabled)
			return true;
	}
	return false;
}

/* With sleep sets: without them, all that are to be tried are wanted already. */
static void want_all(const struct hd_xtree *t, struct hd_xtreenode *n)
{
	for (size_t i = 0; t->sleep && i < n->nenabled; i++)
		n->choices[i].wanted = true;
}

/* The decisions from the base to the topmost that has more to try are shared from now on. */
static bool share_decisions(FILE *out, struct hd_xtree *t, enum hd_xshare what)
{
	size_t until = t->base;
	bool ok, found = what == HD_SHARE_NOTHING;

	while (until < t->n && !found) {
		struct hd_xtreenode *n = &t->nodes[until++];

		if (what == HD_SHARE_ALL)
			want_all(t, n);
		found = hd_xtree_next(n) < n->nenabled;
	}
	ok = hd_xput_number(out, until - t->base);
	for (; ok && t->base < until; t->base++) {
		ok = hd_xnode_write(&t->nodes[t->base], out);
		strip(&t->nodes[t->base]);
	}
	return ok;
}

bool hd_xslice_write(FILE *out, struct hd_xposition *p, enum hd_xshare share,
		     const struct hd_xstats *stats, const char *said, size_t len)
{
	struct hd_xstats own = *stats;
	struct hd_xtree *t = p ? &p->tree : NULL;
	const size_t tried = t && t->base ? t->base : 0;
	bool complete = stats->complete, ok;

	own.stopped = NULL;
	ok = hd_xput(out, &own, sizeof(own)) && hd_xput_number(out, t ? t->awaited : 0) &&
	     hd_xput_number(out, t && t->sleep) && hd_xput_number(out, tried > 0);
	if (ok && tried) {
		strip(&t->nodes[tried - 1]);
		ok = hd_xnode_write(&t->nodes[tried - 1], out);
	}
	ok = ok && hd_xput_wants(out, t ? &t->wants : &(struct hd_xwants){ 0 });
	if (complete)
		return ok && hd_xput_number(out, 0) && hd_xput_number(out, 1) &&
		       hd_xput_bytes(out, said, len);
	ok = ok && share_decisions(out, t, share);
	hd_xwants_free(&t->wants);
	complete = !anything_left(t);
	ok = ok && hd_xput_number(out, complete);
	if (ok && !complete) {
		size_t n = 0;
		char *bytes;

		p->stats = (struct hd_xstats){ 0 };
		bytes = hd_xtask_bytes(p, &n);
		ok = bytes && hd_xput_bytes(out, bytes, n);
		free(bytes);
	}
	return ok && hd_xput_bytes(out, said, len);
}

/* ---- whoever takes them in ------------------------------------------------------------- */

void hd_xresult_free(struct hd_xresult *r)
{
	hd_xtree_free(&r->shared);
	hd_xtree_free(&r->tried);
	hd_xwants_free(&r->wants);
	free(r->next);
	free(r->said);
}

static bool get_result(FILE *in, struct hd_xresult *r)
{
	uint64_t tried, n;
	bool ok = hd_xstats_read(in, &r->stats) && hd_xget_number(in, &r->awaited) &&
		  hd_xget_number(in, &r->sleep) && hd_xget_number(in, &tried) &&
		  (!tried || hd_xnode_read(in, &r->tried)) && hd_xget_wants(in, &r->wants) &&
		  hd_xget_number(in, &n);

	for (; ok && n; n--)
		ok = hd_xnode_read(in, &r->shared);
	return ok && hd_xget_number(in, &r->complete) &&
	       (r->complete || hd_xget_bytes(in, &r->next, &r->next_len)) &&
	       hd_xget_bytes(in, &r->said, &r->said_len);
}

bool hd_xresult_read(const char *bytes, size_t len, struct hd_xresult *r)
{
	FILE *in = fmemopen((char *)bytes, len, "re");
	bool ok;

	*r = (struct hd_xresult){ 0 };
	ok = in && get_result(in, r);
	if (in)
		fclose(in);
	if (!ok)
		hd_xresult_free(r);
	return ok;
}
