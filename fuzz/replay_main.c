/*
 * Run a fuzz target over the files of a folder, without a fuzzer:
 *   replay_TARGET FOLDER
 * Fails if there are none, or if any makes the target crash.
 */
#include "fuzz_common.h"

#include <dirent.h>

#include "common/whole_file.h"

int main(int argc, char **argv)
{
	struct dirent *e;
	unsigned n = 0;
	DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;

	if (!dir) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 2;
	}
	while ((e = readdir(dir)) != NULL) {
		struct hd_errbuf eb;
		char path[4096], *data;
		size_t len;

		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
		/* Told before, so that a crash names its file. */
		printf("%s\n", e->d_name);
		fflush(stdout);
		if (hd_read_whole(path, 0, &data, &len, &eb) != HD_OK) {
			fprintf(stderr, "%s\n", eb.text);
			return 2;
		}
		LLVMFuzzerTestOneInput((const uint8_t *)data, len);
		free(data);
		n++;
	}
	closedir(dir);
	printf("%u inputs\n", n);
	return n ? 0 : 1;
}
