/*
 * Structs are copied as a whole, to the neighbour or to another array.
 * race: 18 18
 */
struct body {
	double x[3], v[3];
	int id;
};

static struct body a[24], b[24];

int main(void)
{
	for (int i = 0; i < 24; i++)
		a[i].id = b[i].id = i;
#pragma omp parallel for
	for (int i = 0; i < 23; i++)
		a[i] = a[i + 1];
	return a[3].id + b[3].id < 0;
}
