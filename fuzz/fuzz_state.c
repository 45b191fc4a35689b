/*
 * What --state keeps. The first byte says of what the rest is: a prediction or the result of a run, which is refused, or is the
 * same when it is written and read again; or answers in a file that is damaged: what is found there is what was kept.
 */
#include "fuzz_common.h"

#include "campaign/trial_bytes.h"
#include "common/answers.h"
#include "findings/prediction_bytes.h"

static void fuzz_prediction(const char *bytes, size_t len)
{
	struct hd_prediction p, again;
	struct hd_errbuf eb;
	size_t chosen, same, n = 0;
	char *text = NULL;
	bool understood;
	FILE *out;

	if (hd_prediction_get(bytes, len, &p, &chosen, &eb, &understood) != HD_OK || !understood)
		return;
	out = open_memstream(&text, &n);
	if (!out || !hd_prediction_put(out, HD_OK, &eb, &p, chosen) || fclose(out) != 0)
		abort();
	if (hd_prediction_get(text, n, &again, &same, &eb, &understood) != HD_OK || !understood ||
	    same != chosen || again.decision != p.decision || again.nevents != p.nevents ||
	    strcmp(again.why, p.why) != 0)
		abort();
	free(again.events);
	free(p.events);
	free(text);
}

static void fuzz_result(const char *bytes, size_t len)
{
	struct hd_trial t = { .trace_fd = -1, .text_fd = { -1, -1 } };
	struct hd_task_end end;
	bool brief;

	if (!hd_trial_prepare(&t))
		abort();
	if (hd_trial_take_result(&t, &end, bytes, len, &brief) && !brief &&
	    strlen(t.told->stuck) >= sizeof(t.told->stuck))
		abort();
	hd_trial_free(&t);
}

/* ---- a file ----------------------------------------------------------------------------- */

#define ANSWERS 4u

static struct hd_answers *open_it(const char *path)
{
	struct hd_answers *a = NULL;
	struct hd_errbuf eb;
	uint64_t word = 1;

	return hd_answers_open(&a, path, 1, &word, &eb) == HD_OK ? a : NULL;
}

static struct hd_answer_key key_of(unsigned i)
{
	return hd_answer_key(&i, sizeof(i));
}

/* The first so many, as they were kept; then none. */
static void look(struct hd_answers *a, const char *bytes, size_t len)
{
	bool gone = false;

	for (unsigned i = 0; i < ANSWERS; i++) {
		char *found;
		size_t n;

		if (!hd_answers_find(a, key_of(i), &found, &n)) {
			gone = true;
			continue;
		}
		if (gone || n != len / (i + 1) || (n && memcmp(found, bytes, n) != 0))
			abort();
		free(found);
	}
}

/* Two bytes say where it is damaged, one how, the rest is kept and is what is written there. */
static void fuzz_file(const char *bytes, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	unsigned char how[3] = { 0 };
	struct hd_answers *a;
	char path[64];
	off_t size, at;

	memcpy(how, bytes, len < sizeof(how) ? len : sizeof(how));
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	a = open_it(path);
	for (unsigned i = 0; a && i < ANSWERS; i++)
		hd_answers_keep(a, key_of(i), bytes, len / (i + 1));
	hd_answers_close(a);
	size = lseek(fd, 0, SEEK_END);
	at = size ? (how[0] | how[1] << 8) % size : 0;
	if (how[2] & 1 ? ftruncate(fd, at) != 0 : pwrite(fd, bytes, len, at) < 0)
		abort();
	a = open_it(path);
	if (a)
		look(a, bytes, len);
	hd_answers_close(a);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 1;

	if (!size)
		return 0;
	switch (data[0] % 3) {
	case 0:
		fuzz_prediction(bytes, size - 1);
		break;
	case 1:
		fuzz_result(bytes, size - 1);
		break;
	default:
		fuzz_file(bytes, size - 1);
	}
	return 0;
}
