/*
 * heddle COMMAND ...: find the command, run it.
 */
#include "common/path.h"
#include "cli.h"
#include "cli_options.h"
#include "launch/undo_guard.h"

#include <errno.h>
#include <fcntl.h>
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
	for (const struct command *c = commands; c->word; c++) {
		if (c->summary) /* without one: started by the runtime, not by people */
			fprintf(out, "  %-10s %s\n", c->word, c->summary);
	}
	fputs("\n`heddle COMMAND --help` says more. Exit status: 0 nothing found, 1 findings,\n"
	      "2 the command or its input was wrong, 3 heddle itself failed, 4 nothing found, but not\n"
	      "everything was tried.\n",
	      out);
}

static const struct command *find_command(const char *word)
{
	for (const struct command *c = commands; c->word; c++)
		if (!strcmp(word, c->word))
			return c;
	return NULL;
}

/* heddle-cc is `heddle cc` in one word, for tools that want a compiler to be one file. */
static const struct command *command_in_name(const char *program)
{
	const char *base = hd_base_name(program);

	return strncmp(base, "heddle-", 7) ? NULL : find_command(base + 7);
}

static int unknown(const char *word)
{
	const char *words[sizeof(commands) / sizeof(commands[0])];
	const char *meant;
	size_t n = 0;

	for (const struct command *c = commands; c->word; c++) {
		if (c->summary)
			words[n++] = c->word;
	}
	words[n] = NULL;
	meant = hd_did_you_mean(word, words);
	if (meant)
		return hd_usage("there is no command '%s'; did you mean '%s'?", word, meant);
	return hd_usage("there is no command '%s'; `heddle help` lists them", word);
}

/*
 * A standard descriptor that is closed would become the next file that is opened, and reports would be
 * mixed into it. What stands in for it cannot be used the way that is meant, so using it is an error as before.
 */
static void fill_standard_descriptors(void)
{
	static const int other_way[] = { O_WRONLY, O_RDONLY, O_RDONLY };

	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", other_way[fd]); /* the lowest that is free: this one */
	}
}

static int run(int argc, char **argv)
{
	const struct command *command = argc > 0 ? command_in_name(argv[0]) : NULL;

	if (command)
		return command->run(argc, argv);
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
	command = find_command(argv[1]);
	if (command)
		return command->run(argc - 1, argv + 1);
	return unknown(argv[1]);
}

int main(int argc, char **argv)
{
	int rc;

	fill_standard_descriptors();
	hd_journal_guard_says(
		"heddle: it was killed; what the run in progress had changed in files was put back\n");
	rc = run(argc, argv);
	errno = 0;
	if ((fflush(stdout) == 0 && !ferror(stdout)) || rc == HD_EXIT_FAILED)
		return rc;
	return hd_failed("the output could not be written%s%s", errno ? ": " : "",
			 errno ? strerror(errno) : "");
}
