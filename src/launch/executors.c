#include "executors.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "launch.h"

/* An execution that is wanted, running or done. */
struct hd_job {
	struct hd_job *next;
	struct hd_xasked asked;
	size_t nops; /* of the request */
	enum { WAITING, RUNNING, DONE } state;
	bool wanted; /* else nobody will ask for it */
	struct hd_lessons lessons;
	enum hd_err err;
	struct hd_errbuf eb;
	struct hd_xlog log;
};

/* ---- requests and logs that outlive what they were made from ----------------- */

static void *copy(const void *from, size_t n, size_t size)
{
	void *p = malloc(n * size + 1);

	if (p && n)
		memcpy(p, from, n * size);
	return p;
}

static size_t count_ops(const struct hd_xrequest *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->nsleepers; i++)
		n += r->sleepers[i].nops;
	return n;
}

static void job_free(struct hd_job *j)
{
	if (!j)
		return;
	free(j->asked.prefix);
	free(j->asked.wakeup);
	free(j->asked.sleepers);
	free(j->asked.ops);
	free(j->log.nodes);
	free(j->log.ops);
	free(j->log.threads);
	free(j->log.choices);
	free((void *)j->log.exact);
	free((void *)j->log.observed);
	free(j->log.text[0].data);
	free(j->log.text[1].data);
	free(j);
}

static struct hd_job *job_new(const struct hd_xrequest *r)
{
	struct hd_job *j = calloc(1, sizeof(*j));

	if (!j)
		return NULL;
	j->nops = count_ops(r);
	j->asked.prefix = copy(r->prefix, r->nprefix, sizeof(*r->prefix));
	j->asked.wakeup = copy(r->wakeup, r->nwakeup, sizeof(*r->wakeup));
	j->asked.sleepers = copy(r->sleepers, r->nsleepers, sizeof(*r->sleepers));
	j->asked.ops = copy(r->ops, j->nops, sizeof(*r->ops));
	j->asked.request = *r;
	j->asked.request.prefix = j->asked.prefix;
	j->asked.request.wakeup = j->asked.wakeup;
	j->asked.request.sleepers = j->asked.sleepers;
	j->asked.request.ops = j->asked.ops;
	if (j->asked.prefix && j->asked.wakeup && j->asked.sleepers && j->asked.ops)
		return j;
	job_free(j);
	return NULL;
}

static bool keep_log(struct hd_job *j, const struct hd_xlog *log)
{
	size_t nthreads = 0, nexact = 0;

	for (size_t i = 0; i < log->nnodes; i++) {
		nthreads += log->nodes[i].nenabled;
		nexact += log->nodes[i].nexact;
	}
	j->log = *log;
	j->log.nodes = copy(log->nodes, log->nnodes, sizeof(*log->nodes));
	j->log.ops = copy(log->ops, log->nops, sizeof(*log->ops));
	j->log.threads = copy(log->threads, nthreads, sizeof(*log->threads));
	j->log.choices = copy(log->choices, log->nchoices, sizeof(*log->choices));
	j->log.exact = copy(log->exact, nexact, sizeof(*log->exact));
	j->log.observed = copy(log->observed, log->nobserved, 1);
	for (int i = 0; i < 2; i++)
		j->log.text[i].data = copy(log->text[i].data, log->text[i].len, 1);
	return j->log.observed && j->log.text[0].data && j->log.text[1].data && j->log.nodes &&
	       j->log.ops && j->log.exact && j->log.threads && j->log.choices;
}

static bool same_op(const struct hd_xop *a, const struct hd_xop *b)
{
	return a->object == b->object && a->thread == b->thread && a->kind == b->kind &&
	       a->bytes == b->bytes && a->begins == b->begins && a->resumed == b->resumed;
}

static bool same(const struct hd_job *j, const struct hd_xrequest *b)
{
	const struct hd_xrequest *a = &j->asked.request;

	if (a->nprefix != b->nprefix || a->nwakeup != b->nwakeup || a->nsleepers != b->nsleepers ||
	    a->random != b->random || a->pct_depth != b->pct_depth ||
	    a->pct_length != b->pct_length || a->match != b->match || a->bounded != b->bounded ||
	    a->awaited != b->awaited || a->by_graph != b->by_graph || a->rounds != b->rounds ||
	    a->together != b->together || j->nops != count_ops(b))
		return false;
	if (a->nprefix && memcmp(a->prefix, b->prefix, a->nprefix * sizeof(*a->prefix)) != 0)
		return false;
	if (a->nwakeup && memcmp(a->wakeup, b->wakeup, a->nwakeup * sizeof(*a->wakeup)) != 0)
		return false;
	if (a->nsleepers &&
	    memcmp(a->sleepers, b->sleepers, a->nsleepers * sizeof(*a->sleepers)) != 0)
		return false;
	for (size_t i = 0; i < j->nops; i++) {
		if (!same_op(&a->ops[i], &b->ops[i]))
			return false;
	}
	return true;
}

