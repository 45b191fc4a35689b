#include "instance.h"

#include <stdlib.h>

void hd_instance_free(struct hd_instance *in)
{
	free(in->steps);
	free(in->init);
	free(in->permits);
	*in = (struct hd_instance){ 0 };
}
