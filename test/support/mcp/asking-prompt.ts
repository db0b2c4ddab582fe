import {
  type AnyTool,
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

/** Calls of `publish` are asked about before they run. */
const askFirst: ToolPolicy = {
  name: 'ask-first',
  check: ({ tool: called }) =>
    called.name === 'publish' ? PolicyDecision.ask('Is it ready?') : PolicyDecision.allow(),
};

/** What calls have written is asked about before it is committed. */
const reviewChanges: ToolPolicy = {
  name: 'review-changes',
  checkChanges: ({ tool: called }) =>
    called.name === 'publish' ? PolicyDecision.allow() : PolicyDecision.ask('Is this what you want?'),
};

/** Writes `published/TAG`; nothing runs before the question about it is answered. */
const publishTool = (publishing: () => Promise<void>): AnyTool =>
  tool({
    name: 'publish',
    description: 'Publishes.',
    inputSchema: z.object({ tag: z.string() }),
    effects: 'state',
    execute: async ({ tag }, context) => {
      context.progress({ message: 'publishing' });
      await publishing();
      await context.filesystem.write(`published/${tag}`, tag);
      return ToolResult.ok(null, `Published ${tag}.`);
    },
  });

/** A prompt whose policies ask, and the files that its calls write. */
export interface AskingPrompt {
  readonly prompt: Prompt<undefined>;
  readonly filesystem: MemoryFilesystem;
  /** Paths of all files. */
  paths(): Promise<readonly string[]>;
  /** What handlers evaluate prompts on: publishes `inner-1`, then `inner-2`, each in a turn of its own. */
  readonly adapter: ReturnType<typeof scriptedAdapter>;
}

/** @param publishing what a call of `publish` waits for when it has reported its progress. Default: nothing. */
export function askingPrompt(publishing: () => Promise<void> = () => Promise.resolve()): AskingPrompt {
  const publish = publishTool(publishing);
  const filesystem = new MemoryFilesystem();
  const inner = promptTemplate({
    ns: 'test',
    key: 'inner',
    policies: [askFirst],
    sections: [section({ title: 'Inner', key: 'inner', template: 'Publish twice.', tools: [publish] })],
  }).bind();
  const edit = tool({
    name: 'edit',
    description: 'Writes files.',
    inputSchema: z.object({ paths: z.array(z.string()) }),
    effects: 'state',
    execute: async ({ paths }, context) => {
      for (const path of paths) await context.filesystem.write(path, 'edited');
      return ToolResult.ok(null, 'Edited.');
    },
  });
  const delegate = tool({
    name: 'delegate',
    description: 'Lets another agent publish.',
    effects: 'state',
    execute: async (_params, { adapter }) => {
      const { text } = await adapter.evaluate(inner);
      return ToolResult.ok(null, text ?? '');
    },
  });
  const look = tool({
    name: 'look',
    description: 'Looks.',
    effects: 'read',
    execute: () => ToolResult.ok(null, 'Seen.'),
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'asking',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Publish',
        key: 'publish',
        template: 'Publish.',
        tools: [publish],
        policies: [askFirst],
      }),
      section({ title: 'Edit', key: 'edit', template: 'Edit.', tools: [edit], policies: [reviewChanges] }),
      section({ title: 'Others', key: 'others', template: 'Or this.', tools: [delegate, look] }),
    ],
  }).bind();
  const adapter = scriptedAdapter((_conversation, { turn }) =>
    turn <= 2
      ? { toolCalls: [{ name: 'publish', arguments: { tag: `inner-${turn}` } }] }
      : { text: 'Both turns are over.' },
  );
  return {
    prompt,
    filesystem,
    adapter,
    paths: async () => (await filesystem.glob('**')).paths,
  };
}