/* ---- the list, under the lock ------------------------------------------------- */

/* More is known by now than when it was begun, so it may come out differently. */
static bool is_stale(const struct hd_executors *e, const struct hd_job *j)
{
	return j->state != WAITING && j->lessons.n != e->lessons.n;
}

static struct hd_job *find(struct hd_executors *e, const struct hd_xrequest *r, bool wanted)
{
	struct hd_job *j = e->jobs;

	while (j && ((wanted && !j->wanted) || is_stale(e, j) || !same(j, r)))
		j = j->next;
	return j;
}

static void take_out(struct hd_executors *e, const struct hd_job *j)
{
	struct hd_job **p = &e->jobs;

	while (*p != j)
		p = &(*p)->next;
	*p = j->next;
}

/* Those that nobody wants and nobody works at. */
static void sweep(struct hd_executors *e)
{
	for (struct hd_job **p = &e->jobs; *p;) {
		struct hd_job *j = *p;

		if (j->wanted || j->state == RUNNING) {
			p = &j->next;
			continue;
		}
		*p = j->next;
		job_free(j);
	}
}

static struct hd_job *first_waiting(struct hd_executors *e)
{
	struct hd_job *j = e->jobs;

	while (j && !(j->state == WAITING && j->wanted))
		j = j->next;
	return j;
}

/* ---- those who work ------------------------------------------------------------ */

struct worker {
	struct hd_executors *all;
	struct hd_executor *own;
};

static void execute(struct hd_executor *own, struct hd_job *j)
{
	struct hd_xlog log;

	j->err = hd_executor_run(own, &j->asked.request, &j->lessons, &log, &j->eb);
	if (!j->err && !keep_log(j, &log))
		j->err = hd_fail(&j->eb, HD_ERR_NOMEM, "out of memory");
}

/* With the lock: execute a job that waits. */
static void work_at(struct hd_executors *e, struct hd_executor *own, struct hd_job *j)
{
	j->state = RUNNING;
	j->lessons = e->lessons;
	pthread_mutex_unlock(&e->lock);
	execute(own, j);
	pthread_mutex_lock(&e->lock);
	j->state = DONE;
	pthread_cond_broadcast(&e->changed);
}

static void *work(void *arg)
{
	struct worker w = *(struct worker *)arg;
	struct hd_executors *e = w.all;

	free(arg);
	pthread_mutex_lock(&e->lock);
	while (!e->over) {
		struct hd_job *j = first_waiting(e);

		if (!j) {
			pthread_cond_wait(&e->changed, &e->lock);
			continue;
		}
		work_at(e, w.own, j);
	}
	pthread_mutex_unlock(&e->lock);
	return NULL;
}

/* ---- asking ---------------------------------------------------------------------- */

/*
 * The job that was executed ahead, out of the list; NULL: there is none. While it runs, the explorer
 * does another one itself.
 */
static struct hd_job *take_done(struct hd_executors *e, const struct hd_xrequest *r)
{
	struct hd_job *j, *other;

	pthread_mutex_lock(&e->lock);
	j = find(e, r, true);
	while (j && j->state == RUNNING) {
		other = first_waiting(e);
		if (other)
			work_at(e, &e->each[0], other);
		else
			pthread_cond_wait(&e->changed, &e->lock);
	}
	if (j)
		take_out(e, j);
	pthread_mutex_unlock(&e->lock);
	if (j && j->state == DONE)
		return j;
	job_free(j);
	return NULL;
}

/* From now on all executions know what @log has taught. */
static void take_lessons(struct hd_executors *e, const struct hd_xlog *log)
{
	if (!log->nlearnt)
		return;
	if (e->nthreads)
		pthread_mutex_lock(&e->lock);
	hd_executors_know(e, log->learnt, log->nlearnt);
	if (e->nthreads)
		pthread_mutex_unlock(&e->lock);
}

void hd_executors_know(struct hd_executors *e, const uint64_t *lessons, size_t n)
{
	for (size_t i = 0; i < n && e->lessons.n < HD_X_FRUITLESS / 2; i++)
		e->taught[e->lessons.n++] = lessons[i];
}

enum hd_err hd_executors_run(struct hd_executors *e, const struct hd_xrequest *request,
			     struct hd_xlog *log, struct hd_errbuf *eb)
{
	struct hd_job *j;
	enum hd_err err;

