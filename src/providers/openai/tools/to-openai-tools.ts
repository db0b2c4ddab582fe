import { assertArgument, assertMembers, assertOptions } from '../../../core/error/index.ts';
import type { ToolRuntime, ToolRuntimeCallOptions } from '../../../core/evaluation/index.ts';
import { type Logger, silentLogger } from '../../../core/tool/index.ts';
import { ToolSchemas } from '../../kit/index.ts';
import { toToolOutput } from '../request/input-items.ts';
import { toFunctionTool } from '../request/request.ts';
import { openaiDialect } from '../wire/openai-dialect.ts';
import type { InputItem, OpenAIFunctionTool } from '../wire/wire.ts';

/** The result of a call, for the input of the next request. */
export interface OpenAICallOutput extends Extract<InputItem, { type: 'function_call_output' }> {}

/** One item of the output of a response. */
export interface OpenAIOutputItem {
  readonly type: string;
}

/**
 * The tools of a runtime for the `tools` of a request to OpenAI's Responses API, in its strict subset of JSON Schema where they can
 * be. Call it for each request: opened sections add tools.
 *
 * @param options `logger` reports, once for each tool, the constraints of its schema that the provider does not enforce. Default: silent.
 */
export function toOpenAITools(
  runtime: Pick<ToolRuntime, 'tools'>,
  options: { readonly logger?: Logger } = {},
): OpenAIFunctionTool[] {
  assertMembers('toOpenAITools(): runtime', runtime, { tools: 'array!' });
  assertOptions('toOpenAITools()', options, { logger: 'object' });
  const { logger = silentLogger } = options;
  const { tools } = projectionsOf(runtime).project({ tools: runtime.tools }, logger);
  return tools.map(toFunctionTool);
}

/**
 * Runs the function calls of a response as one turn. A truncated call is not run but gets a result, since the
 * provider requires one for each call.
 *
 * @param output of the response; items that are not function calls are ignored.
 * @returns the results in the order of the calls: append them to the input, after `output`. Empty without calls.
 * @throws what `runtime.runCalls` throws.
 */
export async function runOpenAICalls(
  runtime: Pick<ToolRuntime, 'tools' | 'runCalls'>,
  output: readonly OpenAIOutputItem[],
  options: ToolRuntimeCallOptions = {},
): Promise<OpenAICallOutput[]> {
  assertMembers('runOpenAICalls(): runtime', runtime, { tools: 'array!', runCalls: 'function!' });
  assertArgument('runOpenAICalls()', 'output', output, 'array');
  const { tools } = projectionsOf(runtime).project({ tools: runtime.tools }, silentLogger);
  const schemas = new Map(tools.map(({ tool, schema }) => [tool.name, schema]));
  const answers = await runtime.runCalls(
    output.filter(isFunctionCall).map(({ call_id: callId, name, arguments: text, status }) => ({
      callId,
      name,
      arguments: schemas.get(name)?.unwrap(text) ?? text,
      isComplete: status !== 'incomplete',
    })),
    options,
  );
  return answers.map((answer) => ({
    type: 'function_call_output',
    call_id: answer.callId,
    output: toToolOutput(answer),
  }));
}

interface FunctionCall extends OpenAIOutputItem {
  readonly call_id: string;
  readonly name: string;
  readonly arguments: string;
  readonly status?: unknown;
}

/** Fields are not validated further: the runtime rejects calls without string ids and arguments. */
function isFunctionCall(item: OpenAIOutputItem): item is FunctionCall {
  return item.type === 'function_call';
}

/**
 * Both functions are called for each request of a foreign loop, so the schemas are cached by runtime in a WeakMap: each tool
 * is projected once, and unenforced constraints are logged once.
 */
const projectionsByRuntime = new WeakMap<object, ToolSchemas>();

/** The schemas of a runtime's tools in OpenAI's format. */
function projectionsOf(runtime: object): ToolSchemas {
  const projections = projectionsByRuntime.get(runtime) ?? new ToolSchemas(openaiDialect);
  projectionsByRuntime.set(runtime, projections);
  return projections;
}
