import {
  type AnyResourceBinding,
  type AnySlice,
  type AnyTool,
  binding,
  type EvaluateOptions,
  Filesystem,
  MemoryFilesystem,
  type Prompt,
  type PromptResponse,
  promptTemplate,
  type RunEvent,
  Session,
  section,
  ToolCallLog,
  type ToolInvokedPayload,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const file = z.object({ path: z.string(), text: z.string().optional() });

/** Writes a file. */
export const write: AnyTool = tool({
  name: 'write_file',
  description: 'Writes.',
  inputSchema: file,
  effects: 'state',
  execute: async ({ path, text = 'new' }, { filesystem }) => {
    await filesystem.write(path, text);
    return ToolResult.ok(null, `Wrote ${path}.`);
  },
});

/** Reads a file. */
export const read: AnyTool = tool({
  name: 'read_file',
  description: 'Reads.',
  inputSchema: file,
  effects: 'read',
  execute: async ({ path }, { filesystem }) => ToolResult.ok(null, (await filesystem.read(path)).text),
});

export const writing = (path: string, text?: string): ScriptedToolCall => ({
  name: 'write_file',
  arguments: { path, ...(text === undefined ? {} : { text }) },
});
export const reading = (path: string): ScriptedToolCall => ({ name: 'read_file', arguments: { path } });

/** A prompt of the stage: what stands on its template, and on its one section. */
export interface Level {
  readonly tools?: readonly AnyTool[];
  readonly policies?: readonly ToolPolicy[];
  readonly sectionPolicies?: readonly ToolPolicy[];
  readonly resources?: readonly AnyResourceBinding[];
  readonly slices?: readonly AnySlice[];
  /** What its model does, turn after turn. Default: it calls the delegate. */
  readonly turns?: readonly (readonly ScriptedToolCall[])[];
  /** The same, asked for when its model is asked for the first time. */
  readonly turnsOf?: () => readonly (readonly ScriptedToolCall[])[];
  /** What the tool that evaluates the next level writes after that. */
  readonly overwrites?: Readonly<Record<string, string>>;
  /** Effects of the tool that evaluates the next level. Default: `state`. */
  readonly effects?: 'read' | 'state' | 'external';
}

/** Which level a prompt is: `level-0` outermost. */
export const keyOf = (depth: number): string => `level-${depth}`;

/** The name of the tool of this level that evaluates the next one. */
export const delegateOf = (depth: number): string => `delegate_${depth}`;

/** Prompts inside one another: the tool `delegate_0` of the first evaluates the second, and so on. */
export function nestedPrompt(levels: readonly Level[], files: Filesystem, depth = 0): Prompt<undefined> {
  const level = levels[depth] ?? {};
  const inner = depth + 1 < levels.length ? nestedPrompt(levels, files, depth + 1) : undefined;
  const delegate =
    inner === undefined
      ? []
      : [
          tool({
            name: delegateOf(depth),
            description: 'Delegates.',
            effects: level.effects ?? 'state',
            execute: async (_params, { adapter, filesystem }) => {
              await adapter.evaluate(inner);
              for (const [path, text] of Object.entries(level.overwrites ?? {})) {
                await filesystem.write(path, text);
              }
              return ToolResult.ok(null);
            },
          }),
        ];
  const key = keyOf(depth);
  return promptTemplate({
    ns: 'test',
    key,
    ...(level.policies === undefined ? {} : { policies: level.policies }),
    resources: [
      ...(depth === 0 ? [binding(Filesystem, { instance: files })] : []),
      ...(level.resources ?? []),
    ],
    sections: [
      section({
        title: key,
        key,
        template: `This is ${key}.`,
        tools: [...(level.tools ?? []), ...delegate],
        ...(level.sectionPolicies === undefined ? {} : { policies: level.sectionPolicies }),
        ...(level.slices === undefined ? {} : { slices: level.slices }),
      }),
    ],
  }).bind();
}

/** Result of evaluating {@link nestedPrompt}. */
export interface NestedOutcome {
  readonly session: Session;
  readonly files: MemoryFilesystem;
  readonly events: readonly RunEvent[];
  readonly response: PromptResponse;
  readonly records: readonly ToolInvokedPayload[];
  /** `depth tool outcome` of every call, in the order of the records. */
  readonly outcomes: readonly string[];
}

/** Evaluates prompts inside one another on a script. */
export async function runNested(
  levels: readonly Level[],
  options: Omit<EvaluateOptions, 'onEvent' | 'session'> & {
    readonly files?: Readonly<Record<string, string>>;
    readonly session?: Session;
  } = {},
): Promise<NestedOutcome> {
  const { files: given = {}, session = new Session(), ...rest } = options;
  const files = new MemoryFilesystem({ files: given });
  const events: RunEvent[] = [];
  const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
    const depth = levels.findIndex((_level, index) => instructions.includes(`This is ${keyOf(index)}.`));
    const level = levels[depth];
    const turns = turn === 1 ? level?.turnsOf?.() : undefined;
    const toolCalls = (turns ?? level?.turns ?? [[{ name: delegateOf(depth) }]])[turn - 1];
    return toolCalls === undefined || (level?.turnsOf !== undefined && turn > 1)
      ? { text: 'Done.' }
      : { toolCalls };
  });
  const response = await adapter.evaluate(nestedPrompt(levels, files), {
    ...rest,
    session,
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  const records = session.slice(ToolCallLog).all();
  const outcomes = records.map(
    ({ parentCallIds = [], toolName, outcome }) => `${parentCallIds.length} ${toolName} ${outcome}`,
  );
  return { session, files, events, response, records, outcomes };
}
