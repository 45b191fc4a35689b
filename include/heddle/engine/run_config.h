/*
 * What a run is told: run_config.def as a struct, for the command and for the runtime.
 *
 * This half needs nothing of libc, since the runtime has it too; run_config_text.h is the command's.
 */
#ifndef HEDDLE_ENGINE_RUN_CONFIG_H
#define HEDDLE_ENGINE_RUN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The words of run_config.def, in its order. */
enum hd_policy_word {
	HD_POLICY_RANDOM,
	HD_POLICY_PCT,
	HD_POLICY_RR,
	HD_POLICY_REPLAY,
	HD_POLICY_PLAN,
	HD_POLICY_SEGMENTS,
	HD_POLICY_EXPLORE,
};
enum hd_switch_at { HD_AT_SYNC, HD_AT_ATOMICS, HD_AT_ACCESSES };
enum hd_model { HD_MODEL_SC, HD_MODEL_C11, HD_MODEL_TSO };
/* Volatile accesses: plain ones, or atomic ones that order nothing, or that do. */
enum hd_volatile { HD_VOLATILE_RACE, HD_VOLATILE_RELAXED, HD_VOLATILE_ACQUIRE_RELEASE };
enum hd_children_word { HD_CHILDREN_FOLLOW, HD_CHILDREN_NATIVE };
enum hd_carriers { HD_CARRIERS_FIBERS, HD_CARRIERS_THREADS };
enum hd_algorithm {
	HD_ALGORITHM_UNSAID,
	HD_ALGORITHM_COMPLETE,
	HD_ALGORITHM_PAPER,
	HD_ALGORITHM_VELODROME,
	HD_ALGORITHM_NONE
};
/* Where executions of an explorer stay for others to begin from: never, if it takes long, always. */
enum hd_snapshots { HD_SNAP_NO, HD_SNAP_AUTO, HD_SNAP_ALL };

#define HD_RUN_TYPE_FLAG   bool
#define HD_RUN_TYPE_NUMBER uint64_t
#define HD_RUN_TYPE_WORD   unsigned
#define HD_RUN_TYPE_TEXT   const char *
#define HD_RUN_TYPE_FD	   int

/* Texts are somebody else's. */
struct hd_run_config {
#define HD_RUN(id, field, key, kind, dflt, words)  HD_RUN_TYPE_##kind field;
#define HD_TOLD(id, field, key, kind, dflt, words) HD_RUN_TYPE_##kind field;
#include <heddle/engine/run_config.def>
#undef HD_RUN
#undef HD_TOLD
};

enum hd_run_id {
#define HD_RUN(id, field, key, kind, dflt, words)  HD_RUN_##id,
#define HD_TOLD(id, field, key, kind, dflt, words) HD_RUN_##id,
#include <heddle/engine/run_config.def>
#undef HD_RUN
#undef HD_TOLD
	HD_RUN_COUNT
};

enum hd_run_kind_of { HD_RUN_FLAG, HD_RUN_NUMBER, HD_RUN_WORD, HD_RUN_TEXT, HD_RUN_FD };

struct hd_run_info {
	const char *key, *dflt, *words;
	enum hd_run_kind_of kind;
	bool recorded; /* a trace keeps it */
	size_t at;     /* in struct hd_run_config */
};

extern const struct hd_run_info hd_run_infos[HD_RUN_COUNT];

/* The defaults. */
void hd_run_config_init(struct hd_run_config *c);

/* The one with this key; HD_RUN_COUNT: there is none. */
enum hd_run_id hd_run_find(const char *key);

/* Set one; false: @value does not fit. A text is kept as a pointer. */
bool hd_run_config_set(struct hd_run_config *c, enum hd_run_id id, const char *value);

#define HD_RUN_VALUE 24
/* Its value as text, in @buf or elsewhere; NULL: a text that is not there. */
const char *hd_run_config_get(const struct hd_run_config *c, enum hd_run_id id,
			      char buf[HD_RUN_VALUE]);
bool hd_run_config_is_default(const struct hd_run_config *c, enum hd_run_id id);

#endif
