import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  answerApprovals,
  binding,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  PolicyDecision,
  pendingApprovals,
  promptTemplate,
  type RunJournal,
  SessionBusyError,
  section,
  suspendApproval,
  type ToolEffects,
  type ToolPolicy,
  ToolResult,
  type ToolRuntime,
  tool,
} from 'weakincentives';
import { createManualClock, memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../../../support/draws.ts';
import { only } from '../../../support/run-calls.ts';

let journal: RunJournal;
let filesystem: MemoryFilesystem;
let ran: string[];

const clock = createManualClock();

const asksBefore = (reason = 'It writes.'): ToolPolicy => ({
  name: 'before',
  check: () => PolicyDecision.ask(reason),
});
const asksAfter: ToolPolicy = { name: 'after', checkChanges: () => PolicyDecision.ask('It has written.') };

interface ServerOptions {
  readonly scope?: string;
  readonly agentName?: string;
  readonly description?: string;
  readonly template?: string;
  readonly policies?: readonly ToolPolicy[];
  readonly effects?: ToolEffects;
  readonly expiresMs?: number;
  readonly journal?: RunJournal;
  /** Waits for others by the clock of the machine. */
  readonly isInRealTime?: true;
}

let started = 0;

/** Starts a runtime as a server does that is started again: with a run and a session of its own. */
function start(options: ServerOptions = {}): Promise<ToolRuntime> {
  const {
    scope = 'the folder',
    agentName = 'writer',
    description = 'Writes.',
    template = 'Write.',
  } = options;
  const { policies = [asksBefore()], effects = 'state', expiresMs } = options;
  started += 1;
  const writing = tool({
    name: 'write',
    description,
    effects,
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }, context) => {
      ran.push(text);
      await context.filesystem.write('out.md', text);
      return ToolResult.ok(null, `Wrote ${text}.`);
    },
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'asking',
    policies,
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template, tools: [writing] })],
  }).bind();
  return openToolRuntime(prompt, {
    journal: options.journal ?? journal,
    runId: `run-${started}`,
    approve: suspendApproval({ scope, ...(expiresMs === undefined ? {} : { expiresMs }) }),
    ...(options.isInRealTime === true ? {} : { clock }),
    agentName,
  });
}

let calls = 0;

async function write(runtime: ToolRuntime, text = 'a', callId?: string): Promise<string> {
  calls += 1;
  const call = { callId: callId ?? `call-${calls}`, name: 'write', arguments: { text } };
  // Calls that come one by one wait for the clock.
  return only(await runtime.runCalls([call])).text;
}

/** The question that a text names. */
function asked(text: string): string {
  const name = /"(run-\d+\.ask-\d+)"/.exec(text)?.[1];
  if (name === undefined) throw new Error(`No question waits: ${text}`);
  return name;
}

async function answer(runId: string, approved: boolean, note?: string): Promise<void> {
  const [question] = await pendingApprovals({ journal, runId });
  if (question === undefined) throw new Error(`The run ${runId} asks nothing.`);
  const { id, digest } = question;
  const answers = [{ id, digest, approved, ...(note === undefined ? {} : { note }) }];
  await answerApprovals({ journal, runId, answers, clock });
}

/** A server that asks, and ends or is killed. */
async function askAndEnd(options: ServerOptions = {}, text = 'a'): Promise<string> {
  await using runtime = await start(options);
  return asked(await write(runtime, text));
}

beforeEach(() => {
  journal = memoryJournal();
  filesystem = new MemoryFilesystem();
  ran = [];
});

