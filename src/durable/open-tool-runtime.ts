import {
  checkRuntimeOptions,
  openHeldToolRuntime,
  type ToolRuntime,
  type ToolRuntimeOptions,
} from '../core/evaluation/index.ts';
import type { Prompt } from '../core/prompt/index.ts';

/**
 * Makes the tools of a prompt ready for a loop of your own: holds the session, installs slices, starts resources, renders.
 * Without a session it makes one, which it disposes with itself.
 *
 * @throws {SessionBusyError} when an evaluation or another runtime holds the session, in any process where there is a `journal`.
 * @throws {PromptEvaluationError} of phase `render` when the prompt cannot be prepared.
 * @throws {PromptValidationError} for an option out of its range, a feedback provider that could never be due, an `adapter` that `providerAdapter()` did not make, `suspendApproval()` as
 *   `approve`, a run that the journal has already, and files that another run with a journal uses.
 * @throws {RunLostError} when the journal has failed.
 * @see docs/spec/evaluation.md §10
 */
export async function openToolRuntime<Output>(
  prompt: Prompt<Output>,
  options: ToolRuntimeOptions = {},
): Promise<ToolRuntime<Output>> {
  checkRuntimeOptions(options);
  const { journal } = options;
  if (journal === undefined) return openHeldToolRuntime(prompt, options);
  const { openRuntimeDurably } = await import('./internal.ts');
  return openRuntimeDurably(prompt, { ...options, journal }, openHeldToolRuntime);
}
