import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Filesystem } from '../../../core/filesystem/index.ts';
import { PolicyDecision, sequentialDependencyPolicy, type ToolPolicy } from '../../../core/policy/index.ts';
import { type Prompt, promptTemplate, section } from '../../../core/prompt/index.ts';
import {
  type AnyResourceBinding,
  binding,
  type ResourceToken,
  resourceToken,
} from '../../../core/resource/index.ts';
import { recordSchema, text as string } from '../../../core/schema/index.ts';
import {
  type AnyTool,
  type ToolContext,
  type ToolEffects,
  ToolResult,
  tool,
} from '../../../core/tool/index.ts';
import type { Effects } from './effects.ts';
import type { Points } from './points.ts';
import { Count, Counted, Counts, Hearings, lastCount, Said, Sayings } from './state.ts';

/** What the prompt of a life works with. */
export interface PromptParts {
  readonly filesystem: Filesystem;
  readonly points: Points;
  readonly effects: Effects;
  /** The folder of the case. */
  readonly folder: string;
}

/** The prompt of the cases. */
export function matrixPrompt({ filesystem, points, effects, folder }: PromptParts): Prompt {
  const asks: ToolPolicy = {
    name: 'asks',
    check: ({ tool: { name } }) => {
      if (name !== 'book') return PolicyDecision.allow();
      points.pass('policy in');
      return PolicyDecision.ask('Really book this?');
    },
  };
  return promptTemplate({
    ns: 'weakincentives/matrix',
    key: 'agent',
    resources: [binding(Filesystem, { instance: filesystem }), ledgerIn(folder, points)],
    policies: [
      sequentialDependencyPolicy({ dependencies: { send: ['count'], book: ['look'], undo: ['post'] } }),
      asks,
    ],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Do what the script says.',
        slices: [Count, Counts, Hearings, Sayings],
        tools: [...stateTools(points), ...externalTools(points, effects)],
      }),
    ],
  }).bind();
}

type Work = (context: ToolContext) => Promise<ToolResult<unknown>>;

/** What a count leaves in the conversation: so much that it alone decides which results are dropped. */
const filler = 'x'.repeat(600);

/** Counts in session and files; calls of one turn conflict. */
function countTool(points: Points): AnyTool {
  return made('count', 'state', async ({ session, filesystem, callId }) => {
    points.pass('count in');
    const next = lastCount(session) + 1;
    session.dispatch(Counted, { count: next, by: callId });
    points.pass('count mid');
    await filesystem.write('count.txt', `${next}\n`);
    await filesystem.write(`notes/${callId}.txt`, `${callId} counted ${next} ${filler}\n`);
    points.pass('count out');
    return ToolResult.ok({ count: next, filler }, 'Counted.');
  });
}

/** A prompt for an evaluation inside a call. */
function innerPrompt(points: Points): Prompt {
  const task = section({ title: 'Task', key: 'task', template: 'Count once.', tools: [countTool(points)] });
  return promptTemplate({ ns: 'weakincentives/matrix', key: 'inner', sections: [task] }).bind();
}

