/*
 * What a closure refers to is the loop's own, or shared.
 * race: 8 8
 */
int main()
{
	int total = 0;
	auto add = [&](int n) { total += n; };

#pragma omp parallel for
	for (int i = 0; i < 30; i++)
		add(i);
	return total < 0;
}