describe('a question with a scope', () => {
  it.each([
    ['before the handler', [asksBefore()]],
    ['about the changes', [asksAfter]],
  ])(
    '%s is answered after its runtime has ended, and lets one call of the next one through',
    async (_when, policies) => {
      const question = await askAndEnd({ policies });
      await answer(question, true);
      await using second = await start({ policies });
      expect(await write(second)).toBe('Wrote a.');
      expect(asked(await write(second))).not.toBe(question);
    },
  );

  it('is the same one in the next runtime, which may get the answer', async () => {
    const question = await askAndEnd();
    await using second = await start();
    expect(asked(await write(second))).toBe(question);
    await answer(question, true);
    expect(await write(second)).toBe('Wrote a.');
  });

  it('lets one call of several runtimes through', async () => {
    const question = await askAndEnd();
    await answer(question, true);
    // They wait for each other.
    const first = await start({ isInRealTime: true });
    filesystem = new MemoryFilesystem();
    const second = await start({ isInRealTime: true });
    const texts = await Promise.all([write(first), write(second), write(first)]);
    expect(texts.filter((text) => text === 'Wrote a.')).toHaveLength(1);
    expect(new Set(texts.filter((text) => text !== 'Wrote a.').map(asked)).size).toBe(1);
    await Promise.all([first, second].map((runtime) => runtime[Symbol.asyncDispose]()));
  });

  it('is denied by a no in every runtime, until the question is removed', async () => {
    const question = await askAndEnd();
    await answer(question, false, 'Not on a Friday.');
    for (let time = 1; time <= 2; time += 1) {
      await using runtime = await start();
      expect(await write(runtime)).toContain('Not on a Friday.');
    }
    await journal.remove(question);
    await using last = await start();
    expect(asked(await write(last))).not.toBe(question);
    expect(ran).toEqual([]);
  });

  it('that has expired is asked anew, and an answer in time counts later', async () => {
    const expired = await askAndEnd({ expiresMs: 1_000 });
    clock.advance(1_000);
    const anew = await askAndEnd({ expiresMs: 1_000 });
    expect(anew).not.toBe(expired);
    await answer(anew, true);
    clock.advance(1_000);
    await using runtime = await start({ expiresMs: 1_000 });
    expect(await write(runtime)).toBe('Wrote a.');
  });

  const others: readonly (readonly [string, ServerOptions])[] = [
    ['another scope', { scope: 'another folder' }],
    ['another agent', { agentName: 'another' }],
    ['another tool of the name', { description: 'Writes, and sends it.' }],
    ['other effects of the tool', { effects: 'external' }],
    ['an edited prompt', { template: 'Write it.' }],
    ['another reason', { policies: [asksBefore('It writes a lot.')] }],
    ['a further policy', { policies: [asksBefore(), asksAfter] }],
  ];
  it.each(others)('is another one with %s', async (_what, options) => {
    const question = await askAndEnd();
    await answer(question, true);
    await using other = await start(options);
    expect(asked(await write(other))).not.toBe(question);
    expect(ran).toEqual([]);
  });

  it('about changes is another one when the file has changed meanwhile', async () => {
    await filesystem.write('out.md', 'before');
    const question = await askAndEnd({ policies: [asksAfter] });
    await answer(question, true);
    await filesystem.write('out.md', 'changed meanwhile');
    await using runtime = await start({ policies: [asksAfter] });
    expect(asked(await write(runtime))).not.toBe(question);
    expect((await filesystem.read('out.md')).text).toBe('changed meanwhile');
  });

  it('needs one answer for each question of a call', async () => {
    const policies = [asksBefore(), asksAfter];
    const before = await askAndEnd({ policies });
    await answer(before, true);
    const after = await askAndEnd({ policies });
    expect(after).not.toBe(before);
    await answer(after, true);
    await using runtime = await start({ policies });
    expect(await write(runtime)).toBe('Wrote a.');
    // Both are used.
    expect([before, after]).not.toContain(asked(await write(runtime)));
  });

  it('is not given back by a later call with the same id', async () => {
    const question = await askAndEnd();
    await answer(question, true);
    await using runtime = await start();
    expect(await write(runtime, 'a', 'same')).toBe('Wrote a.');
    const second = asked(await write(runtime, 'b', 'same'));
    expect(second).not.toBe(question);
    expect([question, second]).not.toContain(asked(await write(runtime, 'a', 'same')));
    expect(ran).toEqual(['a']);
  });

  it('has used its yes when the handler has had effects outside', async () => {
    const policies = [asksBefore(), asksAfter];
    const before = await askAndEnd({ policies, effects: 'external' });
    await answer(before, true);
    const after = await askAndEnd({ policies, effects: 'external' });
    await answer(after, true);
    await using runtime = await start({ policies, effects: 'external' });
    expect([before, after]).not.toContain(asked(await write(runtime)));
    expect(ran).toEqual(['a']);
  });

  it('says so while another process has it', async () => {
    const held: RunJournal = Object.assign(
      { ...journal },
      {
        append: journal.append.bind(journal),
        read: journal.read.bind(journal),
        runs: journal.runs.bind(journal),
        acquire: async (sessionId: string) => {
          if (!sessionId.startsWith('ask-')) return journal.acquire(sessionId);
          setImmediate(() => clock.advance(50));
          throw new SessionBusyError('Held.');
        },
      },
    );
    await using runtime = await start({ journal: held });
    expect(await write(runtime)).toContain('another process has the question at the moment');
  });

  it('is refused where questions belong to a run, and when it is empty', async () => {
    expect(() => suspendApproval({ scope: '' })).toThrow('scope');
    const prompt = promptTemplate({
      ns: 'test',
      key: 'plain',
      sections: [section({ title: 'Task', key: 'task', template: 'Do.' })],
    }).bind();
    await expect(
      scriptedAdapter([{ text: 'Done.' }]).evaluate(prompt, {
        journal,
        approve: suspendApproval({ scope: 'a' }),
      }),
    ).rejects.toThrow('which is for openToolRuntime()');
  });
});

