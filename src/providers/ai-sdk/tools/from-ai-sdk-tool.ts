import { assertArgument, assertOptions } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { type JsonValue, renderJson } from '../../../core/schema/index.ts';
import { type Tool, type ToolContext, type ToolEffects, ToolResult, tool } from '../../../core/tool/index.ts';
import { fromAiSdkSchema, refused } from './from-ai-sdk-schema.ts';
import { readModelOutput } from './read-model-output.ts';

/** The second argument of the `execute` of an AI SDK tool. */
export interface AiSdkExecuteOptions {
  readonly toolCallId: string;
  /** Always empty: only loops of the AI SDK have messages. */
  readonly messages: never[];
  /** Aborted when the call times out or is cancelled. */
  readonly abortSignal: AbortSignal;
  /** The result of the option `contextFor`; the tool declares its type. */
  readonly context: never;
}

/** The parts of an AI SDK tool that are used. Tools from `tool()` and `dynamicTool()` of `ai` fit, and so do those of its MCP client. */
export interface AiSdkTool<Input, Output> {
  /** For the model. If it is a function, pass the option `description` instead. */
  readonly description?: string | ((options: never) => string) | undefined;
  /** A Standard Schema with JSON Schema, or a schema of the AI SDK. */
  readonly inputSchema: unknown;
  readonly outputSchema?: unknown;
  readonly needsApproval?: unknown;
  /** Does the work. May throw: the call fails. The last value of an async iterable is the result. */
  execute?(input: Input, options: AiSdkExecuteOptions): AsyncIterable<Output> | PromiseLike<Output> | Output;
  /** What the model reads. May throw: the call fails. */
  toModelOutput?(options: {
    readonly toolCallId: string;
    readonly input: Input;
    readonly output: Output;
  }): unknown;
}

/** Options that an AI SDK tool does not have itself. */
export interface FromAiSdkToolOptions {
  /** Its name in the prompt: the AI SDK keeps names outside of its tools. */
  readonly name: string;
  /** Default: `'external'`. */
  readonly effects?: ToolEffects;
  /** Default: false. */
  readonly idempotent?: boolean;
  /** Time limit for one attempt in milliseconds, above 0 and at most 2,147,483,647. Default: none of its own. */
  readonly timeoutMs?: number;
  /** 1 to 200 characters, for the model. Default: the tool's own, which must not be longer. */
  readonly description?: string;
  /** Creates the `context` of `execute`, which gives access to the session and the files of the call. May throw: the call fails. Default: undefined. */
  readonly contextFor?: (context: ToolContext) => unknown;
  /** Default: true. */
  readonly acceptsOverrides?: boolean;
}

/**
 * Converts an AI SDK tool for use in a prompt. The result of its `execute` becomes the value of a success, as JSON; the
 * last value of an async iterable is the result, and earlier ones are reported as progress. An error fails the call.
 * `toModelOutput` makes what the model reads, including files; without it the model reads a string unchanged and any other
 * value as JSON.
 *
 * @throws {PromptValidationError} for a tool without `execute`, one with `needsApproval` (put a policy that asks on its section instead),
 * and as `tool()` does.
 */
export function fromAiSdkTool<Input, Output>(
  aiTool: AiSdkTool<Input, Output>,
  options: FromAiSdkToolOptions,
): Tool<Input, Output> {
  assertArgument('fromAiSdkTool()', 'tool', aiTool, 'object');
  assertOptions('fromAiSdkTool()', options, {
    name: 'string!',
    effects: 'any',
    idempotent: 'any',
    timeoutMs: 'any',
    description: 'any',
    contextFor: 'function',
    acceptsOverrides: 'any',
  });
  const { name } = options;
  if (typeof aiTool.execute !== 'function') {
    throw refused(name, 'execute', 'it has no execute function, so nothing can run it here');
  }
  if (aiTool.needsApproval !== undefined && aiTool.needsApproval !== false) {
    throw refused(
      name,
      'needsApproval',
      'it has needsApproval; remove that and put a policy that asks on its section',
    );
  }
  const { contextFor, description = aiTool.description, ...rest } = options;
  if (typeof description !== 'string') {
    throw refused(name, 'description', 'it has no fixed description; pass the option description');
  }
  const outputSchema =
    aiTool.outputSchema === undefined
      ? undefined
      : fromAiSdkSchema(aiTool.outputSchema, name, 'outputSchema');
  const made = tool({
    ...rest,
    name,
    description,
    inputSchema: fromAiSdkSchema(aiTool.inputSchema, name, 'inputSchema'),
    ...present({ outputSchema }),
    render: (value) => (typeof value === 'string' ? value : renderJson(value as JsonValue)), // Recorded values are JSON.
    execute: async (given, context) => {
      // The tool's own schema returned it.
      const input = given as Input;
      const returned = aiTool.execute?.(input, {
        toolCallId: context.callId,
        messages: [],
        abortSignal: context.signal,
        context: contextFor?.(context) as never,
      });
      const output = isAsyncIterable(returned)
        ? await lastOf(returned, context)
        : await (returned as PromiseLike<Output> | Output);
      return toResult(aiTool, { toolCallId: context.callId, input, output });
    },
  });
  // The schemas of the given tool determine the types of params and value.
  return made as Tool<Input, Output>;
}

async function toResult<Input, Output>(
  aiTool: AiSdkTool<Input, Output>,
  call: { readonly toolCallId: string; readonly input: Input; readonly output: Output },
): Promise<ToolResult<unknown>> {
  const value = toJson(call.output);
  if (aiTool.toModelOutput === undefined) return ToolResult.ok(value, value === undefined ? 'OK' : '');
  const { isError, text, attachments } = readModelOutput(await aiTool.toModelOutput(call));
  if (isError) return ToolResult.error(text, value);
  return ToolResult.ok(value, text, { excludeValueFromContext: true, attachments });
}

/** The last value. Earlier ones are reported as progress. */
async function lastOf<Output>(values: AsyncIterable<Output>, context: ToolContext): Promise<Output> {
  let last: { readonly value: Output } | undefined;
  for await (const value of values) {
    if (last !== undefined) context.progress(toJson(last.value) ?? null);
    last = { value };
    // Leaving the loop ends the source.
    if (context.signal.aborted) break;
  }
  // As in the AI SDK: without a value the output is undefined.
  return last?.value as Output;
}

/** The value after a round trip through JSON, as the AI SDK sends it to a model. */
function toJson(value: unknown): JsonValue | undefined {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function isAsyncIterable<T>(value: unknown): value is AsyncIterable<T> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}
