/*
 * A static member is shared, unless it is threadprivate.
 * race: 18 18
 */
struct counter {
	static int shared;
	static int own;
#pragma omp threadprivate(own)
};
int counter::shared = 0;
int counter::own = 0;

int main()
{
#pragma omp parallel num_threads(3)
	{
		counter::own++;
		counter::shared++;
	}
	return counter::own != 1;
}
