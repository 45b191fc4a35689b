/* RAPID's STD. */
#include "fuzz_common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_check_inverse(hd_std_import, data, size);
	return 0;
}
