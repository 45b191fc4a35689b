/*
 * What is to be looked for in a run, and where what is found goes.
 */
#ifndef HEDDLE_ENGINE_FINDINGS_CONFIG_H
#define HEDDLE_ENGINE_FINDINGS_CONFIG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <heddle/engine/run_config.h>

/* Is it one of several that MPI has started? AUTO: if a launcher says so. */
enum hd_mpi { HD_MPI_NO, HD_MPI_AUTO, HD_MPI_YES, HD_MPI_OPENMPI, HD_MPI_MPICH };

/* Texts are somebody else's; NULL: not said. */
struct hd_analysis_config {
	const char *only;      /* names of analyses, with commas between them; NULL: all */
	const char *atomic;    /* functions whose names match are to be atomic */
	bool atomic_functions; /* all functions are */
	bool atomic_steps;     /* steps of tasks are */
	const char *groups;    /* file with locations that belong together */
	enum hd_algorithm tasks;
};

/* The forms in which findings are written. */
enum hd_output {
#define HD_FORMAT(name, word, writer, option, report) HD_OUTPUT_##name,
#include <heddle/engine/formats.def>
#undef HD_FORMAT
	HD_OUTPUTS
};

enum hd_color { HD_COLOR_NEVER, HD_COLOR_AUTO, HD_COLOR_ALWAYS };

struct hd_output_config {
	FILE *text;		      /* for people; NULL: none */
	const char *file[HD_OUTPUTS]; /* "-": standard output */
	const char *suppressions, *baseline;
	/* Tell only of data that is named, where any is: by the program, or by this regular expression. */
	bool only_named;
	const char *check_only; /* NULL: none */
	bool all;		/* candidates, too */
	bool quiet;		/* nothing if nothing was found */
	bool gen_suppressions;
	bool harmful;	     /* races that did no harm when both orders were tried do not count */
	enum hd_color color; /* of the text; AUTO: on a terminal */
	char **document;     /* gets all of it as JSON, for the caller to free; NULL: no */
	bool signals;	     /* SIGINT and its like end the work in order, and are taken for that */
	double seconds;	     /* for everything; 0: no limit */
	uint64_t memory;     /* bytes; 0: half of what is free */
};

#endif