describe('a question without a scope', () => {
  it('refuses an answer once its runtime has ended, or its run was removed', async () => {
    const runtime = await openToolRuntime(
      promptTemplate({
        ns: 'test',
        key: 'asking',
        policies: [asksBefore()],
        sections: [
          section({
            title: 'Task',
            key: 'task',
            template: 'Do.',
            tools: [tool({ name: 'go', description: 'Goes.', execute: () => ToolResult.ok('Gone.') })],
          }),
        ],
      }).bind(),
      { journal, runId: 'run-0', approve: suspendApproval(), clock },
    );
    await runtime.runCalls([{ callId: 'a', name: 'go', arguments: '' }]);
    const [question] = await pendingApprovals({ journal, runId: 'run-0.ask-1' });
    const { digest, id } = question ?? { digest: '', id: '' };
    const answers = [{ id, digest, approved: true }];
    const rows = await journal.read('run-0.ask-1');
    const [listed] = await journal.runs({ runId: 'run-0.ask-1' });
    await runtime[Symbol.asyncDispose]();
    // As it is left by a process that was killed.
    await journal.remove('run-0.ask-1');
    const sessionId = listed?.sessionId ?? '';
    const lease = await journal.acquire(sessionId);
    const summary = {
      promptName: 'asking',
      startedAtMs: 0,
      updatedAtMs: 0,
      turns: 0,
      commits: 0,
      pending: 1,
    };
    await journal.append({ runId: 'run-0.ask-1', rows, summary: { ...summary, status: 'suspended' } }, lease);
    await lease.release();
    await expect(answerApprovals({ journal, runId: 'run-0.ask-1', answers, clock })).rejects.toThrow(
      'the tool runtime "run-0" that asked has ended, and its questions with it',
    );
  });
});

describe('property: questions with a scope', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('call' as const), server: fc.nat(1), text: fc.constantFrom('a', 'b') }),
    fc.record({ kind: fc.constant('answer' as const), which: fc.nat(5), approved: fc.boolean() }),
    fc.record({ kind: fc.constant('restart' as const), server: fc.nat(1) }),
  );

  it('a call goes through as often as it was approved, whoever runs it, and never without a yes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        journal = memoryJournal();
        const servers: ToolRuntime[] = [];
        const restart = async (server: number): Promise<void> => {
          await servers[server]?.[Symbol.asyncDispose]();
          filesystem = new MemoryFilesystem();
          servers[server] = await start();
        };
        await restart(0);
        await restart(1);
        /** By text: the question about it, and its answer. */
        const known = new Map<string, { readonly runId: string; approved?: boolean }>();
        for (const each of steps) {
          if (each.kind === 'restart') await restart(each.server);
          else if (each.kind === 'answer') {
            const waiting = [...known.values()].filter(({ approved }) => approved === undefined);
            const chosen = waiting[each.which % Math.max(1, waiting.length)];
            if (chosen === undefined) continue;
            await answer(chosen.runId, each.approved, 'It must not be.');
            chosen.approved = each.approved;
          } else {
            const runtime = servers[each.server];
            if (runtime === undefined) throw new Error('There is no server.');
            const text = await write(runtime, each.text);
            const question = known.get(each.text);
            if (question === undefined) known.set(each.text, { runId: asked(text) });
            else if (question.approved === undefined) expect(asked(text)).toBe(question.runId);
            else if (!question.approved) expect(text).toContain('It must not be.');
            else {
              expect(text).toBe(`Wrote ${each.text}.`);
              known.delete(each.text);
            }
          }
        }
        const waiting = await journal.runs({ status: 'suspended' });
        expect(waiting.map(({ runId }) => runId).toSorted()).toEqual(
          [...known.values()].map(({ runId }) => runId).toSorted(),
        );
        for (const runtime of servers) await runtime[Symbol.asyncDispose]();
      }),
      { numRuns: draws(60) },
    );
  });
});
