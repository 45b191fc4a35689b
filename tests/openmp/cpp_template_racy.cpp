/*
 * A function template with a loop: as a reduction, and without.
 * race: 11 11
 */
template <typename T> static T sum(const T *a, int n)
{
	T s = 0;

#pragma omp parallel for
	for (int i = 0; i < n; i++)
		s += a[i];
	return s;
}

int main()
{
	double a[30];

	for (int i = 0; i < 30; i++)
		a[i] = i;
	return sum(a, 30) < 0;
}
