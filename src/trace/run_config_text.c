#include "run_config_text.h"

#include <string.h>

/* Descriptors are four digits wide: what the program is told must not have another size. */
static void print_one(const struct hd_run_config *c, enum hd_run_id id, FILE *out)
{
	const struct hd_run_info *info = &hd_run_infos[id];
	char buf[HD_RUN_VALUE];
	const char *value = hd_run_config_get(c, id, buf);

	if (!value || (!info->recorded && hd_run_config_is_default(c, id)))
		return;
	if (info->kind == HD_RUN_FD)
		fprintf(out, "%s=%04d\n", info->key, *(const int *)((const char *)c + info->at));
	else
		fprintf(out, "%s=%s\n", info->key, value);
}

void hd_run_config_print(const struct hd_run_config *c, FILE *out)
{
	for (enum hd_run_id id = 0; id < HD_RUN_COUNT; id++)
		print_one(c, id, out);
}

enum hd_err hd_run_config_read(struct hd_run_config *c, char *lines, const char *where)
{
	char *save = NULL;

	for (char *key = strtok_r(lines, "\n", &save); key; key = strtok_r(NULL, "\n", &save)) {
		char *value = strchr(key, '=');
		enum hd_run_id id;

		if (!value)
			continue;
		*value++ = 0;
		id = hd_run_find(key);
		if (id < HD_RUN_COUNT && !hd_run_config_set(c, id, value))
			return hd_error(HD_ERR_REQUEST, "'%s' in %s cannot be '%s'", key, where,
					value);
	}
	return HD_OK;
}

static bool is_worth_keeping(const struct hd_run_config *c, enum hd_run_id id)
{
	if (!hd_run_infos[id].recorded)
		return false;
	return id == HD_RUN_POLICY || id == HD_RUN_SEED || id == HD_RUN_SWITCH_AT ||
	       !hd_run_config_is_default(c, id);
}

void hd_run_config_meta(const struct hd_run_config *c, struct hd_run_meta *m,
			struct hd_trace_meta *meta)
{
	meta->nkeys = 0;
	meta->keys = m->keys;
	meta->values = m->values;
	for (enum hd_run_id id = 0; id < HD_RUN_COUNT; id++) {
		const char *value;

		if (!is_worth_keeping(c, id))
			continue;
		value = hd_run_config_get(c, id, m->text[id]);
		if (!value)
			continue;
		m->keys[meta->nkeys] = hd_run_infos[id].key;
		m->values[meta->nkeys++] = value;
	}
}

/* Two options have names that say more than their keys. */
static const char *option_name(enum hd_run_id id)
{
	return id == HD_RUN_EXACT   ? "record-exact"
	       : id == HD_RUN_TASKS ? "algorithm"
				    : hd_run_infos[id].key;
}

void hd_run_config_words(const struct hd_run_config *c, FILE *out)
{
	for (enum hd_run_id id = 0; id < HD_RUN_COUNT; id++) {
		const struct hd_run_info *info = &hd_run_infos[id];
		bool always = id == HD_RUN_POLICY || id == HD_RUN_SEED;
		char buf[HD_RUN_VALUE];
		const char *value = hd_run_config_get(c, id, buf);

		if (!info->recorded || !value || (!always && hd_run_config_is_default(c, id)))
			continue;
		fprintf(out, " --%s", option_name(id));
		/* One that is on by default is said as yes or no. */
		if (info->kind == HD_RUN_FLAG && info->dflt)
			fputs(*value == '1' ? " yes" : " no", out);
		else if (info->kind != HD_RUN_FLAG)
			fprintf(out, " %s", value);
	}
}

enum hd_err hd_run_config_from_schedule(struct hd_run_config *c, const struct hd_schedule *s,
					const char *path)
{
	struct hd_run_config dflt;

	hd_run_config_init(&dflt);
	for (enum hd_run_id id = 0; id < HD_RUN_COUNT; id++) {
		const char *value;
		char buf[HD_RUN_VALUE];

		if (!hd_run_infos[id].recorded)
			continue;
		value = hd_schedule_option(s, hd_run_infos[id].key);
		if (value && !hd_run_config_set(c, id, value))
			return hd_error(HD_ERR_REQUEST, "%s: '%s' is not a value for the option %s",
					path, value, hd_run_infos[id].key);
		if (!value) {
			const char *was = hd_run_config_get(&dflt, id, buf);

			if (was || hd_run_infos[id].kind == HD_RUN_TEXT)
				hd_run_config_set(c, id, was);
		}
	}
	return HD_OK;
}
