import { Filesystem } from '../../../core/filesystem/index.ts';
import { PolicyDecision, sequentialDependencyPolicy, type ToolPolicy } from '../../../core/policy/index.ts';
import { type Prompt, promptTemplate, section } from '../../../core/prompt/index.ts';
import { binding } from '../../../core/resource/index.ts';
import { recordSchema, text as string } from '../../../core/schema/index.ts';
import {
  type AnyTool,
  type ToolContext,
  type ToolEffects,
  ToolResult,
  tool,
} from '../../../core/tool/index.ts';
import type { Effects } from './effects.ts';
import { Ledger, ledgerIn } from './ledger.ts';
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

const receiver = recordSchema({ to: string });

/** The tools with effects outside: `send` can find out what became of it, `mail` cannot, `post` may be done twice. */
function externalTools(points: Points, effects: Effects): readonly AnyTool[] {
  return [
    tool({
      name: 'send',
      description: 'Sends, and can look up what was sent.',
      effects: 'external',
      inputSchema: receiver,
      execute: async ({ to }, { idempotencyKey }) => {
        points.pass('send before');
        effects.add('effects', `sent ${to} ${idempotencyKey}`);
        points.pass('send after');
        return ToolResult.ok({ to });
      },
      reconcile: ({ to }, { idempotencyKey }) =>
        effects.has(`sent ${to} ${idempotencyKey}`)
          ? ToolResult.ok({ to })
          : ToolResult.error('It was not sent; send it again.'),
    }),
    tool({
      name: 'mail',
      description: 'Mails, and cannot look up what was mailed.',
      effects: 'external',
      inputSchema: receiver,
      execute: async ({ to }, { idempotencyKey, session, filesystem, callId }) => {
        points.pass('mail before');
        effects.add('effects', `mailed ${to} ${idempotencyKey}`);
        points.pass('mail after');
        session.dispatch(Said, { text: `mailed ${to}` });
        await filesystem.write(`mailed/${callId}.txt`, to);
        return ToolResult.ok({ to });
      },
    }),
    tool({
      name: 'post',
      description: 'Posts; a second time changes nothing.',
      effects: 'external',
      idempotent: true,
      inputSchema: receiver,
      execute: async ({ to }, { idempotencyKey, session, filesystem, callId }) => {
        const line = `posted ${to} ${idempotencyKey}`;
        points.pass('post before');
        if (!effects.has(line)) effects.add('effects', line);
        points.pass('post after');
        session.dispatch(Said, { text: `posted ${to}` });
        await filesystem.write(`posted/${callId}.txt`, to);
        return ToolResult.ok({ to });
      },
    }),
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
