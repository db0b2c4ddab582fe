import { assertMembers, assertOptions } from '../../../core/error/index.ts';
import type { ToolRuntime } from '../../../core/evaluation/index.ts';
import type { ModelTool } from '../../../core/runtime/index.ts';
import type { JsonObject, JsonSchema, Schema } from '../../../core/schema/index.ts';
import type { MediaPart } from '../../../core/tool/index.ts';
import { offerTools, type RuntimeCall } from '../../kit/index.ts';
import type { ResultOutput } from '../wire/call-options.ts';
import { filesOfV3, filesOfV4 } from '../wire/files.ts';
import { FailedToolCallError } from './failed-tool-call-error.ts';

/** The output of a runtime's tool for an AI SDK loop: text, or text and files. */
export type AiSdkToolOutput = string | { readonly text: string; readonly attachments: readonly MediaPart[] };

/** A tool of a runtime in the format of the AI SDK. */
export interface AiSdkRuntimeTool {
  readonly description: string;
  /** The schema for the model. It accepts every value: the runtime validates it, and reports problems to the model. */
  readonly inputSchema: Schema<unknown, JsonObject>;
  /** Runs the call in a turn of the runtime. Rejects with a `FailedToolCallError`, or with the error that ended the run. */
  readonly execute: (
    input: JsonObject,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<AiSdkToolOutput>;
  /** The text of the result for the model, followed by its files. */
  readonly toModelOutput: (options: {
    readonly output: AiSdkToolOutput;
  }) => ResultOutput<'v3'> | ResultOutput<'v4'>;
}

/** Options of {@link toAiSdkTools}. */
export interface ToAiSdkToolsOptions {
  /** Version of the AI SDK, which decides how files after the text of a result are written. Default: 7. */
  readonly version?: 6 | 7;
}

/** The tools of a runtime for `generateText` and `streamText`, by name. */
export type AiSdkRuntimeTools = { [name: string]: AiSdkRuntimeTool };

/**
 * The tools of a runtime as a tool set of the AI SDK 6 or 7. The calls that one step makes become one turn, with its transactions,
 * policies and order. A failed call throws a {@link FailedToolCallError}: the loop passes it to the model and continues.
 *
 * The set grows when sections are opened, and a loop that uses the set itself offers the new tools from its next step on; a
 * copy does not change. Pass `runtime.signal` as the `abortSignal` of the loop; otherwise ending the run does not stop it.
 */
export function toAiSdkTools(
  runtime: Pick<ToolRuntime, 'tools' | 'call'>,
  options: ToAiSdkToolsOptions = {},
): AiSdkRuntimeTools {
  assertMembers('toAiSdkTools(): runtime', runtime, { tools: 'array!', call: 'function!' });
  assertOptions('toAiSdkTools()', options, { version: 'number' });
  const { version = 7 } = options;
  // Without a prototype: a tool may have the name `__proto__`.
  const set: AiSdkRuntimeTools = Object.create(null);
  offerTools(runtime, (tools, call) => {
    for (const tool of tools) set[tool.name] ??= toAiSdkTool(tool, call, version);
  });
  return set;
}

function toAiSdkTool(
  { name, description, inputSchema }: ModelTool,
  call: RuntimeCall,
  version: 6 | 7,
): AiSdkRuntimeTool {
  return {
    description,
    inputSchema: toAiSdkSchema(inputSchema),
    execute: async (input, { abortSignal, toolCallId }) => {
      const output = await call({ callId: toolCallId, name, arguments: input }, abortSignal);
      if (output.isError) throw new FailedToolCallError(output);
      const { text, attachments = [] } = output;
      return attachments.length === 0 ? text : { text, attachments };
    },
    toModelOutput: ({ output }) => {
      if (typeof output === 'string') return { type: 'text', value: output };
      const text = { type: 'text', text: output.text } as const;
      const { attachments } = output;
      return version === 7
        ? { type: 'content', value: [text, ...attachments.map(filesOfV4.toResultFile)] }
        : { type: 'content', value: [text, ...attachments.map(filesOfV3.toResultFile)] };
    },
  };
}

/**
 * A schema in both forms that the AI SDK supports. Its own form, marked by a registered symbol, keeps the JSON Schema
 * unchanged; as a Standard Schema, which its types require, the SDK would close open objects.
 */
function toAiSdkSchema(document: JsonSchema): Schema<unknown, JsonObject> {
  const emit = (): Record<string, unknown> => structuredClone({ ...document });
  const schema = {
    [Symbol.for('vercel.ai.schema')]: true,
    jsonSchema: emit(),
    validate: undefined,
    '~standard': {
      version: 1,
      vendor: 'weakincentives',
      // The model's arguments are JSON; the runtime validates them.
      validate: (value: unknown) => ({ value: value as JsonObject }),
      jsonSchema: { input: emit, output: emit },
    },
  } as const;
  return schema;
}
