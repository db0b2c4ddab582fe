import { PromptEvaluationError } from 'weakincentives';

/** The error that an evaluation ended with; it must end with one. */
export async function evaluationFailure(work: Promise<unknown>): Promise<PromptEvaluationError> {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (PromptEvaluationError.isInstance(error)) return error;
  throw new Error(`Expected a PromptEvaluationError, got ${String(error)}.`);
}
