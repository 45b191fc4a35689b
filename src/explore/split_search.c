/*
 * A search that other processes help with: rank 0 hands out slices (split.h) and takes in what
 * came of them, the others make them. Without others rank 0 makes them itself, which comes to the same.
 *
 * Messages: a letter and what belongs to it.
 *   rank 0:  B what this round is like    T number, executions, part    Q there is no more
 *   others:  H what the first execution is like, the B that it is of    D number, slice    E why there will be none
 */
#include "exploration.h"

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/budget.h"
#include "common/hash.h"
#include "common/interrupts.h"
#include "common/listener.h"
#include "launch/live.h"
#include "ranks/ranks.h"
#include "split.h"

#define WAIT 100   /* milliseconds between looks at the budget */
#define SAVE 60000 /* milliseconds between states that are saved */

#define EACH 32 /* parts of the search for each part of --part, so that these are of like sizes */

#define ALONE 250 /* executions of a round before others help: small searches are as ever */

/* Tests may have it otherwise. */
static unsigned number_of(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text && atoi(text) > 0 ? (unsigned)atoi(text) : otherwise;
}

uint64_t hd_exploration_alone(void)
{
	return number_of("HEDDLE_ALONE", ALONE);
}

/* Files are there only once: who changes them is executed by one process at a time. */
static struct hd_ranks *helpers(const struct hd_exploration *x)
{
	return x->uses & HD_X_USES_FILES ? NULL : x->config->campaign.ranks;
}

static bool is_portion(const struct hd_exploration *x)
{
	return x->config->campaign.parts > 1 && !x->portion.alone;
}

/* Why it is one process that has to make this search; NULL: it can be split. */
static const char *why_whole(const struct hd_exploration *x)
{
	bool all = x->how.strategy == HD_X_NAIVE || x->how.strategy == HD_X_BOUNDED;

	if (is_portion(x) && x->config->outcomes)
		return "reports of parts are merged without outcomes";
	if (x->strategy == HD_STRATEGY_REGIONS || (all && x->how.match))
		return "what is tried in a state depends on all states that it has met";
	if (!all && x->how.strategy != HD_X_DPOR)
		return "its orders are chosen at random";
	if (!is_portion(x) && !helpers(x))
		return "the program changes files, and they are there once";
	return NULL;
}

bool hd_exploration_can_split(const struct hd_exploration *x)
{
	return (is_portion(x) || helpers(x)) && !x->searching && !why_whole(x);
}

void hd_exploration_say_if_whole(const struct hd_exploration *x)
{
	const struct hd_campaign_config *o = &x->config->campaign;
	const char *why = o->parts > 1 || (o->ranks && o->ranks->size > 2) ? why_whole(x) : NULL;

	if (why && x->c.executions > hd_exploration_alone())
		hd_warn("this search is not divided, and one process made it: %s", why);
}

/* ---- making slices -------------------------------------------------------------------- */

/* What an exploration is that makes slices of another one's search. NULL: no memory. */
static struct hd_exploration *new_maker(const struct hd_explore_config *config,
					const struct hd_program *program)
{
	struct hd_exploration *y = calloc(1, sizeof(*y));

	if (!y)
		return NULL;
	y->config = config;
	y->c.config = &config->campaign;
	y->c.program = *program;
	y->c.base = config->campaign.run;
	y->c.base.exact = true;
	y->c.began = hd_now();
	y->searching = true; /* for another one */
	if (config->observe &&
	    hd_observed_find(&y->outcomes.observed, program->argv[0], config->observe) != HD_OK) {
		free(y);
		return NULL;
	}
	return y;
}

static void maker_free(struct hd_exploration *y)
{
	if (!y)
		return;
	hd_executors_stop(&y->executors);
	y->c.program = (struct hd_program){ 0 }; /* is somebody else's */
	hd_exploration_free(y);
	free(y);
}

