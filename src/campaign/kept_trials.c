#include "kept_trials.h"

#include <signal.h>
#include <stdlib.h>

#include "common/hash.h"

/* How long it may take is no part of the question. */
static uint64_t hash_trial(const struct hd_trial *t, struct hd_answer_key *key)
{
	size_t len = 0;
	char *bytes = hd_trial_pack(t, 0, HD_JOB_TRIAL, &len);

	if (!bytes)
		return 0;
	*key = hd_answer_key(bytes, len);
	free(bytes);
	return key->a ? key->a : 1;
}

void hd_kept_ask(struct hd_kept_trials *k, const struct hd_trial *t, struct hd_kept_trial *out)
{
	uint64_t times;

	*out = (struct hd_kept_trial){ 0 };
	out->hash = k ? hash_trial(t, &out->key) : 0;
	if (!out->hash)
		return;
	times = hd_map_get(&k->asked, out->hash);
	hd_map_set(&k->asked, out->hash, times + 1);
	out->key.b = hd_hash_next(out->key.b, times);
	if (k->strange || !hd_answers_find(k->answers, out->key, &out->bytes, &out->len))
		return;
	out->compare = !k->compared;
}

void hd_kept_end(struct hd_kept_trial *kept)
{
	free(kept->bytes);
	*kept = (struct hd_kept_trial){ 0 };
}

void hd_kept_drop(struct hd_kept_trials *k, struct hd_kept_trial *kept)
{
	uint64_t n = k && kept->hash ? hd_map_get(&k->asked, kept->hash) : 0;

	if (n)
		hd_map_set(&k->asked, kept->hash, n - 1);
	hd_kept_end(kept);
}

bool hd_kept_take(struct hd_kept_trials *k, struct hd_kept_trial *kept, struct hd_trial *t,
		  struct hd_task_end *end)
{
	if (!kept->bytes || kept->compare)
		return false;
	*end = (struct hd_task_end){ .status = -1 };
	if (!hd_trial_take_result(t, end, kept->bytes, kept->len, &kept->brief))
		return false;
	k->used++;
	return true;
}

/* ---- what came of it ------------------------------------------------------------------------ */

/* Somebody else may have ended it: who ends a job sends signals to all that belongs to it. */
static bool was_ended(const struct hd_trial *t, const struct hd_task_end *end)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGKILL, SIGQUIT, SIGXCPU };

	if (end->timed_out || !t->trace || hd_trial_was_ended(t) || t->run.exited < 0)
		return true;
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		if (!t->run.exited && t->run.code == signals[i])
			return true;
	}
	return false;
}

/* What the result that is known looks like; 0: nobody can tell. */
static uint64_t look_of_kept(const struct hd_kept_trial *kept)
{
	struct hd_trial t = { .trace_fd = -1, .text_fd = { -1, -1 } };
	struct hd_task_end end;
	bool brief = false;
	uint64_t look = 0;

	if (!hd_trial_prepare(&t))
		return 0;
	if (hd_trial_take_result(&t, &end, kept->bytes, kept->len, &brief) && !brief)
		look = hd_trial_look(&t);
	hd_trial_free(&t);
	return look;
}

static void compare(struct hd_kept_trials *k, const struct hd_kept_trial *kept,
		    const struct hd_trial *t)
{
	uint64_t look = look_of_kept(kept);

	if (!look || k->compared || k->strange)
		return;
	k->compared = look == hd_trial_look(t);
	k->strange = !k->compared;
	if (k->strange)
		hd_answers_forget_all(k->answers);
}

void hd_kept_keep(struct hd_kept_trials *k, const struct hd_kept_trial *kept,
		  const struct hd_trial *t, const struct hd_task_end *end)
{
	char *bytes = NULL;
	size_t len = 0;
	FILE *out;
	bool ok;

	if (!k || !kept->hash || (kept->bytes && !kept->compare) || was_ended(t, end))
		return;
	if (kept->compare)
		compare(k, kept, t);
	out = open_memstream(&bytes, &len);
	ok = out && hd_trial_put_result(out, t, end, hd_trial_is_brief(t, &k->told));
	if (out && fclose(out) == 0 && ok)
		hd_answers_keep(k->answers, kept->key, bytes, len);
	free(bytes);
}

void hd_kept_keep_brief(struct hd_kept_trials *k, const struct hd_kept_trial *kept,
			const char *bytes, size_t len)
{
	if (k && kept->hash && !kept->bytes)
		hd_answers_keep(k->answers, kept->key, bytes, len);
}

void hd_kept_trials_free(struct hd_kept_trials *k)
{
	if (!k)
		return;
	hd_answers_close(k->answers);
	hd_map_free(&k->asked);
	free(k->told.list);
	free(k);
}
