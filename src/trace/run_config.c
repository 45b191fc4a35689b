#include "heddle/engine/run_config.h"

const struct hd_run_info hd_run_infos[HD_RUN_COUNT] = {
#define HD_RUN(id, field, key, kind, dflt, words)                                                  \
	{ key, dflt, words, HD_RUN_##kind, true, offsetof(struct hd_run_config, field) },
#define HD_TOLD(id, field, key, kind, dflt, words)                                                 \
	{ key, dflt, words, HD_RUN_##kind, false, offsetof(struct hd_run_config, field) },
#include "heddle/engine/run_config.def"
#undef HD_RUN
#undef HD_TOLD
};

static bool is_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

enum hd_run_id hd_run_find(const char *key)
{
	enum hd_run_id id = 0;

	while (id < HD_RUN_COUNT && !is_equal(hd_run_infos[id].key, key))
		id++;
	return id;
}

static bool parse_number(const char *s, uint64_t *out)
{
	uint64_t v = 0;

	if (!*s)
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
			return false;
	}
	*out = v;
	return *s == 0;
}

/* Word number @n of @list, as its beginning and length; NULL: there are not so many. */
static const char *nth_word(const char *list, unsigned n, size_t *len)
{
	for (;; list++) {
		for (*len = 0; list[*len] && list[*len] != '|'; ++*len)
			;
		if (n-- == 0)
			return list;
		list += *len;
		if (!*list)
			return NULL;
	}
}

static bool parse_word(const char *s, const char *list, unsigned *out)
{
	const char *word;
	size_t len;

	for (unsigned i = 0; (word = nth_word(list, i, &len)); i++) {
		size_t same = 0;

		while (same < len && s[same] == word[same])
			same++;
		if (same == len && !s[len]) {
			*out = i;
			return true;
		}
	}
	return false;
}

bool hd_run_config_set(struct hd_run_config *c, enum hd_run_id id, const char *value)
{
	const struct hd_run_info *info = &hd_run_infos[id];
	void *field = (char *)c + info->at;
	uint64_t number = 0;

	if (info->kind == HD_RUN_TEXT) {
		*(const char **)field = value;
		return true;
	}
	if (info->kind == HD_RUN_WORD)
		return parse_word(value, info->words, field);
	if (!parse_number(value, &number))
		return false;
	if (info->kind == HD_RUN_NUMBER) {
		*(uint64_t *)field = number;
	} else if (info->kind == HD_RUN_FLAG && number <= 1) {
		*(bool *)field = number != 0;
	} else if (info->kind == HD_RUN_FD && number <= INT32_MAX) {
		*(int *)field = (int)number;
	} else {
		return false;
	}
	return true;
}

static void set_default(struct hd_run_config *c, enum hd_run_id id)
{
	if (hd_run_infos[id].kind == HD_RUN_FD)
		*(int *)((char *)c + hd_run_infos[id].at) = -1;
	else if (hd_run_infos[id].dflt)
		hd_run_config_set(c, id, hd_run_infos[id].dflt);
}

void hd_run_config_init(struct hd_run_config *c)
{
	*c = (struct hd_run_config){ 0 };
	for (enum hd_run_id id = 0; id < HD_RUN_COUNT; id++)
		set_default(c, id);
}

static const char *put_number(uint64_t n, char buf[HD_RUN_VALUE])
{
	char *p = buf + HD_RUN_VALUE - 1;

	*p = 0;
	do
		*--p = (char)('0' + n % 10);
	while (n /= 10);
	return p;
}

static const char *put_word(const char *list, unsigned n, char buf[HD_RUN_VALUE])
{
	size_t len;
	const char *word = nth_word(list, n, &len);

	for (size_t i = 0; word && i < len; i++)
		buf[i] = word[i];
	buf[word ? len : 0] = 0;
	return buf;
}

const char *hd_run_config_get(const struct hd_run_config *c, enum hd_run_id id,
			      char buf[HD_RUN_VALUE])
{
	const struct hd_run_info *info = &hd_run_infos[id];
	const void *field = (const char *)c + info->at;

	switch (info->kind) {
	case HD_RUN_TEXT:
		return *(const char *const *)field;
	case HD_RUN_WORD:
		return put_word(info->words, *(const unsigned *)field, buf);
	case HD_RUN_FLAG:
		return put_number(*(const bool *)field, buf);
	case HD_RUN_FD:
		return *(const int *)field < 0 ? NULL
					       : put_number((uint64_t) * (const int *)field, buf);
	case HD_RUN_NUMBER:
		break;
	}
	return put_number(*(const uint64_t *)field, buf);
}

bool hd_run_config_is_default(const struct hd_run_config *c, enum hd_run_id id)
{
	char buf[HD_RUN_VALUE], other[HD_RUN_VALUE];
	struct hd_run_config dflt = { 0 };
	const char *is = hd_run_config_get(c, id, buf), *was;

	set_default(&dflt, id);
	was = hd_run_config_get(&dflt, id, other);
	return is && was ? is_equal(is, was) : is == was;
}