/* A new round: as the one who leads has it. */
static enum hd_err be_told(struct hd_exploration *y, const char *brief, size_t len)
{
	hd_executors_stop(&y->executors);
	hd_exploration_choose(y);
	y->how.together = false; /* others' slices have taught other things */
	if (!hd_exploration_take_brief(y, brief, len))
		return hd_error(HD_ERR_INVALID, "the ranks do not understand each other");
	hd_exploration_apply_strategy(y);
	return hd_exploration_start(y);
}

/* Nothing of the last slice is left. */
static bool forget_slice(struct hd_exploration *y, const char *brief, size_t len)
{
	while (y->nfaults)
		free(y->faults[--y->nfaults].choices);
	hd_seen_states_free(&y->graphs);
	hd_outcomes_clear(&y->outcomes);
	hd_xposition_free(y->position);
	y->position = NULL;
	hd_executors_unlearn(&y->executors);
	y->nseen = 0;
	return hd_exploration_take_brief(y, brief, len);
}

/* The slice @task. NULL: there is none, and @eb says why. */
static char *make_slice(struct hd_exploration *y, const struct hd_xtask *task, size_t *made,
			struct hd_errbuf *eb)
{
	FILE *in = fmemopen((char *)task->bytes, task->len, "re"), *out;
	enum hd_err err = in ? hd_xposition_read(in, &y->position) : HD_ERR_NOMEM;
	char *said, *slice = NULL;
	struct hd_xstats s;
	size_t n = 0;
	bool ok;

	if (in)
		fclose(in);
	if (err) {
		hd_fail(eb, err, "a part of the search cannot be read");
		return NULL;
	}
	y->how.max_executions = task->executions;
	y->how.max_seconds = 0;
	y->how.position = &y->position;
	if (hd_explore(&y->how, hd_exploration_execute, hd_exploration_see, y, &s, eb))
		return NULL;
	said = y->no_memory ? NULL : hd_exploration_say(y, &n);
	out = said ? open_memstream(&slice, made) : NULL;
	ok = out && hd_xslice_write(out, y->position, task->share, &s, said, n);
	if ((!out || fclose(out) != 0 || !ok)) {
		hd_fail(eb, HD_ERR_NOMEM, "out of memory");
		free(slice);
		slice = NULL;
	}
	free(said);
	return slice;
}

/* ---- a worker ------------------------------------------------------------------------- */

struct task_head {
	uint64_t number, executions, share;
};

bool hd_ranks_say_error(struct hd_ranks *r, const struct hd_errbuf *eb)
{
	char text[sizeof(*eb) + 1] = "E";

	memcpy(text + 1, eb, sizeof(*eb));
	return r->send(r->arg, 0, text, sizeof(text));
}

static bool work_at_task(struct hd_ranks *r, struct hd_exploration *y, const char *brief,
			 size_t nbrief, const char *message, size_t len)
{
	struct hd_errbuf eb = { 0 };
	struct task_head head;
	struct hd_xtask task;
	char *slice = NULL, *answer;
	size_t n = 0;
	bool ok;

	if (len < 1 + sizeof(head))
		return false;
	memcpy(&head, message + 1, sizeof(head));
	task = (struct hd_xtask){ .executions = head.executions,
				  .share = (enum hd_xshare)head.share,
				  .bytes = message + 1 + sizeof(head),
				  .len = len - 1 - sizeof(head) };
	if (forget_slice(y, brief, nbrief))
		slice = make_slice(y, &task, &n, &eb);
	else
		hd_fail(&eb, HD_ERR_NOMEM, "out of memory");
	if (!slice)
		return eb.code != HD_ERR_STOPPED && hd_ranks_say_error(r, &eb) && false;
	answer = malloc(1 + sizeof(head.number) + n);
	if (answer) {
		answer[0] = 'D';
		memcpy(answer + 1, &head.number, sizeof(head.number));
		memcpy(answer + 1 + sizeof(head.number), slice, n);
	}
	ok = answer && r->send(r->arg, 0, answer, 1 + sizeof(head.number) + n);
	free(answer);
	free(slice);
	return ok;
}

/* How a rank presents itself. */
struct look {
	char letter;
	uint64_t first, brief;
};

