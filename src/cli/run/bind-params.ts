import { describeError, PromptRenderError, PromptValidationError } from '../../error/index.ts';
import type { AnyAgent } from '../../evaluation/index.ts';
import { Filesystem } from '../../filesystem/index.ts';
import type { DynamicParams, Prompt } from '../../prompt/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** Params that the template has accepted. */
export interface BoundParams {
  readonly params: DynamicParams;
  /** Whether the template works on files. */
  readonly usesFiles: boolean;
}

/**
 * The params of a run: the agent's, with the given ones over them, checked against the template.
 * @throws {UsageError} naming the section whose params are missing or wrong, or the param that no section knows.
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
    throw new UsageError(oneLine(`the params of ${name} do not fit: ${error.message}`), { cause: error });
  }
  try {
    await prompt.render();
  } catch (error) {
    // What else keeps a section from being rendered may need what only a run has: a session, resources.
    if (PromptRenderError.isInstance(error) && error.details['sections'] !== undefined) {
      const problems = error.message.slice(error.message.indexOf('\n') + 1);
      throw new UsageError(oneLine(`the params of ${name} do not fit: ${problems}`), { cause: error });
    }
  }
  return { params, usesFiles: prompt.resources().has(Filesystem) };
}

function ownParams({ params = {}, name }: AnyAgent, workspaceName: string): DynamicParams {
  if (typeof params !== 'function') return params;
  try {
    return params({ workspaceName });
  } catch (error) {
    throw new UsageError(
      oneLine(`the params of ${printable(name)} cannot be made: ${describeError(error)}`),
      {
        cause: error,
      },
    );
  }
}

/** Several problems stand in one line each; here they are told in one. */
function oneLine(text: string): string {
  return `${text.split('\n').map(printable).join('; ').replace(/\.$/, '')}.`;
}
