/*
 * What a closure refers to is the loop's own, or shared.
 * clean
 */
int main()
{
	int total = 0;

#pragma omp parallel for reduction(+ : total)
	for (int i = 0; i < 30; i++) {
		int mine = 0;
		auto add = [&](int n) { mine += n; };

		add(i);
		total += mine;
	}
	return total != 435;
}
