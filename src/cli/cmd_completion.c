/*
 * heddle completion: scripts that make shells complete heddle's commands and options. They are
 * written from the same lists as --help, so that they cannot fall behind.
 */
#include <stdio.h>
#include <string.h>

#include "cli.h"
#include "cli_options.h"
#include "report/formats.h"

struct word {
	const char *command, *summary;
};

/* The options of a command by its name; 0: it has none that we list. */
static enum hd_option_for options_of(const char *command)
{
	static const struct {
		const char *command;
		enum hd_option_for options;
	} known[] = {
		{ "run", HD_FOR_RUN },
		{ "replay", HD_FOR_REPLAY },
		{ "analyze", HD_FOR_ANALYZE },
		{ "predict", HD_FOR_PREDICT },
		{ "check", HD_FOR_CHECK },
		{ "explore", HD_FOR_EXPLORE },
		{ "correlate", HD_FOR_CORRELATE },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (!strcmp(known[i].command, command))
			return known[i].options;
	}
	return HD_FOR_NONE;
}

static const struct word commands[] = {
#define HD_COMMAND(word, function, summary) { word, summary },
#include "commands.def"
#undef HD_COMMAND
	{ NULL, NULL },
};

/* "a|b" as "a b" */
static void put_words(const char *list)
{
	for (; *list; list++)
		putchar(*list == '|' ? ' ' : *list);
}

/* Those of heddle report, each with a blank after it. */
static void put_formats(void)
{
	for (int i = 0; i < HD_OUTPUTS; i++) {
		if (hd_formats[i].report_help)
			printf("--%s ", hd_formats[i].word);
	}
}

/* ---- bash ---------------------------------------------------------------------------- */

static void bash_values(const struct word *w)
{
	struct hd_option_shape o;

	for (int next = 0; hd_cli_options_next(options_of(w->command), &next, &o);) {
		if (!o.arg)
			continue;
		printf("\t'%s --%s') ", w->command, o.name);
		if (o.words) {
			fputs("_heddle_words '", stdout);
			put_words(o.words);
			puts("'; return ;;");
		} else {
			puts(o.file ? "_heddle_files; return ;;" : "return ;;");
		}
	}
}

static void bash_options(const struct word *w)
{
	struct hd_option_shape o;

	printf("\t%s) _heddle_words '", w->command);
	for (int next = 0; hd_cli_options_next(options_of(w->command), &next, &o);)
		printf("--%s ", o.name);
	puts("' ;;");
}

static void write_bash(void)
{
	fputs("# Completion of heddle's commands and options for bash: source <(heddle completion bash)\n\n"
	      "_heddle_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$cur\"); }\n"
	      "_heddle_files() {\n"
	      "\tcompopt -o filenames 2>/dev/null\n"
	      "\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	      "}\n\n"
	      "_heddle() {\n"
	      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
	      "\tlocal command=${COMP_WORDS[1]} i\n"
	      "\tif ((COMP_CWORD == 1)); then\n"
	      "\t\t_heddle_words '",
	      stdout);
	for (const struct word *w = commands; w->command; w++) {
		if (w->summary)
			printf("%s ", w->command);
	}
	fputs("help version'\n\t\treturn\n\tfi\n"
	      "\t# What comes after -- is the program and its own arguments.\n"
	      "\tfor ((i = 2; i < COMP_CWORD; i++)); do\n"
	      "\t\tif [[ ${COMP_WORDS[i]} == -- ]]; then _heddle_files; return; fi\n"
	      "\tdone\n"
	      "\tcase \"$command $prev\" in\n",
	      stdout);
	for (const struct word *w = commands; w->command; w++)
		bash_values(w);
	fputs("\tesac\n"
	      "\tif [[ $cur != -* ]]; then\n"
	      "\t\tcase $command in\n"
	      "\t\tcompletion) _heddle_words 'bash zsh' ;;\n"
	      "\t\ttrace) ((COMP_CWORD == 2)) && _heddle_words 'info dump export import compact' || _heddle_files ;;\n"
	      "\t\t*) _heddle_files ;;\n"
	      "\t\tesac\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tcase $command in\n"
	      "\treport) _heddle_words '--text ",
	      stdout);
	put_formats();
	puts("--output' ;;");
	for (const struct word *w = commands; w->command; w++) {
		if (options_of(w->command))
			bash_options(w);
	}
	fputs("\tesac\n}\ncomplete -F _heddle heddle\n", stdout);
}

