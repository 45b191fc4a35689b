/*
 * A class with a reduction of its own, and a member that has none.
 * clean
 */
struct point {
	int x = 0, y = 0;
};
static void add(point &to, const point &from)
{
	to.x += from.x;
	to.y += from.y;
}
#pragma omp declare reduction(add : point : add(omp_out, omp_in)) initializer(omp_priv = point())

int main()
{
	point sum;

#pragma omp parallel for reduction(add : sum)
	for (int i = 0; i < 30; i++) {
		point p;

		p.x = i;
		p.y = 1;
		add(sum, p);
	}
	return sum.x != 435 || sum.y != 30;
}
