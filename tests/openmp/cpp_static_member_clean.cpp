/*
 * A static member is shared, unless it is threadprivate.
 * clean
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
#pragma omp atomic
		counter::shared++;
	}
	return counter::own != 1 || counter::shared != 3;
}
