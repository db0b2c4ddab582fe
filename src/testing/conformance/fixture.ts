import { Filesystem, MemoryFilesystem } from '../../core/filesystem/index.ts';
import type { ToolPolicy } from '../../core/policy/index.ts';
import { type Prompt, promptTemplate, type Section, section } from '../../core/prompt/index.ts';
import { binding } from '../../core/resource/index.ts';
import {
  described,
  integer,
  number,
  optional,
  recordSchema,
  text as string,
} from '../../core/schema/index.ts';
import { defineSlice, type Session, type Slice } from '../../core/session/index.ts';
import { type AnyTool, type HostedTool, type ToolContext, ToolResult, tool } from '../../core/tool/index.ts';
import { expectEqual } from './expect.ts';

/** Records of the tools of the cases. */
export const Notes: Slice<{ readonly text: string }> = defineSlice({
  name: 'conformance.notes',
  schema: recordSchema({ text: string }),
});

const countSchema = recordSchema({ count: integer });

const noteInput = recordSchema({
  text: described(string, { minLength: 1, description: 'What to keep.' }),
});

/** A tool that keeps a text in the session and in a file, and then returns the result of `end`. */
export function noting(
  name: string,
  end: (text: string, context: ToolContext) => ToolResult<null> | Promise<ToolResult<null>>,
): AnyTool {
  return tool({
    name,
    description: `Keeps a text (${name}).`,
    inputSchema: noteInput,
    effects: 'state',
    execute: async ({ text }, context) => {
      context.session.slice(Notes).append({ text });
      await context.filesystem.write(`notes/${text}.md`, text);
      return end(text, context);
    },
  });
}

/** Keeps a text. */
export const note: AnyTool = noting('note', (text) => ToolResult.ok(null, `Noted ${text}.`));

/** Removes notes; all of them without arguments, so that a truncated call would be destructive. */
export const forget: AnyTool = tool({
  name: 'forget',
  description: 'Removes what was kept: one text, or all of them.',
  inputSchema: recordSchema({ text: optional(string) }),
  effects: 'state',
  execute: async ({ text }, { session, filesystem }) => {
    session.slice(Notes).clear();
    const { paths } = await filesystem.glob(text === undefined ? '**/*' : `notes/${text}.md`);
    for (const path of paths) await filesystem.remove(path);
    return ToolResult.ok(null, 'Forgotten.');
  },
});

/** Adds two numbers. */
export const add: AnyTool = tool({
  name: 'add',
  description: 'Adds two numbers.',
  inputSchema: recordSchema({
    left: number,
    right: number,
  }),
  effects: 'read',
  execute: ({ left, right }) => ToolResult.ok({ sum: left + right }, 'Added.'),
});

/** The parts of the agent of a case. */
export interface AgentParts {
  readonly tools?: readonly AnyTool[];
  readonly hostedTools?: readonly HostedTool[];
  readonly policies?: readonly ToolPolicy[];
  /** Follow the section that has the tools. */
  readonly sections?: readonly Section<Record<never, never>>[];
}

/** The filesystem and session of the agents of one case. */
export class Workshop {
  readonly #filesystem = new MemoryFilesystem({ files: { 'kept.md': 'kept' } });
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  agent(parts: AgentParts = {}): Prompt<undefined> {
    return promptTemplate(this.#describe(parts)).bind();
  }

  /** An agent whose answer is `{ "count": <integer> }`. */
  counter(parts: AgentParts = {}): Prompt<{ readonly count: number }> {
    return promptTemplate({ ...this.#describe(parts), output: countSchema }).bind();
  }

  /** Checks the notes in the session, and that there is a file for each of them. */
  async expectNotes(expected: readonly string[]): Promise<void> {
    const { paths: files } = await this.#filesystem.glob('**/*');
    const all = this.#session.slice(Notes).all();
    const paths = expected.map((text) => `notes/${text}.md`);
    expectEqual(
      'the notes and files',
      { notes: all.map(({ text }) => text), files },
      { notes: expected, files: ['kept.md', ...paths] },
    );
  }

  #describe({ tools = [], hostedTools = [], policies = [], sections = [] }: AgentParts) {
    const task = section({
      title: 'Task',
      key: 'task',
      template: 'Follow the instructions, naïvely 🍐.',
      tools,
      hostedTools,
      policies,
      slices: [Notes],
    });
    return {
      ns: 'weakincentives/conformance',
      key: 'agent',
      sections: [task, ...sections],
      resources: [binding(Filesystem, { instance: this.#filesystem })],
    };
  }
}
