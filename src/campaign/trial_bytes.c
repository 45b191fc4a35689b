#include "trial_bytes.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "campaign.h"
#include "common/answers.h"
#include "common/array.h"
#include "common/hash.h"
#include "trace/run_config_text.h"

#define MOST ((uint64_t)1 << 29) /* bytes of an answer; who has more does it himself */

/* ---- what to run ------------------------------------------------------------------------- */

static bool put_list(FILE *out, const void *p, size_t size, size_t n)
{
	const uint64_t count = n;

	return fwrite(&count, sizeof(count), 1, out) == 1 && (!n || fwrite(p, size, n, out) == n);
}

/* What put_list() wrote, with a zero after it; NULL: there is none. */
static void *get_list(FILE *in, size_t size, size_t *n)
{
	uint64_t count;
	char *list;

	if (fread(&count, sizeof(count), 1, in) != 1 || count > MOST / size)
		return NULL;
	list = malloc(count * size + 1);
	if (list && (!count || fread(list, size, count, in) == count)) {
		list[count * size] = 0;
		*n = (size_t)count;
		return list;
	}
	free(list);
	return NULL;
}

static bool put_config(FILE *out, const struct hd_run_config *c)
{
	char *lines = NULL;
	size_t len = 0;
	FILE *text = open_memstream(&lines, &len);
	bool ok;

	if (!text)
		return false;
	hd_run_config_print(c, text);
	ok = fclose(text) == 0 && put_list(out, lines, 1, len);
	free(lines);
	return ok;
}

struct head {
	double limit;
	uint64_t follow;
	uint8_t has_plan, has_after, brief;
	char padding[5];
};

char *hd_trial_pack(const struct hd_trial *t, double limit, char letter, size_t *len)
{
	const struct head h = {
		limit, t->follow, t->plan != NULL, t->after != NULL, t->brief, { 0 }
	};
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, len);
	bool ok = out && putc(letter, out) != EOF && fwrite(&h, sizeof(h), 1, out) == 1 &&
		  put_config(out, &t->run_as) &&
		  put_list(out, t->after, 1, t->after ? strlen(t->after) : 0) &&
		  put_list(out, t->plan ? t->plan->entries : NULL, sizeof(struct hd_plan_entry),
			   t->plan ? t->plan->n : 0) &&
		  put_list(out, t->segments, sizeof(*t->segments), t->nsegments) &&
		  put_list(out, t->choices, sizeof(*t->choices), t->nchoices);

	if (out && fclose(out) == 0 && ok)
		return bytes;
	free(bytes);
	return NULL;
}

struct unpacked {
	struct hd_trial t;
	struct hd_plan plan;
	double limit;
	char *config, *after;
	struct hd_segment *segments;
	uint32_t *choices;
};

static void unpacked_free(struct unpacked *u)
{
	free(u->config);
	free(u->after);
	free(u->plan.entries);
	free(u->segments);
	free(u->choices);
}

static bool unpack_from(struct unpacked *u, FILE *in)
{
	struct head h;
	size_t n;

	*u = (struct unpacked){ .t = { .trace_fd = -1, .text_fd = { -1, -1 } } };
	if (fread(&h, sizeof(h), 1, in) != 1 || !(u->config = get_list(in, 1, &n)) ||
	    !(u->after = get_list(in, 1, &n)) ||
	    !(u->plan.entries = get_list(in, sizeof(*u->plan.entries), &u->plan.n)) ||
	    !(u->segments = get_list(in, sizeof(*u->segments), &u->t.nsegments)) ||
	    !(u->choices = get_list(in, sizeof(*u->choices), &u->t.nchoices)))
		return false;
	hd_run_config_init(&u->t.run_as);
	u->limit = h.limit;
	u->t.follow = (enum hd_policy_word)h.follow;
	u->t.brief = h.brief;
	u->t.after = h.has_after ? u->after : NULL;
	u->t.plan = h.has_plan ? &u->plan : NULL;
	u->t.segments = u->t.nsegments ? u->segments : NULL;
	u->t.choices = u->t.nchoices ? u->choices : NULL;
	return hd_run_config_read(&u->t.run_as, u->config, "a trial") == HD_OK;
}

