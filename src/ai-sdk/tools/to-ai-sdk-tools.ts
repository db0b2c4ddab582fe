import { assertOptions } from '../../error/index.ts';
import type { ToolRuntime, ToolRuntimeOutput } from '../../evaluation/index.ts';
import type { ModelTool } from '../../runtime/index.ts';
import { type JsonObject, type JsonSchema, projectSchema, type Schema } from '../../schema/index.ts';
import type { MediaPart } from '../../tool/index.ts';
import { aiSdkDialect } from '../wire/ai-sdk-dialect.ts';
import type { ResultOutput } from '../wire/call-options.ts';
import { filesOfV3, filesOfV4 } from '../wire/files.ts';
import { FailedToolCallError } from './failed-tool-call-error.ts';

/** The output of a runtime's tool in a loop of the AI SDK: text, or text and files. */
export type AiSdkToolOutput = string | { readonly text: string; readonly attachments: readonly MediaPart[] };

/** A tool of a runtime as the AI SDK takes it. */
export interface AiSdkRuntimeTool {
  readonly description: string;
  /** Tells the model what the tool takes and lets everything pass: the runtime checks it, and tells the model what is wrong. */
  readonly inputSchema: Schema<unknown, JsonObject>;
  /** Runs the call in a turn of the runtime. Rejects with a `FailedToolCallError`, or with what ended the run. */
  readonly execute: (
    input: JsonObject,
    options: { readonly toolCallId: string; readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<AiSdkToolOutput>;
  /** The text of the result for the model, followed by its files. */
  readonly toModelOutput: (options: {
    readonly output: AiSdkToolOutput;
  }) => ResultOutput<'v3'> | ResultOutput<'v4'>;
}

/** For whom the tools are. */
export interface ToAiSdkToolsOptions {
  /** Version of the AI SDK, which decides how files after the text of a result are written. Default: 7. */
  readonly version?: 6 | 7;
}

/** The tools of a runtime for `generateText` and `streamText`, by name. */
export type AiSdkRuntimeTools = { [name: string]: AiSdkRuntimeTool };

/**
 * The tools of a runtime as a tool set of the AI SDK 6 or 7. The calls that one step makes become one turn, with its transactions,
 * policies and order. A failed call is thrown as a {@link FailedToolCallError}: the loop tells the model, and goes on.
 *
 * The set grows when sections are opened, and a loop that is given the set itself offers the new tools from its next step on; a
 * copy stays as it is. Give the loop `runtime.signal` as its `abortSignal`, or a run that is stopped does not stop it.
 */
export function toAiSdkTools(
  runtime: Pick<ToolRuntime, 'tools' | 'call'>,
  options: ToAiSdkToolsOptions = {},
): AiSdkRuntimeTools {
  assertOptions('toAiSdkTools(): runtime', runtime, { tools: 'array!', call: 'function!' });
  assertOptions('toAiSdkTools()', options);
  const { version = 7 } = options;
  // Without a prototype: a tool may be called `__proto__`.
  const set: AiSdkRuntimeTools = Object.create(null);
  const addNew = (): void => {
    for (const tool of runtime.tools) set[tool.name] ??= toAiSdkTool(tool, run, version);
  };
  const run: Run = async (name, input, { toolCallId, abortSignal }) => {
    try {
      return await runtime.call(
        { callId: toolCallId, name, arguments: input },
        abortSignal === undefined ? {} : { signal: abortSignal },
      );
    } finally {
      addNew();
    }
  };
  addNew();
  return set;
}

type Run = (
  name: string,
  input: JsonObject,
  options: Parameters<AiSdkRuntimeTool['execute']>[1],
) => Promise<ToolRuntimeOutput>;

function toAiSdkTool(
  { name, description, inputSchema }: ModelTool,
  run: Run,
  version: 6 | 7,
): AiSdkRuntimeTool {
  const { isWrapped, restore } = projectSchema(inputSchema, aiSdkDialect);
  return {
    description,
    inputSchema: toAiSdkSchema(inputSchema),
    execute: async (input, options) => {
      // The loop sends the schema as it is, so nothing was put around the arguments. What has the shape of an object stays one.
      const given = isWrapped ? input : (restore(input) as JsonObject);
      const output = await run(name, given, options);
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
 * A schema in both forms that the AI SDK knows. Its own, marked by a registered symbol, takes the JSON Schema as it is; as a
 * Standard Schema, which its types take, it would close objects that are open.
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
      // What the model wrote is JSON; whether it fits is for the runtime to say.
      validate: (value: unknown) => ({ value: value as JsonObject }),
      jsonSchema: { input: emit, output: emit },
    },
  } as const;
  return schema;
}
