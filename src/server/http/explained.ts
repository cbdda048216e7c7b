import { plainProblem } from '#contract/fault.ts';

/**
 * Does work that may find a mistake in the request.
 *
 * @param mistakes - Classes of errors whose messages are sentences about it.
 * @throws {@link Fault} 422 with the sentence of such an error.
 */
export async function explained<T>(
  mistakes: readonly (abstract new (...of: never[]) => Error)[],
  work: () => Promise<T> | T,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !mistakes.some((kind) => error instanceof kind)) throw error;
    throw plainProblem(422, 'Unprocessable Content', error.message);
  }
}
