/*
 * The options of the commands that run a program or analyse a run; the list is options.def.
 */
#ifndef HD_CLI_OPTIONS_H
#define HD_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdio.h>

#include "cli.h"
#include "heddle/engine/campaign_config.h"
#include "heddle/engine/run_config.h"

enum hd_option_id {
#define HD_OPTION(id, name, letter, kind, arg, dflt, commands, help)	HD_OPT_##id,
#define HD_RUN_OPTION(id, run, name, letter, kind, arg, commands, help) HD_OPT_##id,
#include "options.def"
#undef HD_OPTION
#undef HD_RUN_OPTION
	HD_OPT_COUNT
};

/* Which commands an option is for. */
enum hd_option_for {
	HD_FOR_NONE = 0, /* shapes a run, but is not for people */
	HD_FOR_RUN = 1,
	HD_FOR_REPLAY = 2,
	HD_FOR_COLLECT = 4,
	HD_FOR_ANALYZE = 8,
	HD_FOR_PREDICT = 16,
	HD_FOR_CHECK = 32,
	HD_FOR_EXPLORE = 64,
	HD_FOR_CORRELATE = 1024,
	HD_FOR_SHAPING = HD_FOR_RUN | HD_FOR_CHECK | HD_FOR_EXPLORE, /* they run the program */
	HD_FOR_REPORTING = HD_FOR_RUN | HD_FOR_REPLAY | HD_FOR_ANALYZE | HD_FOR_PREDICT |
			   HD_FOR_CHECK | HD_FOR_CORRELATE | HD_FOR_EXPLORE,
};

struct hd_cli_options {
	const char *value[HD_OPT_COUNT]; /* checked and in one spelling; NULL: not given */
	char *owned[HD_OPT_COUNT];
	enum hd_option_for command;
};

#define HD_GO_ON (-1)

/* Start with the defaults, then what HEDDLE_OPTIONS says; HD_GO_ON or an exit status. */
int hd_cli_options_init(struct hd_cli_options *o, enum hd_option_for command);
void hd_cli_options_free(struct hd_cli_options *o);

/*
 * Read options from argv[*next] on, up to the first other word or past "--"
 * (*@dashes is set then). HD_GO_ON or an exit status, after a message.
 */
int hd_cli_options_parse(struct hd_cli_options *o, int argc, char **argv, int *next, bool *dashes);

/* The same for a command with one trace among its options: *@path, NULL without. */
int hd_cli_options_parse_trace(struct hd_cli_options *o, int argc, char **argv, const char **path);

/* Set one option by its key ("exact", not "record-exact"); unknown keys are passed over. */
int hd_cli_options_set_key(struct hd_cli_options *o, const char *key, const char *value,
			   const char *where);

/* --ranks and --mpi. */
unsigned hd_cli_options_ranks(const struct hd_cli_options *o);
enum hd_mpi hd_cli_options_mpi(const struct hd_cli_options *o);

/* What the run is told: the defaults and what was said. Texts live as long as @o. */
void hd_cli_options_run(const struct hd_cli_options *o, struct hd_run_config *run);
/* What is written where, of what is found. The same. */
void hd_cli_options_outputs(const struct hd_cli_options *o, struct hd_output_config *out);
/* What is analysed. */
void hd_cli_options_analysis(const struct hd_cli_options *o, struct hd_analysis_config *out);
/* What check and explore have in common. HD_GO_ON, or an exit status after a message. */
int hd_cli_options_campaign(const struct hd_cli_options *o, struct hd_campaign_config *out);
/* Is a trace that was given small enough to be read (--max-unpacked)? The same. */
int hd_cli_options_check_trace(const struct hd_cli_options *o, const char *path);
uint64_t hd_cli_options_number(const struct hd_cli_options *o, enum hd_option_id id);

/* A decimal number; @bytes: it may end in K, M or G. */
bool hd_parse_number(const char *s, bool bytes, uint64_t *out);

/* The table that --help prints. */
void hd_cli_options_help(enum hd_option_for command, FILE *out);

/* One option as a shell needs to know it. */
struct hd_option_shape {
	const char *name, *help;
	char letter;	   /* 0: none */
	const char *arg;   /* what the value is, for people; NULL: it takes none */
	const char *words; /* the values that it may have, with '|' between them; NULL: any */
	bool file;	   /* any text, which may be the name of a file */
};

/* The option of @command at or after *@next, which moves on; false: that was all. */
bool hd_cli_options_next(enum hd_option_for command, int *next, struct hd_option_shape *out);

/* The one of @words (NULL at the end) that @word was probably meant to be, or NULL. */
const char *hd_did_you_mean(const char *word, const char *const *words);

/* Go on after the first finding? It may be one that is known or suppressed. */
bool hd_cli_options_keep_going(const struct hd_cli_options *o);

#endif