/*
 * What the first execution does, addresses included: parts are told from each other by these. A rank where the program is
 * laid out in another way would leave out what it should not.
 */
static uint64_t look_of_first(struct hd_exploration *y)
{
	const struct hd_xrequest request = { 0 };
	struct hd_errbuf eb;
	struct hd_xlog log;
	uint64_t h = HD_FNV_START;

	if (hd_exploration_execute(y, &request, &log, &eb) != HD_OK)
		return 0;
	for (size_t i = 0; i < log.nops; i++) {
		const uint64_t v[] = { log.ops[i].thread, log.ops[i].kind, log.ops[i].object };

		h = hd_fnv_bytes(h, v, sizeof(v));
	}
	return h;
}

static struct look look_like(struct hd_exploration *y, const char *brief, size_t len)
{
	struct look look;

	memset(&look, 0, sizeof(look));
	look.letter = 'H';
	look.first = look_of_first(y);
	look.brief = hd_fnv_bytes(HD_FNV_START, brief, len);
	return look;
}

static bool begin_helping(struct hd_ranks *r, struct hd_exploration *y, const char *brief,
			  size_t len)
{
	struct look look;

	if (be_told(y, brief + 1, len - 1) != HD_OK)
		return hd_ranks_say_error(r, hd_last_error()) && false;
	look = look_like(y, brief, len);
	return r->send(r->arg, 0, &look, sizeof(look));
}

void hd_exploration_work(const struct hd_explore_config *config, const struct hd_program *program,
			 struct hd_ranks *r)
{
	struct hd_exploration *y = new_maker(config, program);
	char *brief = NULL, *message = NULL;
	size_t nbrief = 0, len;
	bool go_on = y != NULL;
	unsigned from;

	hd_listen(NULL);
	while (go_on) {
		enum hd_arrival came = r->receive(r->arg, &from, &message, &len, WAIT);

		if (came == HD_RANK_LOST || hd_budget_stop() == HD_STOP_INTERRUPTED)
			break;
		if (came == HD_NOTHING_CAME)
			continue;
		if (len && message[0] == 'B') {
			free(brief);
			brief = message;
			nbrief = len;
			message = NULL;
			go_on = begin_helping(r, y, brief, nbrief);
		} else {
			go_on = brief && len && message[0] == 'T' &&
				work_at_task(r, y, brief + 1, nbrief - 1, message, len);
		}
		free(message);
		message = NULL;
	}
	free(brief);
	free(message);
	maker_free(y);
}

/* ---- the one who leads ------------------------------------------------------------------ */

/* One who helps has the slice that it works at, and the next one, where there are enough of them: then it does not have to wait. */
#define AT_HAND 2u

struct helper {
	uint64_t has[AT_HAND]; /* numbers of slices, in the order in which they were sent */
	unsigned n;
	bool lost, ready; /* ready: it has the program as we have it */
};

struct lead {
	struct hd_exploration *x;
	struct hd_ranks *ranks;
	struct hd_xsplit *split;
	struct helper *helpers; /* by rank */
	unsigned nlost, strangers;
	struct look look;
	struct hd_exploration *own; /* makes slices where nobody else is left */
	char *brief;
	size_t nbrief;
	uint64_t until; /* executions; 0: no limit */
	bool spent;
	double saved;
	struct hd_errbuf *eb;
};

static unsigned hands(const struct lead *l)
{
	return l->ranks->size - 1 - l->nlost;
}

/* What rounds are made of that come later. */
static uint64_t places_of(const struct hd_exploration *x)
{
	return x->refine.sites.n + x->refine.regions.n;
}