/** The tools of the agent that only change what rolls back. */
function stateTools(points: Points): readonly AnyTool[] {
  return [
    countTool(points),
    made('look', 'read', async ({ session, filesystem }) => {
      points.pass('look in');
      const found =
        (await filesystem.stat('count.txt')) === undefined ? '' : await filesystem.read('count.txt');
      return ToolResult.ok({ text: found === '' ? 'nothing' : found.text, count: lastCount(session) });
    }),
    made('fail', 'state', async ({ session, filesystem, callId }) => {
      session.dispatch(Said, { text: `trying ${callId}` });
      await filesystem.write('failed.txt', 'never seen');
      points.pass('fail mid');
      throw new Error('This cannot be done.');
    }),
    made('move', 'state', async ({ filesystem }) => {
      await filesystem.move('run.sh', 'bin/run.sh');
      // Files in memory have no links.
      if (filesystem.capabilities.symlinks) await filesystem.move('link.md', 'bin/link.md');
      points.pass('move mid');
      return ToolResult.ok({ '\0': '\0b looks like a reference' });
    }),
    made('clean', 'state', async ({ filesystem }) => {
      await filesystem.remove('docs', { recursive: true });
      points.pass('clean mid');
      return ToolResult.ok(null);
    }),
    made('undo', 'state', async ({ session, callId }) => {
      const before = session.snapshot();
      session.dispatch(Counted, { count: 1_000, by: callId });
      session.dispatch(Said, { text: 'what was said stays' });
      session.restore(before);
      points.pass('undo mid');
      return ToolResult.ok({ count: lastCount(session) });
    }),
    made('nested', 'state', async ({ adapter, callId, filesystem }) => {
      const { text } = await adapter.evaluate(innerPrompt(points), { input: `inner ${callId}` });
      points.pass('nested out');
      await filesystem.write('nested.txt', text);
      return ToolResult.ok({ text });
    }),
    made('book', 'state', async ({ resources, filesystem, callId }) => {
      const ledger = await resources.get(Ledger);
      ledger.book(callId);
      await filesystem.write(`booked/${callId}.txt`, 'yes');
      points.pass('book mid');
      return ToolResult.ok({ booked: callId });
    }),
  ];
}

/** Books entries. */
interface Ledger {
  book(entry: string): void;
}

/** A book in a file of its own, which no database of a journal knows: its commit is a rename. */
const Ledger: ResourceToken<Ledger> = resourceToken<Ledger>('matrix.ledger');

/** The book of a folder. */
function ledgerIn(folder: string, points: Points): AnyResourceBinding {
  const file = join(folder, 'ledger.json');
  // The file is written below only.
  const entries = (): readonly string[] =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as readonly string[]) : [];
  return binding(Ledger, {
    instance: { book: () => undefined },
    transactional: {
      parallel: true,
      begin: () => {
        const added: string[] = [];
        return {
          view: { book: (entry) => void added.push(entry) },
          conflicts: () => [],
          rollback: () => undefined,
          commit: () => {
            if (added.length === 0) return;
            points.pass('ledger before');
            writeFileSync(`${file}.new`, JSON.stringify([...entries(), ...added]));
            points.pass('ledger mid');
            renameSync(`${file}.new`, file);
            points.pass('ledger after');
          },
        };
      },
    },
  });
}

const receiver = recordSchema({ to: string });

/** The tools with effects outside: `send` can find out what became of it, `mail` cannot, `post` may be done twice. */
function externalTools(points: Points, effects: Effects): readonly AnyTool[] {
  const pass = (name: string, line: string): void => {
    points.pass(`${name} before`);
    // What may be done twice changes nothing the second time.
    if (name !== 'post' || !effects.has(line)) effects.add('effects', line);
    points.pass(`${name} after`);
  };
  return [
    tool({
      name: 'send',
      description: 'Sends, and can look up what was sent.',
      effects: 'external',
      inputSchema: receiver,
      execute: async ({ to }, { idempotencyKey }) => {
        pass('send', `sent ${to} ${idempotencyKey}`);
        return ToolResult.ok({ to });
      },
      reconcile: ({ to }, { idempotencyKey }) =>
        effects.has(`sent ${to} ${idempotencyKey}`)
          ? ToolResult.ok({ to })
          : ToolResult.error('It was not sent; send it again.'),
    }),
    ...(
      [
        ['mail', 'mailed', 'Mails, and cannot look up what was mailed.'],
        ['post', 'posted', 'Posts; a second time changes nothing.'],
      ] as const
    ).map(
      ([name, done, description]): AnyTool =>
        tool({
          name,
          description,
          effects: 'external',
          idempotent: name === 'post',
          inputSchema: receiver,
          execute: async ({ to }, { idempotencyKey, session, filesystem, callId }) => {
            pass(name, `${done} ${to} ${idempotencyKey}`);
            session.dispatch(Said, { text: `${done} ${to}` });
            await filesystem.write(`${done}/${callId}.txt`, to);
            return ToolResult.ok({ to });
          },
        }),
    ),
  ];
}

function made(name: string, effects: ToolEffects, work: Work): AnyTool {
  return tool({
    name,
    description: `Does what "${name}" says.`,
    effects,
    execute: (_params, context) => work(context),
  });
}
