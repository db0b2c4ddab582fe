import { describeError, PromptRenderError, PromptValidationError } from '../core/error/index.ts';
import type { AnyAgent } from '../core/evaluation/index.ts';
import type { DynamicParams, Prompt } from '../core/prompt/index.ts';

/** Params that the template has accepted, and the prompt with them. */
export interface BoundParams {
  readonly params: DynamicParams;
  /** Without the resources of a run. */
  readonly prompt: Prompt;
}

/**
 * The params of a run: the agent's, overridden by the given ones, validated against the template.
 *
 * @param workspaceName empty for a run without files.
 * @throws {PromptValidationError} with `details.option` `params`, which names the section with missing or invalid params, or the unknown param.
 */
export async function bindParams(
  agent: AnyAgent,
  given: DynamicParams,
  workspaceName: string,
): Promise<BoundParams> {
  const params = { ...ownParams(agent, workspaceName), ...given };
  let prompt: Prompt;
  try {
    prompt = agent.template.bind(params);
  } catch (error) {
    if (!PromptValidationError.isInstance(error)) throw error;
    throw invalid(agent, `are invalid: ${error.message}`, error);
  }
  try {
    await prompt.render();
  } catch (error) {
    // Other errors of rendering may depend on what only a run has: a session, resources.
    if (PromptRenderError.isInstance(error) && error.details['sections'] !== undefined) {
      throw invalid(agent, `are invalid: ${error.message.slice(error.message.indexOf('\n') + 1)}`, error);
    }
  }
  return { params, prompt };
}

function ownParams(agent: AnyAgent, workspaceName: string): DynamicParams {
  const { params = {} } = agent;
  if (typeof params !== 'function') return params;
  try {
    return params({ workspaceName });
  } catch (error) {
    throw invalid(agent, `cannot be created: ${describeError(error)}`, error);
  }
}

/** With problems of one line each in one line. */
function invalid({ name }: AnyAgent, problems: string, cause: unknown): PromptValidationError {
  const text = problems.split('\n').join('; ').replace(/\.$/, '');
  return new PromptValidationError(`The params of ${name} ${text}.`, {
    cause,
    details: { option: 'params' },
  });
}