static bool taken(void *arg, const struct hd_xstats *slice, const char *said, size_t len)
{
	struct lead *l = arg;
	struct hd_exploration *x = l->x;
	uint64_t sum = hd_xsplit_stats(l->split)->executions;

	if (!hd_exploration_hear(x, said, len))
		x->no_memory = true;
	if (!hd_xsplit_is_dealt(l->split))
		x->portion.places = places_of(x);
	x->nseen += slice->executions;
	x->in_round = sum;
	l->spent = l->until && sum >= l->until;
	if (hd_progress_due())
		hd_progress_show("heddle: %llu executions by %u ranks, %zu parts of the search",
				 (unsigned long long)sum, hands(l),
				 hd_xsplit_load(l->split).waiting + hd_xsplit_load(l->split).away);
	return !l->spent && !hd_exploration_has_enough(x); /* a budget ends it between slices */
}

static void lose_rank(struct lead *l, unsigned rank)
{
	struct helper *h = &l->helpers[rank];

	if (h->lost)
		return;
	h->lost = true;
	l->nlost++;
	while (h->n)
		hd_xsplit_lost(l->split, h->has[--h->n]);
}

static bool hand_out(struct lead *l, unsigned rank)
{
	struct helper *h = &l->helpers[rank];
	struct task_head head;
	struct hd_xtask task;
	char *message;
	bool ok;

	if ((h->n && !hd_xsplit_has_spare(l->split, hands(l))) || !hd_xsplit_next(l->split, &task))
		return false;
	if (h->n && 1 + sizeof(head) + task.len > l->ranks->ahead) {
		hd_xsplit_lost(l->split, task.number);
		return false;
	}
	h->has[h->n++] = task.number;
	head = (struct task_head){ task.number, task.executions, task.share };
	message = malloc(1 + sizeof(head) + task.len);
	if (message) {
		message[0] = 'T';
		memcpy(message + 1, &head, sizeof(head));
		memcpy(message + 1 + sizeof(head), task.bytes, task.len);
	}
	ok = message && l->ranks->send(l->ranks->arg, rank, message, 1 + sizeof(head) + task.len);
	free(message);
	if (!ok)
		lose_rank(l, rank);
	return true;
}

static void hand_out_to_all(struct lead *l)
{
	for (unsigned n = 0; n < AT_HAND; n++) {
		for (unsigned i = 1; i < l->ranks->size; i++) {
			const struct helper *h = &l->helpers[i];

			if (h->ready && !h->lost && h->n == n && !hand_out(l, i))
				return;
		}
	}
}

/* It has sent something: that is of the first slice it has. */
static void has_done_one(struct helper *h)
{
	if (h->n)
		memmove(h->has, h->has + 1, --h->n * sizeof(*h->has));
}

static void welcome(struct lead *l, unsigned from, const char *message)
{
	struct look look;

	memcpy(&look, message, sizeof(look));
	if (look.brief != l->look.brief)
		return; /* of an earlier round */
	l->helpers[from].ready = look.first && look.first == l->look.first;
	if (l->helpers[from].ready)
		return;
	l->strangers++;
	lose_rank(l, from);
}

static enum hd_err take_message(struct lead *l, unsigned from, const char *message, size_t len)
{
	uint64_t number;
	enum hd_err err;

	if (len == sizeof(*l->eb) + 1 && message[0] == 'E') {
		memcpy(l->eb, message + 1, sizeof(*l->eb));
		return l->eb->code ? l->eb->code : HD_ERR_INVALID;
	}
	if (len == sizeof(l->look) && message[0] == 'H') {
		welcome(l, from, message);
		return HD_OK;
	}
	if (len < 1 + sizeof(number) || message[0] != 'D') {
		lose_rank(l, from);
		return HD_OK;
	}
	memcpy(&number, message + 1, sizeof(number));
	has_done_one(&l->helpers[from]);
	err = hd_xsplit_done(l->split, number, message + 1 + sizeof(number),
			     len - 1 - sizeof(number));
	if (err == HD_ERR_CORRUPT)
		lose_rank(l, from);
	return err == HD_ERR_NOMEM ? hd_fail(l->eb, err, "out of memory") : HD_OK;
}

static enum hd_err hear_others(struct lead *l)
{
	char *message = NULL;
	size_t len = 0;
	unsigned from = 0;
	enum hd_err err = HD_OK;

