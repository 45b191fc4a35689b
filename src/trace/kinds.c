#include "kinds.h"

#include <stddef.h>

const struct hd_rule_info hd_rules[HD_RULES] = {
#define HD_RULE(name, word, title, maybe, sarif, text)                                             \
	[HD_RULE_##name] = { word, title, maybe, sarif, text },
#define HD_KIND(name, number, rule, as, certainty, criterion, id, traits)
#include "kinds.def"
#undef HD_RULE
#undef HD_KIND
};

static const struct hd_rule_info no_rule = { "divergence", "divergence", "divergence", NULL, NULL };

const struct hd_kind_info *hd_kind_info(unsigned kind)
{
#define HD_RULE(name, word, title, maybe, sarif, text)
#define HD_KIND(name, number, rule, as, certainty, criterion, id, traits)                          \
	static const struct hd_kind_info info_##name = {                                           \
		HD_RULE_##rule, HD_KIND_##as, HD_##certainty, criterion, id, traits                \
	};
#include "kinds.def"
#undef HD_KIND

	switch ((enum hd_kind)kind) {
#define HD_KIND(name, number, rule, as, certainty, criterion, id, traits)                          \
	case HD_KIND_##name:                                                                       \
		return &info_##name;
#include "kinds.def"
#undef HD_KIND
#undef HD_RULE
	}
	return &info_MISUSE;
}

static const struct hd_rule_info *rule_of(unsigned kind)
{
	enum hd_rule rule = hd_kind_info(kind)->rule;

	return rule == HD_RULE_NONE ? &no_rule : &hd_rules[rule];
}

const char *hd_kind_word(unsigned kind)
{
	return rule_of(kind)->word;
}

const char *hd_kind_title(unsigned kind, bool candidate)
{
	return candidate ? rule_of(kind)->maybe : rule_of(kind)->title;
}
