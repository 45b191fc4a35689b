#include "launched_ranks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/hash.h"
#include "common/interrupts.h"
#include "launch/own_files.h"
#include "launch/program_file.h"

#define LIBRARY "heddle-mpi.so"
#define WAIT	100 /* milliseconds between looks at whether to go on */
#define MOST	(1u << 30)

extern char **environ;

bool hd_ranks_are_launched(const struct hd_explore_config *o)
{
	static const char *const marks[] = { "OMPI_COMM_WORLD_SIZE", "PMI_RANK", "PMIX_RANK" };

	if (o->mpi != HD_MPI_AUTO)
		return o->mpi == HD_MPI_YES;
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		if (getenv(marks[i]))
			return true;
	}
	return false;
}

/* What MPI has opened is not the program's. */
static void keep_files_from_programs(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0)
			fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
	}
}

enum hd_err hd_ranks_join(struct hd_ranks *ranks)
{
	const char *folder = hd_path_libdir();
	bool (*join)(struct hd_ranks * ranks);
	char path[PATH_MAX + sizeof(LIBRARY)];
	void *library;

	snprintf(path, sizeof(path), "%s/" LIBRARY, folder ? folder : ".");
	if (access(path, R_OK) != 0)
		return hd_error(
			HD_ERR_REQUEST,
			"an MPI launcher has started this, but heddle was built without "
			"MPI (apt: libopenmpi-dev, then build it again); --mpi no does without");
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	join = library ? (bool (*)(struct hd_ranks *))dlsym(library, "hd_mpi_ranks") : NULL;
	if (!join)
		return hd_error(HD_ERR_REQUEST, "MPI cannot be loaded: %s", dlerror());
	if (!join(ranks))
		return hd_error(HD_ERR_SYSTEM, "MPI cannot be started");
	keep_files_from_programs();
	return HD_OK;
}

/* ---- what the program finds around it ---------------------------------------------------- */

/* Is it the launcher's own, and another one in each rank? */
static bool is_launchers(const char *variable)
{
	static const char *const begins[] = { "OMPI_",	"PMIX_", "PMI_", "PRTE_",
					      "HYDRA_", "HYDI_", "MPI_", "MPIR_",
					      "SLURM_", "OPAL_", "ORTE_" };

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		if (!strncmp(variable, begins[i], strlen(begins[i])))
			return true;
	}
	return false;
}

static void drop_launchers(void)
{
	size_t n = 0;

	for (size_t i = 0; environ[i]; i++) {
		if (!is_launchers(environ[i]))
			environ[n++] = environ[i];
	}
	environ[n] = NULL;
}

/* What all must have alike: the program, what it is given, and the options. */
static uint64_t identity_of(const struct hd_campaign *c)
{
	const uint64_t v[] = { hd_campaign_program(c), c->config->options };

	return hd_fnv_bytes(HD_FNV_START, v, sizeof(v));
}

static bool put_input(FILE *out, int fd)
{
	char buf[1 << 14];
	off_t at = 0;
	ssize_t n;

	while (fd >= 0 && (n = pread(fd, buf, sizeof(buf), at)) > 0) {
		if (fwrite(buf, 1, (size_t)n, out) != (size_t)n)
			return false;
		at += n;
	}
	return true;
}

enum hd_err hd_ranks_greet(struct hd_ranks *ranks, const struct hd_campaign *c)
{
	uint64_t head[2] = { identity_of(c), 0 };
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	bool ok;

	drop_launchers();
	while (environ[head[1]])
		head[1]++;
	ok = out && fwrite(head, sizeof(head), 1, out) == 1;
	for (size_t i = 0; ok && environ[i]; i++)
		ok = fwrite(environ[i], strlen(environ[i]) + 1, 1, out) == 1;
	ok = ok && put_input(out, c->program.input);
	if (out && fclose(out) != 0)
		ok = false;
	for (unsigned i = 1; ok && i < ranks->size; i++)
		ranks->send(ranks->arg, i, text, len);
	free(text);
	keep_files_from_programs(); /* now that there are connections */
	return ok ? HD_OK : hd_error(HD_ERR_NOMEM, "out of memory");
}

/* @n variables from @text on; where they end, NULL: they do not. */
static const char *take_environment(const char *text, const char *end, uint64_t n)
{
	clearenv();
	for (; n; n--) {
		const char *zero = memchr(text, 0, (size_t)(end - text));
		char *own = zero ? strdup(text) : NULL;

		if (!own || putenv(own) != 0)
			return NULL;
		text = zero + 1;
	}
	return text;
}

static bool take_greeting(struct hd_campaign *c, const char *text, size_t len)
{
	const char *end = text + len, *input;
	uint64_t head[2];

	if (len < sizeof(head))
		return false;
	memcpy(head, text, sizeof(head));
	input = take_environment(text + sizeof(head), end, head[1]);
	c->program.input = memfd_create("heddle-input", MFD_CLOEXEC);
	return input && c->program.input >= 0 &&
	       write(c->program.input, input, (size_t)(end - input)) == end - input &&
	       identity_of(c) == head[0];
}

/* ---- helping ------------------------------------------------------------------------------- */

/* The first message; NULL: there will be none. */
static char *await(struct hd_ranks *ranks, size_t *len)
{
	enum hd_arrival came = HD_NOTHING_CAME;
	char *text = NULL;
	unsigned from;

	while (came == HD_NOTHING_CAME && !hd_interrupted())
		came = ranks->receive(ranks->arg, &from, &text, len, WAIT);
	return text;
}

void hd_ranks_help(struct hd_ranks *ranks, const struct hd_explore_config *config, char **argv)
{
	struct hd_explore_config own = *config;
	struct hd_campaign c = { .config = &own.campaign, .program = { .argv = argv } };
	struct hd_errbuf eb = { 0 };
	size_t len = 0;
	char *text;

	own.campaign.outputs = (struct hd_output_config){ 0 }; /* rank 0 reports */
	if (!own.campaign.jobs)
		own.campaign.jobs = 1; /* there is a rank for each processor */
	while (argv[c.program.argc])
		c.program.argc++;
	hd_interrupts_take();
	text = await(ranks, &len);
	if (text && hd_find_built_program(argv[0]) == HD_OK && take_greeting(&c, text, len)) {
		keep_files_from_programs();
		hd_exploration_work(&own, &c.program, ranks);
	} else if (text) {
		hd_fail(&eb, HD_ERR_REQUEST,
			"rank %u has another program than rank 0, other options, or none",
			ranks->rank);
		hd_ranks_say_error(ranks, &eb);
	}
	free(text);
	if (c.program.input > 0)
		close(c.program.input);
}