	switch (l->ranks->receive(l->ranks->arg, &from, &message, &len, WAIT)) {
	case HD_NOTHING_CAME:
		break;
	case HD_RANK_LOST:
		lose_rank(l, from);
		break;
	case HD_MESSAGE_CAME:
		err = take_message(l, from, message, len);
		break;
	}
	free(message);
	return err;
}

static enum hd_err have_own(struct lead *l)
{
	enum hd_err err;

	if (l->own)
		return HD_OK;
	l->own = new_maker(l->x->config, &l->x->c.program);
	err = l->own ? be_told(l->own, l->brief + 1, l->nbrief - 1) : HD_ERR_NOMEM;
	return err ? hd_fail(l->eb, err, "%s", hd_last_error()->text) : HD_OK;
}

/* Nobody else is there. */
static enum hd_err make_own_slice(struct lead *l)
{
	struct hd_xtask task;
	size_t n = 0;
	char *slice = NULL;
	enum hd_err err = HD_OK;

	err = have_own(l);
	if (err)
		return err;
	if (!hd_xsplit_next(l->split, &task))
		return hd_fail(l->eb, HD_ERR_INVALID, "the search has no part that can go on");
	if (forget_slice(l->own, l->brief + 1, l->nbrief - 1))
		slice = make_slice(l->own, &task, &n, l->eb);
	else
		hd_fail(l->eb, HD_ERR_NOMEM, "out of memory");
	if (!slice) {
		hd_xsplit_lost(l->split, task.number);
		return l->eb->code;
	}
	err = hd_xsplit_done(l->split, task.number, slice, n);
	free(slice);
	return err ? hd_fail(l->eb, err, "out of memory") : HD_OK;
}

/* What a crash would cost is what was done since. */
static void save_now_and_then(struct lead *l)
{
	char *name = NULL;

	if (hd_now() - l->saved < number_of("HEDDLE_SAVE_MS", SAVE) * 1e-3 ||
	    !hd_exploration_can_save(l->x))
		return;
	hd_exploration_save(l->x, &name);
	if (name) {
		free(l->x->saved);
		l->x->saved = name;
	}
	l->saved = hd_now();
}

static enum hd_err lead(struct lead *l)
{
	enum hd_err err = HD_OK;

	for (unsigned i = 1; i < l->ranks->size; i++) {
		if (!l->ranks->send(l->ranks->arg, i, l->brief, l->nbrief))
			lose_rank(l, i);
	}
	if (l->ranks->size > 1) {
		err = have_own(l);
		if (err)
			return err;
		l->look = look_like(l->own, l->brief, l->nbrief);
	}
	if (hd_xsplit_go_on(l->split) != HD_OK)
		return hd_fail(l->eb, HD_ERR_NOMEM, "out of memory");
	while (!err && !hd_xsplit_is_over(l->split)) {
		if (hd_budget_over())
			return hd_fail(l->eb, HD_ERR_STOPPED, "stopped between two slices");
		save_now_and_then(l);
		hand_out_to_all(l);
		err = hands(l) ? hear_others(l) : make_own_slice(l);
	}
	return err;
}

/* Slices that are still being made are of no use: take what comes, and forget it. */
static void let_others_end(struct lead *l)
{
	for (unsigned i = 1; i < l->ranks->size; i++) {
		while (!l->helpers[i].lost && l->helpers[i].n) {
			char *message = NULL;
			unsigned from = 0;
			size_t len;
			enum hd_arrival came =
				l->ranks->receive(l->ranks->arg, &from, &message, &len, WAIT);

			free(message);
			if (came == HD_RANK_LOST)
				lose_rank(l, from);
			else if (came == HD_MESSAGE_CAME)
				has_done_one(&l->helpers[from]);
			if (hd_budget_late())
				return;
		}
	}
}

/* The search as a new one by first steps: in parts, sequences could not be told from each other. */
static enum hd_err begin_split(struct hd_exploration *x, struct lead *l, struct hd_xstats *s)
{
	struct hd_xposition *p = calloc(1, sizeof(*p));
	const struct hd_campaign_config *o = &x->config->campaign;
	enum hd_err err;