/* ---- zsh ----------------------------------------------------------------------------- */

/* Inside '...[here]:...': what zsh would take for the end of it is escaped. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:\\", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const struct hd_option_shape *o)
{
	printf(" \\\n\t\t\t'--%s[", o->name);
	zsh_text(o->help);
	putchar(']');
	if (o->arg) {
		putchar(':');
		zsh_text(o->words ? "value" : o->arg);
		putchar(':');
		if (o->words) {
			putchar('(');
			put_words(o->words);
			putchar(')');
		} else if (o->file) {
			fputs("_files", stdout);
		}
	}
	putchar('\'');
}

static void zsh_command(const struct word *w)
{
	struct hd_option_shape o;

	printf("\t%s)\n\t\t_arguments -S", w->command);
	for (int next = 0; hd_cli_options_next(options_of(w->command), &next, &o);)
		zsh_option(&o);
	puts(" \\\n\t\t\t'*:file:_files'\n\t\t;;");
}

static void write_zsh(void)
{
	fputs("#compdef heddle\n"
	      "# Completion of heddle's commands and options for zsh: a file _heddle in $fpath.\n\n"
	      "_heddle() {\n"
	      "\tlocal -a commands\n"
	      "\tcommands=(\n",
	      stdout);
	for (const struct word *w = commands; w->command; w++) {
		if (!w->summary)
			continue;
		printf("\t\t'%s:", w->command);
		zsh_text(w->summary);
		puts("'");
	}
	fputs("\t)\n"
	      "\tif ((CURRENT == 2)); then\n"
	      "\t\t_describe 'command' commands\n"
	      "\t\treturn\n"
	      "\tfi\n"
	      "\tshift words\n"
	      "\t((CURRENT--))\n"
	      "\tcase $words[1] in\n"
	      "\tcompletion) _values 'shell' bash zsh ;;\n"
	      "\treport) _arguments --text ",
	      stdout);
	put_formats();
	fputs("'--output:file:_files' '*:file:_files' ;;\n"
	      "\ttrace) ((CURRENT == 2)) && _values 'what to do' info dump export import compact || _files ;;\n",
	      stdout);
	for (const struct word *w = commands; w->command; w++) {
		if (options_of(w->command))
			zsh_command(w);
	}
	fputs("\t*) _files ;;\n\tesac\n}\n\n"
	      "[[ $funcstack[1] == _heddle ]] && _heddle \"$@\" || compdef _heddle heddle\n",
	      stdout);
}

static int help(void)
{
	fputs("usage: heddle completion bash|zsh\n\n"
	      "Writes a script to standard output that lets the shell complete heddle's commands,\n"
	      "options and their values. `make install` puts both where the shells look for them.\n\n"
	      "example:\n"
	      "  source <(heddle completion bash)\n\n"
	      "Exit status: 0, or 2 if the command was wrong.\n",
	      stdout);
	return HD_EXIT_CLEAN;
}

int hd_cmd_completion(int argc, char **argv)
{
	const char *shell = argc == 2 ? argv[1] : "";

	if (!strcmp(shell, "--help") || !strcmp(shell, "-h"))
		return help();
	if (!strcmp(shell, "bash"))
		write_bash();
	else if (!strcmp(shell, "zsh"))
		write_zsh();
	else
		return hd_usage("for which shell? `heddle completion bash` or "
				"`heddle completion zsh`");
	return HD_EXIT_CLEAN;
}
