import { assertOptions } from '../../core/error/index.ts';
import { Filesystem } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { PromptTemplate } from '../../core/prompt/index.ts';
import { binding } from '../../core/resource/index.ts';
import type { InferInput, InferOutput, Schema } from '../../core/schema/index.ts';
import {
  type CompletionChecker,
  innerLimitChecks,
  type ModelSettings,
  type NestedRunLimits,
  type Tool,
  type ToolContext,
  type ToolEffects,
  ToolResult,
  tool,
} from '../../core/tool/index.ts';

/** Options of {@link agentTool}. */
export interface AgentToolOptions<PS extends Schema, Params, Output> {
  /** 1 to 64 of `a-z`, `0-9`, `_`, `-`; unique within a prompt. */
  readonly name: string;
  /** 1 to 200 characters, for the model: when to ask the agent. */
  readonly description: string;
  /** What the model gives the agent: an object schema. Its output are the params of the template. */
  readonly inputSchema: PS & (InferOutput<PS> extends Params ? unknown : never);
  /** The prompt of the agent. Its output schema is that of the value of a call; without one the model reads its text. */
  readonly template: PromptTemplate<Params, Output>;
  /** The user's message. May throw: the call fails. Default: none beside the instructions. */
  readonly input?: (params: InferOutput<PS>) => string;
  /** What the calls of the agent may do at most; `'external'` runs alone. Default: `'external'`. */
  readonly effects?: ToolEffects;
  /** How far one call goes, within the limits of the run. Default: those of evaluations inside calls. */
  readonly limits?: NestedRunLimits;
  /** Decides whether the agent is done. Default: it is, when it asks for no call. */
  readonly completion?: CompletionChecker | readonly CompletionChecker[];
  /** Settings of the model, over those of the adapter. Default: none. */
  readonly settings?: ModelSettings;
}

/**
 * Another prompt as a tool: a call evaluates it on the same model, on the call's view of session and files, under the policies of the outer prompts.
 * What it does lands when the call succeeds, and is gone when it fails. At most 8 evaluations run inside one another.
 *
 * In a run with a journal, an interrupted call is entered again: answers of the model and calls inside that were decided are taken over, so that nothing is
 * done twice, and a policy inside may ask a person although the process ends.
 *
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { agentTool } from 'weakincentives/tools';
 * import { z } from 'zod';
 *
 * const params = z.object({ path: z.string() });
 * const reviewing = section({ title: 'Task', key: 'task', params, template: (p) => `Review ${p.path}.` });
 * const review = agentTool({
 *   name: 'review',
 *   description: 'Reviews a file.',
 *   inputSchema: params,
 *   effects: 'state',
 *   template: promptTemplate({ ns: 'docs', key: 'reviewer', sections: [reviewing] }),
 * });
 * const task = section({ title: 'Task', key: 'task', template: 'Have the change reviewed.', tools: [review] });
 * export const template = promptTemplate({ ns: 'docs', key: 'author', sections: [task] });
 * ```
 *
 * @throws {PromptValidationError} as `tool()`.
 * @see docs/spec/tools.md §8
 */
export function agentTool<PS extends Schema, Params, Output>(
  options: AgentToolOptions<PS, Params, Output>,
): Tool<InferOutput<PS>, Output, InferInput<PS>> {
  assertOptions('agentTool()', options, {
    name: 'string!',
    description: 'any',
    template: 'object!',
    inputSchema: 'object!',
    input: 'function',
    effects: 'any',
    limits: innerLimitChecks,
    completion: 'any',
    settings: 'object',
  });
  const {
    name,
    description,
    template,
    inputSchema,
    effects = 'external',
    limits,
    completion,
    settings,
  } = options;
  const execute = async (params: InferOutput<PS>, context: ToolContext): Promise<ToolResult<unknown>> => {
    // The type of the options says that the schema yields params of the template.
    const prompt = bound(template as PromptTemplate<unknown, Output>, params, context);
    const { output, text } = await context.adapter.evaluate(prompt, {
      ...present({
        input: options.input === undefined ? undefined : options.input(params),
        limits,
        completion,
        settings,
      }),
      signal: context.signal,
    });
    return output === undefined ? ToolResult.ok(undefined, text) : ToolResult.ok(output);
  };
  const made = tool({
    name,
    description,
    inputSchema,
    effects,
    reenters: true,
    execute,
  });
  // What the schema yields is what the handler takes, and its value is the answer of the template.
  return made as unknown as Tool<InferOutput<PS>, Output, InferInput<PS>>;
}

/** The prompt with its params, on the files of the call where there are some. */
function bound<Output>(
  template: PromptTemplate<unknown, Output>,
  params: unknown,
  context: ToolContext,
): ReturnType<PromptTemplate<unknown, Output>['bind']> {
  // Whether params may be left out is known where the type of the template is.
  const bind = template.bind as (
    params: unknown,
    options: object,
  ) => ReturnType<PromptTemplate<unknown, Output>['bind']>;
  if (!context.resources.has(Filesystem)) return bind(params, {});
  return bind(params, { resources: [binding(Filesystem, { instance: context.filesystem })] });
}
