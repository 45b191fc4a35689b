/*
 * An exploration that is not over, from its file: it is refused, or what was read, written and read
 * again is the same. The input is what follows the head of such a file: version, program, options and
 * checksum are made here, since nobody guesses them.
 */
#include "fuzz_common.h"

#include "common/hash.h"
#include "explore/exploration.h"
#include "heddle/engine.h"

static struct hd_exploration *new_exploration(const struct hd_explore_config *config)
{
	static char *argv[] = { (char *)"/not/there", NULL };
	struct hd_exploration *x = calloc(1, sizeof(*x));

	if (!x)
		abort();
	x->config = config;
	x->c.config = &config->campaign;
	x->c.base = config->campaign.run;
	x->c.program = (struct hd_program){ .argv = argv, .argc = 1, .input = -1 };
	return x;
}

static void free_exploration(struct hd_exploration *x)
{
	hd_exploration_free(x);
	free(x);
}

static uint64_t number_at(const char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* Up to what is known only once it has begun: a line, a text, two numbers, a text. */
static size_t head_length(const char *text)
{
	size_t at = (size_t)(strchr(text, '\n') + 1 - text);

	at += 8 + number_at(text + at) - 1;
	at += 16;
	return at + 8 + number_at(text + at) - 1;
}

/* The same for all inputs. */
static const char *file_head(const struct hd_explore_config *config, size_t *len)
{
	static char *head;
	struct hd_exploration *x;

	if (!head) {
		x = new_exploration(config);
		head = hd_exploration_write(x, len);
		if (!head)
			abort();
		free_exploration(x);
	}
	*len = head_length(head);
	return head;
}

static char *make_file(const struct hd_explore_config *config, const uint8_t *data, size_t size,
		       size_t *len)
{
	const char *head = file_head(config, len);
	uint64_t sum;
	char *file = malloc(*len + size + sizeof(sum));

	if (!file)
		abort();
	memcpy(file, head, *len);
	if (size)
		memcpy(file + *len, data, size);
	*len += size;
	sum = hd_fnv_bytes(HD_FNV_START, file, *len);
	memcpy(file + *len, &sum, sizeof(sum));
	*len += sizeof(sum);
	return file;
}

/* What is written of what was read; NULL: it was refused. */
static char *there_and_back(const struct hd_explore_config *config, const char *text, size_t *len)
{
	struct hd_exploration *x = new_exploration(config);
	char *out = NULL;

	if (hd_exploration_read(x, text, *len, "fuzz") == HD_OK) {
		out = hd_exploration_write(x, len);
		if (!out)
			abort();
	} else if (!strstr(hd_last_error()->text, "is damaged")) {
		abort();
	}
	free_exploration(x);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct hd_explore_config config;
	size_t len, len2;
	char *file, *once, *twice;

	hd_explore_config_init(&config);
	file = make_file(&config, data, size, &len);
	once = there_and_back(&config, file, &len);
	if (once) {
		len2 = len;
		twice = there_and_back(&config, once, &len2);
		if (!twice || len != len2 || memcmp(once, twice, len) != 0)
			abort();
		free(twice);
	}
	free(once);
	free(file);
	return 0;
}
