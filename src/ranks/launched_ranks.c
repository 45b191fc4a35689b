#include "launched_ranks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/err.h"
#include "launch/own_files.h"
#include "relay.h"

extern char **environ;

/* ---- who has started this --------------------------------------------------------------- */

enum flavour { OPEN_MPI, MPICH, FLAVOURS };

static const struct {
	const char *name, *library, *package;
} flavours[FLAVOURS] = {
	[OPEN_MPI] = { "Open MPI", "heddle-openmpi.so", "libopenmpi-dev" },
	[MPICH] = { "MPICH", "heddle-mpich.so", "libmpich-dev" },
};

/* What launchers set, with the number of ranks, and whose ranks these can be: the first is likely. */
static const struct launcher {
	const char *mark, *number, *name;
	bool only; /* and no other's */
	enum flavour flavour;
} launchers[] = {
	{ "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun", true, OPEN_MPI },
	{ "PMIX_RANK", "SLURM_STEP_NUM_TASKS", "a launcher that speaks PMIx", false, OPEN_MPI },
	{ "PMI_RANK", "PMI_SIZE", "a launcher that speaks PMI (MPICH's mpirun, srun)", false,
	  MPICH },
};

static const struct launcher *find_launcher(void)
{
	for (size_t i = 0; i < sizeof(launchers) / sizeof(launchers[0]); i++) {
		if (getenv(launchers[i].mark))
			return &launchers[i];
	}
	return NULL;
}

static int number_in(const char *variable)
{
	const char *text = getenv(variable);

	return text ? atoi(text) : 0;
}

bool hd_ranks_are_launched(enum hd_mpi mpi)
{
	if (mpi != HD_MPI_AUTO)
		return mpi != HD_MPI_NO;
	return find_launcher();
}

enum hd_err hd_ranks_look_around(enum hd_mpi mpi)
{
	int tasks = number_in("SLURM_STEP_NUM_TASKS");

	if (mpi != HD_MPI_AUTO || find_launcher() || tasks < 2)
		return HD_OK;
	return hd_error(
		HD_ERR_REQUEST,
		"srun has started %d of these without MPI, and each would do all of the work: "
		"`srun --mpi=pmix` (or pmi2) lets them work together, --mpi no lets each do all",
		tasks);
}

/* ---- joining ----------------------------------------------------------------------------- */

/* What MPI has opened is not the program's. */
void hd_ranks_keep_files(void)
{
	for (int fd = 3; fd < 1024; fd++) {
		int flags = fcntl(fd, F_GETFD);

		if (flags >= 0)
			fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
	}
}

static bool path_of(enum flavour f, char *path, size_t len)
{
	const char *folder = hd_path_libdir();

	snprintf(path, len, "%s/%s", folder ? folder : ".", flavours[f].library);
	return access(path, R_OK) == 0;
}

static enum hd_err is_absent(const struct launcher *l, enum flavour wanted, bool other)
{
	return hd_error(HD_ERR_REQUEST,
			"%s %s, but heddle was built %s (apt: %s, then build it again); "
			"--mpi no does without",
			l ? l->name : flavours[wanted].name,
			l ? "has started this" : "is what --mpi asks for",
			other ? "for another MPI only" : "without MPI", flavours[wanted].package);
}

/* The library for who has started this, or for what the user says. */
static enum hd_err choose(enum hd_mpi mpi, enum flavour *out, char *path, size_t len)
{
	const struct launcher *l = find_launcher();
	enum flavour likely = l ? l->flavour : OPEN_MPI, other;
	bool only = l && l->only;

	if (mpi == HD_MPI_OPENMPI || mpi == HD_MPI_MPICH) {
		likely = mpi == HD_MPI_MPICH ? MPICH : OPEN_MPI;
		only = true;
		l = NULL;
	}
	other = likely == OPEN_MPI ? MPICH : OPEN_MPI;
	*out = likely;
	if (path_of(likely, path, len))
		return HD_OK;
	*out = other;
	if (!path_of(other, path, len))
		return is_absent(l, likely, false);
	return only ? is_absent(l, likely, true) : HD_OK;
}

/* A library of another MPI than the launcher's believes to be alone: then each rank would do everything. */
static enum hd_err look_at_number(const struct hd_ranks *ranks, const struct launcher *l,
				  int number, enum flavour f)
{
	if (ranks->size > 1 || number < 2)
		return HD_OK;
	return hd_error(HD_ERR_REQUEST,
			"%s has started %d ranks, but for %s there is only this one: "
			"`--mpi %s` may be right",
			l->name, number, flavours[f].name, f == OPEN_MPI ? "mpich" : "openmpi");
}

enum hd_err hd_ranks_join(struct hd_ranks *ranks, enum hd_mpi mpi)
{
	char path[PATH_MAX + 32];
	enum flavour flavour;
	const struct launcher *l = find_launcher();
	int number = l ? number_in(l->number) : 0;
	enum hd_err err = choose(mpi, &flavour, path, sizeof(path));

	if (err)
		return err;
	err = hd_ranks_relayed(ranks, path);
	if (err)
		return err;
	hd_ranks_keep_files();
	err = look_at_number(ranks, l, number, flavour);
	if (err)
		ranks->end(ranks->arg);
	return err;
}

/* ---- the environment ------------------------------------------------------------------------ */

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

void hd_ranks_drop_launchers(void)
{
	size_t n = 0;

	for (size_t i = 0; environ[i]; i++) {
		if (!is_launchers(environ[i]))
			environ[n++] = environ[i];
	}
	environ[n] = NULL;
}