static bool unpack(struct unpacked *u, const char *bytes, size_t len)
{
	FILE *in = fmemopen((char *)bytes, len, "re");
	bool ok = in && unpack_from(u, in);

	if (in)
		fclose(in);
	return ok;
}

/* ---- what came of it ------------------------------------------------------------------------ */

struct result {
	struct hd_task_end end;
	struct hd_trial_told told;
	bool changed_files;
	bool left_out; /* it is too much to be sent */
	uint64_t sizes[2 + HD_STREAMS];
};

/* There is nothing more to tell; who finds this has a trial that is not read. */
struct brief {
	uint8_t changed_files, shows, padding[6];
};

/* What a run is read from. */
static void files_of(const struct hd_trial *t, int fds[2 + HD_STREAMS])
{
	fds[0] = t->trace_fd;
	fds[1] = t->children_fd > 0 ? t->children_fd : -1;
	for (int i = 0; i < HD_STREAMS; i++)
		fds[2 + i] = t->text_fd[i];
}

static uint64_t size_of(int fd)
{
	struct stat st;

	return fd >= 0 && fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

static bool put_file(FILE *out, int fd, uint64_t size)
{
	char buf[1 << 14];

	for (uint64_t at = 0; at < size;) {
		size_t part = size - at < sizeof(buf) ? (size_t)(size - at) : sizeof(buf);
		ssize_t n = pread(fd, buf, part, (off_t)at);

		if (n <= 0 || fwrite(buf, 1, (size_t)n, out) != (size_t)n)
			return false;
		at += (uint64_t)n;
	}
	return true;
}

bool hd_trial_put_result(FILE *out, const struct hd_trial *t, const struct hd_task_end *end,
			 bool brief)
{
	const struct brief b = { t->changed_files, brief && hd_trial_shows(t), { 0 } };
	struct result r;
	int fds[2 + HD_STREAMS];
	uint64_t sum = 0;
	bool ok;

	if (brief)
		return fwrite(&b, sizeof(b), 1, out) == 1;
	memset(&r, 0, sizeof(r));
	r.end = *end;
	r.told = *t->told;
	r.changed_files = t->changed_files;
	files_of(t, fds);
	for (size_t i = 0; i < 2 + HD_STREAMS; i++)
		sum += r.sizes[i] = size_of(fds[i]);
	r.left_out = sum > MOST;
	ok = fwrite(&r, sizeof(r), 1, out) == 1;
	for (size_t i = 0; i < 2 + HD_STREAMS && ok && !r.left_out; i++)
		ok = put_file(out, fds[i], r.sizes[i]);
	return ok;
}

static bool makes_sense(const char *bytes)
{
	static const size_t flags[] = { offsetof(struct result, end.timed_out),
					offsetof(struct result, told.attached),
					offsetof(struct result, told.random_addresses),
					offsetof(struct result, changed_files),
					offsetof(struct result, left_out) };

	return hd_answer_flags(bytes, flags, sizeof(flags) / sizeof(flags[0])) &&
	       hd_answer_text(bytes, offsetof(struct result, told.stuck),
			      sizeof(((struct result *)0)->told.stuck)) &&
	       hd_answer_text(bytes, offsetof(struct result, told.error.text),
			      sizeof(((struct result *)0)->told.error.text)) &&
	       hd_answer_text(bytes, offsetof(struct result, told.write_error.text),
			      sizeof(((struct result *)0)->told.write_error.text));
}

bool hd_trial_take_result(struct hd_trial *t, struct hd_task_end *end, const char *bytes,
			  size_t len, bool *brief)
{
	struct brief b;
	struct result r;
	int fds[2 + HD_STREAMS];

	*brief = len == sizeof(b);
	if (*brief) {
		memcpy(&b, bytes, sizeof(b));
		t->changed_files = b.changed_files != 0;
		t->shows = b.shows != 0;
		*end = (struct hd_task_end){ 0 };
		return true;
	}
	if (len < sizeof(r) || !makes_sense(bytes))
		return false;
	memcpy(&r, bytes, sizeof(r));
	bytes += sizeof(r);
	len -= sizeof(r);
	files_of(t, fds);
	for (size_t i = 0; i < 2 + HD_STREAMS && !r.left_out; i++) {
		if (r.sizes[i] > len ||
		    (r.sizes[i] && pwrite(fds[i], bytes, r.sizes[i], 0) != (ssize_t)r.sizes[i]))
			return false;
		bytes += r.sizes[i];
		len -= r.sizes[i];
	}
	*end = r.end;
	*t->told = r.told;
	t->changed_files = r.changed_files;
	return !r.left_out;
}

/* ---- in another rank --------------------------------------------------------------------------- */

/* Was @key told with a lower seed? If not, it is from now on; false, too, where there is no memory for that. */
static bool is_told(struct hd_told_faults *told, const char *key, uint64_t seed)
{
	for (size_t i = 0; i < told->n; i++) {
		bool lower = told->list[i].seed < seed;

		if (strcmp(told->list[i].key, key))
			continue;
		if (!lower)
			told->list[i].seed = seed;
		return lower;
	}
	if (HD_ROOM(told->list, told->room, told->n + 1)) {
		told->list[told->n].seed = seed;
		memcpy(told->list[told->n++].key, key, sizeof(told->list->key));
	}
	return false;
}

static bool are_told(struct hd_told_faults *told, const struct hd_run *run, uint64_t seed)
{
	bool all = true;

	for (size_t i = 0; i < run->nfindings; i++) {
		char key[17];

		if (!hd_finding_is_fault(&run->findings[i]))
			continue;
		hd_fault_key(&run->findings[i], key);
		all &= is_told(told, key, seed);
	}
	return all;
}

bool hd_trial_is_brief(const struct hd_trial *t, struct hd_told_faults *told)
{
	bool all;

	if (!t->brief || !t->trace || hd_trial_was_ended(t) || t->run.assumed)
		return false;
	all = are_told(told, &t->run, t->run_as.seed);
	for (size_t i = 0; i < t->children.n; i++)
		all &= are_told(told, &t->children.each[i].run, t->run_as.seed);
	return all;
}

bool hd_far_trial_run(const struct hd_program *p, const char *bytes, size_t len,
		      struct hd_told_faults *told, FILE *answer)
{
	struct unpacked u;
	struct hd_task_end end;
	bool ok = unpack(&u, bytes, len) && hd_trial_prepare(&u.t);

	if (ok && hd_trial_run(&u.t, p, u.limit, &end))
		ok = hd_trial_put_result(answer, &u.t, &end,
					 u.t.brief && !end.timed_out &&
						 hd_trial_read(&u.t, &end) == HD_OK &&
						 hd_trial_is_brief(&u.t, told));
	else
		ok = false;
	hd_trial_free(&u.t);
	unpacked_free(&u);
	return ok;
}

/* Threads, what they do, where and to what: values may be of a clock. */
static bool add_event(void *arg, const struct hd_event *ev, uint64_t index)
{
	const uint64_t v[] = { ev->thread, ev->op, ev->pc, ev->addr };
	uint64_t *h = arg;

	(void)index;
	*h = hd_fnv_bytes(*h, v, sizeof(v));
	return true;
}

uint64_t hd_trial_look(const struct hd_trial *t)
{
	uint64_t h = HD_FNV_START;
	struct hd_trace *trace;
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", t->trace_fd);
	if (hd_trace_open(&trace, path, NULL) != HD_OK)
		return 0;
	hd_trace_each(trace, add_event, &h);
	hd_trace_close(trace);
	return h;
}

bool hd_far_trial_look(const struct hd_program *p, const char *bytes, size_t len, uint64_t *look)
{
	struct unpacked u;
	struct hd_task_end end;
	bool ok = unpack(&u, bytes, len) && hd_trial_prepare(&u.t) &&
		  hd_trial_run(&u.t, p, u.limit, &end);

	if (ok)
		*look = hd_trial_look(&u.t);
	hd_trial_free(&u.t);
	unpacked_free(&u);
	return ok;
}
