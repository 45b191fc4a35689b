/*
 * What ranks of a launcher are told first.
 */
#include "greeting.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/hash.h"
#include "common/interrupts.h"
#include "ranks/launched_ranks.h"

#define WAIT 100 /* milliseconds between looks at whether to go on */

extern char **environ;

/* What all must have alike: the program, what it is given, and the options. */
static uint64_t identity_of(const struct hd_campaign *c)
{
	const uint64_t v[] = { hd_campaign_program(c), c->config->options };

	return hd_fnv_bytes(HD_FNV_START, v, sizeof(v));
}

static bool put_input(FILE *out, int fd)
{
	char buf[1 << 14];
	off_t at = 0;
	ssize_t n;

	while (fd >= 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		if (fwrite(buf, 1, (size_t)n, out) != (size_t)n)
			return false;
		at += n;
	}
	return true;
}

enum hd_err hd_ranks_greet(struct hd_ranks *ranks, const struct hd_campaign *c)
{
	uint64_t head[2] = { identity_of(c), 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool ok;

	hd_ranks_drop_launchers();
	while (environ[head[1]])
		head[1]++;
	ok = out && fwrite(head, sizeof(head), 1, out) == 1;
	for (size_t i = 0; ok && environ[i]; i++)
		ok = fwrite(environ[i], strlen(environ[i]) + 1, 1, out) == 1;
	ok = ok && put_input(out, c->program.input);
	if (out && fclose(out) != 0)
		ok = false;
	for (unsigned i = 1; ok && i < ranks->size; i++)
		ranks->send(ranks->arg, i, text, len);
	free(text);
	hd_ranks_keep_files(); /* now that there are connections */
	return ok ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}

/* @n variables from @text on; where they end, NULL: they do not. */
static const char *take_environment(const char *text, const char *end, uint64_t n)
{
	clearenv();
	for (; n; n--) {
		const char *zero = memchr(text, 0, (size_t)(end - text));
		char *own = zero ? strdup(text) : NULL;

		if (!own || putenv(own) != 0)
			return NULL;
		text = zero + 1;
	}
	return text;
}

bool hd_ranks_take_greeting(struct hd_campaign *c, const char *text, size_t len)
{
	const char *end = text + len, *input;
	uint64_t head[2];

	if (len < sizeof(head))
		return false;
	memcpy(head, text, sizeof(head));
	input = take_environment(text + sizeof(head), end, head[1]);
	c->program.input = memfd_create("heddle-input", MFD_CLOEXEC);
	return input && c->program.input >= 0 &&
	       write(c->program.input, input, (size_t)(end - input)) == end - input &&
	       identity_of(c) == head[0];
}

/* The first message; NULL: there will be none. */
char *hd_ranks_await(struct hd_ranks *ranks, size_t *len)
{
	enum hd_arrival came = HD_NOTHING_CAME;
	char *text = NULL;
	unsigned from;

	while (came == HD_NOTHING_CAME && !hd_interrupted())
		came = ranks->receive(ranks->arg, &from, &text, len, WAIT);
	return text;
}
