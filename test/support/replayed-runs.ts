import * as fc from 'fast-check';
import {
  binding,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedToolCall, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

/** What a random run does. */
export interface RandomRun {
  readonly turns: readonly ScriptedTurn[];
  /** Calls on these paths are denied, before or after they ran, or need an approval. */
  readonly denied: string;
  readonly forbidden: string;
  readonly asked: string;
  readonly approves: boolean;
}

/** How the code that a run is replayed with differs from the code that it was recorded with. */
export interface Mutation {
  readonly promptText?: string;
  readonly description?: string;
  readonly schemaText?: string;
  /** Added to what the tool `note` answers. */
  readonly behavior?: string;
  /** What the tool `note` writes in place of its text: to the slice, and to the file. */
  readonly noted?: string;
  readonly written?: string;
  readonly policies?: readonly ToolPolicy[];
  /** What a tool says of itself that no call asks for. */
  readonly unusedText?: string;
  /** What the policy "denied" answers; null: it is not there. */
  readonly deniedReason?: string | null;
}

const Notes = defineSlice({ name: 'notes', schema: z.object({ path: z.string(), text: z.string() }) });
const Pages = defineSlice({
  name: 'pages',
  schema: z.object({ path: z.string(), visits: z.number() }),
  key: ({ path }) => path,
});
const Trail = defineSlice({ name: 'trail', schema: z.object({ tool: z.string() }), policy: 'log' });

const paths = ['a.md', 'b.md', 'dir/c.md'] as const;
const startFiles = { 'a.md': 'alpha\n', 'dir/c.md': 'gamma\n', 'dir/d.md': 'delta\n' };

/** A prompt with tools of every kind. What is outside counts up from `outside.count`. */
export function randomPrompt(
  run: RandomRun,
  outside: { count: number },
  files: Readonly<Record<string, string>> = startFiles,
  mutation: Mutation = {},
): Prompt {
  const path = z.object({ path: z.string().describe(mutation.schemaText ?? 'Where.') });
  const note = tool({
    name: 'note',
    description: mutation.description ?? 'Write a note.',
    inputSchema: path.extend({ text: z.string() }),
    effects: 'state',
    pure: true,
    execute: async ({ path: at, text }, { session, filesystem }) => {
      session.slice(Notes).append({ path: at, text: mutation.noted ?? text });
      session.slice(Trail).append({ tool: 'note' });
      await filesystem.write(at, mutation.written ?? text);
      return ToolResult.ok({ at: `${at}${mutation.behavior ?? ''}` }, 'Noted.');
    },
  });
  const grow = tool({
    name: 'grow',
    description: 'Append to a file and count it.',
    inputSchema: path,
    effects: 'state',
    pure: true,
    execute: async ({ path: at }, { session, filesystem }) => {
      const found = await filesystem.stat(at);
      const text = found === undefined ? '' : (await filesystem.read(at)).text;
      await filesystem.write(at, `${text}+`);
      const visits = session.slice(Pages).get(at)?.visits ?? 0;
      session.slice(Pages).append({ path: at, visits: visits + 1 });
      return ToolResult.ok({ length: text.length, visits });
    },
  });
  const fail = tool({
    name: 'fail',
    description: 'Write a file, then fail.',
    inputSchema: path,
    effects: 'state',
    execute: async ({ path: at }, { session, filesystem }) => {
      outside.count += 1;
      session.slice(Trail).append({ tool: `fail ${outside.count}` });
      await filesystem.write(at, 'lost');
      if (outside.count % 2 === 0) throw new Error(`It broke at ${outside.count}.`);
      return ToolResult.error('It failed.', { count: outside.count });
    },
  });
  const fetch = tool({
    name: 'fetch',
    description: 'Fetch a page.',
    inputSchema: path,
    outputSchema: z.object({ body: z.string() }),
    execute: async ({ path: at }, { session, filesystem }) => {
      outside.count += 1;
      await filesystem.write(at, `page ${outside.count}`);
      const visits = session.slice(Pages).get(at)?.visits ?? 0;
      session.slice(Pages).append({ path: at, visits: visits + 10 });
      return ToolResult.ok({ body: `page ${outside.count}` }, '');
    },
  });
  const clean = tool({
    name: 'clean',
    description: 'Remove a file and what is known of it.',
    inputSchema: path,
    effects: 'state',
    execute: async ({ path: at }, { session, filesystem }) => {
      outside.count += 1;
      if ((await filesystem.stat(at)) !== undefined) await filesystem.remove(at, { recursive: true });
      session.slice(Pages).clear();
      session.slice(Notes).clear();
      return ToolResult.ok(null, `Cleaned at ${outside.count}.`);
    },
  });
  const unused = tool({
    name: 'unused',
    description: mutation.unusedText ?? 'Do nothing.',
    inputSchema: path,
    execute: () => ToolResult.ok(null, 'Nothing.'),
  });
  const inner = promptTemplate({
    ns: 'random',
    key: 'inner',
    sections: [
      section({
        title: 'Inner',
        key: 'inner',
        template: 'Inner.',
        tools: [note, grow],
        slices: [Notes, Pages, Trail],
      }),
    ],
  });
  const delegate = (name: string, pure: boolean) =>
    tool({
      name,
      description: 'Have another one do it.',
      inputSchema: z.object({ turns: z.string(), fails: z.boolean() }),
      effects: 'state',
      pure,
      execute: async ({ turns, fails }, { adapter }) => {
        const { text } = await adapter.evaluate(inner.bind(), { input: turns });
        return fails ? ToolResult.error('It was not wanted.') : ToolResult.ok({ text });
      },
    });
  const about = (params: unknown): unknown => (params as { readonly path?: unknown }).path;
  const { deniedReason = 'It is denied.' } = mutation;
  const denied: ToolPolicy = {
    name: 'denied',
    check: ({ params }) =>
      about(params) === run.denied ? PolicyDecision.deny(deniedReason ?? '') : PolicyDecision.allow(),
  };
  const policies: readonly ToolPolicy[] = [
    ...(deniedReason === null ? [] : [denied]),
    {
      name: 'forbidden',
      checkChanges: (_call, changes) =>
        changes.some((change) => change.path === run.forbidden)
          ? PolicyDecision.deny('It is forbidden.')
          : changes.some((change) => change.path === run.asked)
            ? PolicyDecision.ask('It has to be asked.')
            : PolicyDecision.allow(),
    },
    ...(mutation.policies ?? []),
  ];
  const task = section({
    title: 'Task',
    key: 'task',
    template: mutation.promptText ?? 'Do what is asked.',
    tools: [note, grow, fail, fetch, clean, unused, delegate('delegate', true), delegate('order', false)],
    slices: [Notes, Pages, Trail],
  });
  return promptTemplate({
    ns: 'random',
    key: 'outer',
    sections: [task, vfsToolsSection({ key: 'files' })],
    policies,
  }).bind({}, { resources: [binding(Filesystem, { create: () => new MemoryFilesystem({ files }) })] });
}

/** A model that does what the run says, and inside a call what its input says. */
export function randomAdapter({ turns }: RandomRun): ProviderAdapter {
  return scriptedAdapter((conversation, { turn }) => {
    const [first] = conversation;
    const part = first?.type === 'user' ? first.content[0] : undefined;
    const text = part?.type === 'text' ? part.text : '';
    // What the call around it was given.
    const script = text === 'Go.' ? turns : (JSON.parse(text) as readonly ScriptedTurn[]);
    return {
      usage: { inputTokens: 10, outputTokens: 2 },
      ...(script[turn - 1] ?? { text: `Done in ${turn}.` }),
    };
  });
}

const anyPath = fc.constantFrom(...paths);
const simpleCall: fc.Arbitrary<ScriptedToolCall> = fc.oneof(
  fc.record({
    name: fc.constant('note'),
    arguments: fc.record({ path: anyPath, text: fc.constantFrom('x', 'y') }),
  }),
  fc.record({ name: fc.constant('grow'), arguments: fc.record({ path: anyPath }) }),
);
const innerTurns = fc
  .array(fc.record({ toolCalls: fc.array(simpleCall, { minLength: 1, maxLength: 3 }) }), { maxLength: 2 })
  .map((turns) => JSON.stringify(turns));
const anyCall: fc.Arbitrary<ScriptedToolCall> = fc.oneof(
  { arbitrary: simpleCall, weight: 4 },
  fc.record({
    name: fc.constantFrom('fail', 'fetch', 'clean'),
    arguments: fc.record({ path: anyPath }),
  }),
  fc.record({
    name: fc.constantFrom('delegate', 'order'),
    arguments: fc.record({ turns: innerTurns, fails: fc.boolean() }),
  }),
  fc.constant({ name: 'ls', arguments: {} }),
  fc.record({ name: fc.constant('read_file'), arguments: fc.record({ file_path: anyPath }) }),
  fc.record({ name: fc.constant('grep'), arguments: fc.record({ pattern: fc.constantFrom('a', 'page') }) }),
  fc.constant({ name: 'unknown', arguments: {} }),
  fc.constant({ name: 'note', arguments: '{"path": ' }),
);

/** Runs with parallel calls, failures, conflicts, evaluations inside calls, policies and approvals. */
export const randomRuns: fc.Arbitrary<RandomRun> = fc.record({
  turns: fc.array(fc.record({ toolCalls: fc.array(anyCall, { minLength: 1, maxLength: 5 }) }), {
    minLength: 1,
    maxLength: 4,
  }),
  denied: fc.constantFrom('', ...paths),
  forbidden: fc.constantFrom('', ...paths),
  asked: fc.constantFrom('', ...paths),
  approves: fc.boolean(),
});
