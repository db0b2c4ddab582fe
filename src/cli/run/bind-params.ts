import { describeError, PromptRenderError, PromptValidationError } from '../../core/error/index.ts';
import type { AnyAgent } from '../../core/evaluation/index.ts';
import type { DynamicParams, Prompt } from '../../core/prompt/index.ts';
import type { ResourceRegistry } from '../../core/resource/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** Params that the template has accepted. */
export interface BoundParams {
  readonly params: DynamicParams;
  /** What the template binds. */
  readonly resources: ResourceRegistry;
}

/**
 * The params of a run: the agent's, overridden by the given ones, validated against the template.
 * @throws {UsageError} that names the section with missing or invalid params, or the unknown param.
 */
export async function bindParams(
  agent: AnyAgent,
  given: JsonObject,
  workspaceName: string,
): Promise<BoundParams> {
  const name = printable(agent.name);
  const params = { ...ownParams(agent, workspaceName), ...given };
  let prompt: Prompt;
  try {
    prompt = agent.template.bind(params);
  } catch (error) {
    if (!PromptValidationError.isInstance(error)) throw error;
    throw new UsageError(joinedLines(`the params of ${name} are invalid: ${error.message}`), {
      cause: error,
    });
  }
  try {
    await prompt.render();
  } catch (error) {
    // Other errors of rendering may depend on what only a run has: a session, resources.
    if (PromptRenderError.isInstance(error) && error.details['sections'] !== undefined) {
      const problems = error.message.slice(error.message.indexOf('\n') + 1);
      throw new UsageError(joinedLines(`the params of ${name} are invalid: ${problems}`), { cause: error });
    }
  }
  return { params, resources: prompt.resources() };
}

function ownParams({ params = {}, name }: AnyAgent, workspaceName: string): DynamicParams {
  if (typeof params !== 'function') return params;
  try {
    return params({ workspaceName });
  } catch (error) {
    throw new UsageError(
      joinedLines(`the params of ${printable(name)} cannot be created: ${describeError(error)}`),
      {
        cause: error,
      },
    );
  }
}

/** Joins problems of one line each to one line. */
function joinedLines(text: string): string {
  return `${text.split('\n').map(printable).join('; ').replace(/\.$/, '')}.`;
}