	if (!p)
		return HD_ERR_NOMEM;
	*s = x->position->stats;
	s->redundant = s->executions;
	s->stopped = NULL;
	p->tree.sleep = x->how.strategy == HD_X_DPOR;
	err = hd_xsplit_begin(l->split, p, s);
	if (!err && is_portion(x))
		hd_xsplit_deal(l->split, o->part, o->parts, number_of("HEDDLE_PARTS_EACH", EACH));
	x->portion.places = places_of(x);
	return err;
}

/* The search is over: what part of it was ours? */
static enum hd_err look_at_portion(struct hd_exploration *x, struct hd_errbuf *eb)
{
	const uint64_t round[] = { hd_xsplit_digest(x->split), x->rounds, x->strategy,
				   x->at.switch_at };
	const char *at[] = { x->at.sites, x->at.regions };

	x->portion.dealt = hd_xsplit_is_dealt(x->split);
	if (!x->portion.dealt)
		return HD_OK;
	if (hd_xsplit_missed(x->split))
		return hd_fail(eb, HD_ERR_INVALID,
			       "a part of the search wants what belongs to another part");
	x->portion.split = hd_fnv_bytes(HD_FNV_START, round, sizeof(round));
	for (unsigned i = 0; i < 2; i++) {
		if (at[i])
			x->portion.split = hd_fnv_bytes(x->portion.split, at[i], strlen(at[i]) + 1);
	}
	x->portion.alone = places_of(x) != x->portion.places;
	return HD_OK;
}

enum hd_err hd_exploration_split(struct hd_exploration *x, struct hd_xstats *s,
				 struct hd_errbuf *eb)
{
	struct hd_ranks nobody = { .size = 1 };
	struct hd_ranks *ranks = helpers(x) ? helpers(x) : &nobody;
	struct lead l = { .x = x,
			  .ranks = ranks,
			  .eb = eb,
			  .saved = hd_now(),
			  .helpers = calloc(ranks->size, sizeof(*l.helpers)) };
	uint64_t most = x->how.max_executions;
	enum hd_err err = HD_ERR_NOMEM;

	hd_executors_stop(
		&x->executors); /* others need the processors; afterwards faults are made simpler */
	if (!x->split)
		x->split = l.split = hd_xsplit_new();
	else
		l.split = x->split;
	l.brief = hd_exploration_brief(x, &l.nbrief);
	if (l.helpers && l.split && l.brief) {
		hd_xsplit_take(l.split, taken, &l);
		err = hd_xsplit_has_begun(l.split) ? HD_OK : begin_split(x, &l, s);
		l.until = most ? hd_xsplit_stats(l.split)->executions + most : 0;
	}
	hd_xposition_free(x->position);
	x->position = NULL;
	x->estimate = (struct hd_estimate){ 0 }; /* was of another search */
	err = err ? hd_fail(eb, err, "out of memory") : lead(&l);
	if (l.helpers && !err && (x->again || x->refine.changed)) /* there will be another round */
		let_others_end(&l);
	if (l.split) {
		enum hd_err missed = look_at_portion(x, eb);

		*s = *hd_xsplit_stats(l.split);
		err = err ? err : missed;
	}
	if (hd_exploration_has_enough(x)) /* it ends with what it found */
		s->complete = l.spent = false;
	s->stopped = l.spent && !s->complete ? "executions" : NULL;
	if (!err && !s->stopped) {
		hd_xsplit_free(x->split);
		x->split = NULL;
	}
	maker_free(l.own);
	free(l.brief);
	free(l.helpers);
	if (l.strangers)
		hd_campaign_note(
			&x->c,
			"%u ranks did not help: the program does not do the same there, or "
			"has other addresses",
			l.strangers);
	/* Whether there is another round is not known yet: a race asks for one, but may be enough. */
	if (!err && x->nfaults && hd_exploration_start(x) != HD_OK)
		return hd_fail(eb, HD_ERR_SYSTEM, "%s", hd_last_error()->text);
	return err;
}
