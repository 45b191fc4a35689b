/*
 * heddle COMMAND ...: find the command, run it.
 */
#include "cli.h"

#include <stdio.h>
#include <string.h>

struct command {
	const char *word;
	int (*run)(int argc, char **argv);
	const char *summary;
};

static const struct command commands[] = {
#define HD_COMMAND(word, function, summary) { word, function, summary },
#include "commands.def"
#undef HD_COMMAND
	{ NULL, NULL, NULL },
};

static void usage(FILE *out)
{
	fputs("usage: heddle COMMAND [options] ...\n\ncommands:\n", out);
	for (const struct command *c = commands; c->word; c++)
		fprintf(out, "  %-8s %s\n", c->word, c->summary);
	fputs("\n`heddle COMMAND --help` says more. Exit status: 0 nothing found, 1 findings,\n"
	      "2 the command or its input was wrong, 3 heddle itself failed.\n",
	      out);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return HD_EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		usage(stdout);
		return HD_EXIT_CLEAN;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "version")) {
		puts("heddle " HD_VERSION);
		return HD_EXIT_CLEAN;
	}
	for (const struct command *c = commands; c->word; c++) {
		if (!strcmp(argv[1], c->word))
			return c->run(argc - 1, argv + 1);
	}
	return hd_die(HD_EXIT_USAGE, "there is no command '%s'; `heddle help` lists them", argv[1]);
}
