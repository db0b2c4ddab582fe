import { PromptValidationError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { BoundTool, Prompt, RenderedPrompt } from '../../prompt/index.ts';
import {
  boundReadResult,
  type CallSettings,
  type EvaluationOrigin,
  KeptResults,
  readResultName,
} from '../../runtime/index.ts';

/**
 * Where an evaluation keeps long results, with the tool that reads them; nothing where it keeps none.
 *
 * @throws {PromptValidationError} when the prompt has a tool of that name.
 */
export function keptResultsFor<Output>(
  { results }: Pick<CallSettings, 'results'>,
  { evaluationId }: Pick<EvaluationOrigin, 'evaluationId'>,
  prompt: Prompt<Output>,
  rendered: RenderedPrompt<Output>,
): { readonly results: KeptResults | undefined; readonly own: readonly BoundTool[] } {
  if (results === undefined) return { results: undefined, own: none };
  if (prompt['~toolNames'].has(readResultName)) {
    throw new PromptValidationError(
      `The prompt "${prompt.name}" has a tool named "${readResultName}", the name of the tool that reads results which are kept (context.results). Rename it, or leave the option out.`,
      { details: { tool: readResultName } },
    );
  }
  const kept = new KeptResults(results, evaluationId);
  return { results: kept, own: [boundReadResult(rendered['~sections'].opener)] };
}