	job_free(e->last);
	e->last = j = e->nthreads ? take_done(e, request) : NULL;
	if (j) {
		*log = j->log;
		*eb = j->eb;
		err = j->err;
	} else {
		err = hd_executor_run(&e->each[0], request, &e->lessons, log, eb);
		e->alone |= !err && (log->uses & HD_X_USES_FILES);
	}
	if (!err)
		take_lessons(e, log);
	return err;
}

void hd_executors_ahead(struct hd_executors *e, const struct hd_xasked *likely, size_t n)
{
	struct hd_job **end, *j;

	if (!e->nthreads || e->alone)
		return;
	pthread_mutex_lock(&e->lock);
	for (j = e->jobs; j; j = j->next)
		j->wanted = false;
	for (size_t i = 0; i < n; i++) {
		j = find(e, &likely[i].request, false);
		if (j)
			take_out(e, j);
		else
			j = job_new(&likely[i].request);
		if (!j)
			break; /* then it is executed when it is asked for */
		j->wanted = true;
		j->next = NULL;
		for (end = &e->jobs; *end;)
			end = &(*end)->next;
		*end = j;
	}
	sweep(e);
	pthread_cond_broadcast(&e->changed);
	pthread_mutex_unlock(&e->lock);
}

/* Those that run may have stopped in a state that is then no longer known. */
static void drop_jobs(struct hd_executors *e)
{
	pthread_mutex_lock(&e->lock);
	for (struct hd_job *j = e->jobs; j;) {
		j->wanted = false;
		if (j->state == RUNNING) {
			pthread_cond_wait(&e->changed, &e->lock);
			j = e->jobs;
		} else {
			j = j->next;
		}
	}
	sweep(e);
	pthread_mutex_unlock(&e->lock);
}

void hd_executors_forget(struct hd_executors *e)
{
	if (e->nthreads)
		drop_jobs(e);
	if (e->known && e->known->n && madvise(e->known, sizeof(*e->known), MADV_REMOVE) != 0)
		memset(e->known, 0, sizeof(*e->known));
}

void hd_executors_unlearn(struct hd_executors *e)
{
	hd_executors_forget(e);
	e->lessons.n = 0;
	for (unsigned i = 0; i < e->n; i++)
		e->each[i].nlessons = UINT32_MAX; /* more than there are, so it is taught anew */
}

/* ---- beginning and end ------------------------------------------------------------ */

static enum hd_err start_threads(struct hd_executors *e)
{
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->changed, NULL);
	for (unsigned i = 1; i < e->n; i++) {
		struct worker *w = malloc(sizeof(*w));

		if (!w)
			return hd_error(HD_ERR_NOMEM, "out of memory");
		*w = (struct worker){ e, &e->each[i] };
		if (pthread_create(&e->threads[e->nthreads], NULL, work, w) != 0) {
			free(w);
			return hd_error(HD_ERR_SYSTEM, "no threads for --jobs %u", e->n);
		}
		e->nthreads++;
	}
	return HD_OK;
}

enum hd_err hd_executors_start(struct hd_executors *e, unsigned n, char **argv,
			       const struct hd_run_config *run, int in)
{
	enum hd_err rc = HD_OK;
	int fd = -1;

	e->taught = malloc(HD_X_FRUITLESS / 2 * sizeof(*e->taught));
	if (!e->taught)
		return hd_error(HD_ERR_NOMEM, "out of memory");
	e->lessons = (struct hd_lessons){ .list = e->taught };
	e->known = hd_share_memory("heddle-known", sizeof(*e->known), &fd);
	for (e->n = 0; e->n < n && rc == HD_OK; e->n++) {
		e->each[e->n].known_fd = fd > 0 ? fd : 0;
		rc = hd_executor_start(&e->each[e->n], argv, run, in);
	}
	if (fd >= 0)
		close(fd);
	return rc == HD_OK && n > 1 ? start_threads(e) : rc;
}

void hd_executors_stop(struct hd_executors *e)
{
	if (e->nthreads) {
		pthread_mutex_lock(&e->lock);
		e->over = true;
		for (unsigned i = 0; i < e->n; i++)
			e->each[i].cancelled = true;
		pthread_cond_broadcast(&e->changed);
		pthread_mutex_unlock(&e->lock);
		for (unsigned i = 0; i < e->nthreads; i++)
			pthread_join(e->threads[i], NULL);
		for (struct hd_job *j = e->jobs; j; j = e->jobs) {
			e->jobs = j->next;
			job_free(j);
		}
		job_free(e->last);
		pthread_mutex_destroy(&e->lock);
		pthread_cond_destroy(&e->changed);
	}
	for (unsigned i = 0; i < e->n; i++)
		hd_executor_stop(&e->each[i]);
	if (e->known)
		munmap(e->known, sizeof(*e->known));
	free(e->taught);
	*e = (struct hd_executors){ 0 };
}
