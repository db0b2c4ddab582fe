import { beforeEach, describe, expect, it } from 'vitest';
import {
  answerApprovals,
  binding,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  type PendingApproval,
  PolicyDecision,
  type Prompt,
  pendingApprovals,
  promptTemplate,
  resumeRun,
  Session,
  type SuspendApprovalOptions,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  type ToolRuntime,
  type ToolRuntimeOutput,
  tool,
} from 'weakincentives';
import { readRunRecord } from 'weakincentives/record';
import { createManualClock, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { type WatchedJournal, watchedJournal } from '../../../support/journals.ts';
import { only } from '../../../support/run-calls.ts';

let journal: WatchedJournal;
let filesystem: MemoryFilesystem;
let ran: string[];

const clock = createManualClock();

/** Asks before a call, or about what it has changed. */
const asking = (about: 'call' | 'changes'): ToolPolicy => ({
  name: 'asks',
  ...(about === 'call'
    ? { check: () => PolicyDecision.ask('It writes.') }
    : { checkChanges: () => PolicyDecision.ask('It has written.') }),
});

function promptOf(policy: ToolPolicy): Prompt {
  const write = tool({
    name: 'write',
    description: 'Writes.',
    effects: 'state',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }, context) => {
      ran.push(text);
      await context.filesystem.write('out.md', text);
      if (text === 'broken') return ToolResult.error('It is broken.');
      return ToolResult.ok(null, `Wrote ${text}.`);
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'asking',
    policies: [policy],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Write.', tools: [write] })],
  }).bind();
}

async function open(
  about: 'call' | 'changes' = 'call',
  options: SuspendApprovalOptions = {},
  runId = 'run',
): Promise<ToolRuntime> {
  const session = new Session({ id: `s-${runId}` });
  const approve = suspendApproval(options);
  return openToolRuntime(promptOf(asking(about)), {
    journal,
    runId,
    session,
    approve,
    clock,
    agentName: 'writer',
  });
}

let calls = 0;

/** Makes calls that write these texts, in one turn: calls that come one by one wait for the clock. */
async function writeAll(
  runtime: ToolRuntime,
  ...texts: readonly string[]
): Promise<readonly ToolRuntimeOutput[]> {
  return runtime.runCalls(
    texts.map((text) => {
      calls += 1;
      return { callId: `call-${calls}`, name: 'write', arguments: { text } };
    }),
  );
}

const write = async (runtime: ToolRuntime, text: string): Promise<ToolRuntimeOutput> =>
  only(await writeAll(runtime, text));

/** Answers the only question of a run, as a person does in another process. */
async function answer(runId: string, approved: boolean, note?: string): Promise<void> {
  const [question] = await pendingApprovals({ journal, runId });
  if (question === undefined) throw new Error(`The run ${runId} asks nothing.`);
  const { id, digest } = question;
  const answers = [{ id, digest, approved, ...(note === undefined ? {} : { note }) }];
  await answerApprovals({ journal, runId, answers, clock });
}

/** The runs that are questions, by name. */
async function questions(): Promise<readonly (readonly [string, string])[]> {
  const runs = (await journal.runs()).filter(({ runId }) => runId.includes('.ask-'));
  return runs
    .map(({ runId, status }) => [runId, status] as const)
    .toSorted(([left], [right]) => (left < right ? -1 : 1));
}

beforeEach(() => {
  journal = watchedJournal();
  filesystem = new MemoryFilesystem();
  ran = [];
});

describe.each(['call', 'changes'] as const)('a question about the %s in a tool runtime', (about) => {
  it('denies the call, waits in the journal, and lets the same call through once it is answered', async () => {
    const told: PendingApproval[] = [];
    await using runtime = await open(about, { onPending: (pending) => void told.push(...pending) });
    const denied = await write(runtime, 'a');
    expect(denied).toMatchObject({
      isError: true,
      invocation: { outcome: 'denied', reason: 'not-approved' },
    });
    expect(denied.text).toContain(
      'it waits for the answer of a person, as the question "run.ask-1". Make the same call again once it is answered.',
    );
    expect(denied.text).not.toMatch(/wink|approvals/);
    expect(await filesystem.stat('out.md')).toBeUndefined();
    const [question] = await pendingApprovals({ journal, runId: 'run.ask-1' });
    expect(question).toMatchObject({ toolName: 'write', params: { text: 'a' }, policy: 'asks' });
    expect(question?.changes?.map(({ path }) => path)).toEqual(about === 'call' ? undefined : ['out.md']);
    expect(told.map(({ id, digest }) => [id, digest])).toEqual([[question?.id, question?.digest]]);
    // Asked again, it waits for the same answer.
    expect((await write(runtime, 'a')).text).toContain('run.ask-1');
    expect(told).toHaveLength(1);
    // The runtime holds its session, and the question has one of its own.
    await answer('run.ask-1', true);
    expect((await write(runtime, 'a')).text).toBe('Wrote a.');
    expect(await questions()).toEqual([['run.ask-1', 'finished']]);
    expect((await filesystem.read('out.md')).text).toBe('a');
    // Once only.
    expect((await write(runtime, 'a')).text).toContain('run.ask-2');
  });

  it('is denied for good after a no, with the note', async () => {
    await using runtime = await open(about);
    await write(runtime, 'a');
    await answer('run.ask-1', false, 'not on a Friday.');
    for (let time = 1; time <= 2; time += 1) {
      const { text } = await write(runtime, 'a');
      expect(text).toContain('not on a Friday.');
    }
    expect(await questions()).toEqual([['run.ask-1', 'suspended']]);
  });

  it('is another one for other params', async () => {
    await using runtime = await open(about);
    await write(runtime, 'a');
    await answer('run.ask-1', true);
    expect((await write(runtime, 'b')).text).toContain('run.ask-2');
    expect(await questions()).toEqual([
      ['run.ask-1', 'suspended'],
      ['run.ask-2', 'suspended'],
    ]);
  });

  it('is asked anew when it has expired', async () => {
    await using runtime = await open(about, { expiresMs: 1_000 });
    await write(runtime, 'a');
    clock.advance(999);
    expect((await write(runtime, 'a')).text).toContain('run.ask-1');
    clock.advance(1);
    expect((await write(runtime, 'a')).text).toContain('run.ask-2');
    expect(await questions()).toEqual([
      ['run.ask-1', 'finished'],
      ['run.ask-2', 'suspended'],
    ]);
    await answer('run.ask-2', true);
    expect((await write(runtime, 'a')).text).toBe('Wrote a.');
  });

  it('lets one of two calls through that are made at the same time', async () => {
    await using runtime = await open(about);
    const asked = await writeAll(runtime, 'a', 'a');
    expect(asked.every(({ text }) => text.includes('run.ask-1'))).toBe(true);
    await answer('run.ask-1', true);
    const answered = await writeAll(runtime, 'a', 'a');
    expect(answered.filter(({ isError }) => isError)).toHaveLength(1);
    expect(answered.find(({ isError }) => isError)?.text).toContain('run.ask-2');
  });
});

describe('a tool runtime that suspends approvals', () => {
  it('runs a handler only after a yes', async () => {
    await using runtime = await open();
    await write(runtime, 'a');
    expect(ran).toEqual([]);
    await answer('run.ask-1', true);
    await write(runtime, 'a');
    expect(ran).toEqual(['a']);
  });

  it('takes a yes for used when the call then fails', async () => {
    await using runtime = await open();
    await write(runtime, 'broken');
    await answer('run.ask-1', true);
    expect((await write(runtime, 'broken')).text).toContain('It is broken.');
    expect((await write(runtime, 'broken')).text).toContain('run.ask-2');
  });

  it('ends the wait of what was not answered when it is disposed of', async () => {
    const runtime = await open();
    await write(runtime, 'a');
    await write(runtime, 'b');
    await answer('run.ask-2', false);
    await runtime[Symbol.asyncDispose]();
    expect(await questions()).toEqual([
      ['run.ask-1', 'finished'],
      ['run.ask-2', 'finished'],
    ]);
    expect(await pendingApprovals({ journal, runId: 'run.ask-1' })).toEqual([]);
  });

  it('asks anew when someone has removed the question', async () => {
    await using runtime = await open();
    await write(runtime, 'a');
    await journal.remove('run.ask-1');
    expect((await write(runtime, 'a')).text).toContain('run.ask-2');
  });

  it('gives no question a name that the journal has', async () => {
    const first = await open();
    await write(first, 'a');
    await first[Symbol.asyncDispose]();
    await journal.remove('run');
    await using second = await open();
    expect((await write(second, 'a')).text).toContain('run.ask-2');
  });

  it('lists its questions with what it is, and no one continues with them', async () => {
    await using runtime = await open();
    await write(runtime, 'a');
    const [question] = (await journal.runs()).filter(({ runId }) => runId === 'run.ask-1');
    expect(question).toMatchObject({
      status: 'suspended',
      pending: 1,
      sessionId: expect.stringMatching(/^run\.ask-[0-9a-f]{64}$/),
      isToolRuntime: true,
      promptName: 'asking',
      agent: 'writer',
      commits: 0,
    });
    const record = await readRunRecord((await journal.read('run.ask-1')).map(({ line }) => line));
    expect(record).toMatchObject({ isToolRuntime: true, root: { outcome: 'suspended' } });
    const resuming = resumeRun({
      journal,
      runId: 'run.ask-1',
      prompt: promptOf(asking('call')),
      adapter: scriptedAdapter([{ text: 'done' }]),
    });
    await expect(resuming).rejects.toThrow('it is that of a tool runtime');
  });

  it('denies a call whose question cannot be kept, and asks again', async () => {
    let isFull = false;
    journal = watchedJournal(({ runId }) => {
      if (isFull && runId.includes('.ask-')) throw new Error('The disk is full.');
    });
    await using runtime = await open();
    isFull = true;
    expect((await write(runtime, 'a')).text).toContain('The disk is full.');
    isFull = false;
    expect((await write(runtime, 'a')).text).toContain('run.ask-2');
  });

  it('logs what onPending throws', async () => {
    const lines: string[] = [];
    const ignore = (): void => undefined;
    const logger = {
      debug: ignore,
      info: ignore,
      warn: ignore,
      error: (line: string) => void lines.push(line),
    };
    const approve = suspendApproval({
      onPending: () => {
        throw new Error('No one is there.');
      },
    });
    await using runtime = await openToolRuntime(promptOf(asking('call')), {
      journal,
      approve,
      logger,
      runId: 'run',
    });
    expect((await write(runtime, 'a')).text).toContain('run.ask-1');
    expect(lines).toEqual(['The function onPending failed; the question waits all the same.']);
  });

  it('denies questions of calls inside other calls', async () => {
    const inner = scriptedAdapter([
      { toolCalls: [{ name: 'write', arguments: { text: 'inside' } }] },
      { text: 'Done.' },
    ]);
    const outer = tool({
      name: 'outer',
      description: 'Evaluates.',
      effects: 'state',
      execute: async (_params, context) => {
        const { conversation } = await context.adapter.evaluate(promptOf(asking('call')));
        const said = conversation.find(({ type }) => type === 'tool-result');
        return ToolResult.ok(null, said?.type === 'tool-result' ? said.text : '');
      },
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'outer',
      resources: [binding(Filesystem, { instance: filesystem })],
      sections: [section({ title: 'Task', key: 'task', template: 'Do.', tools: [outer] })],
    }).bind();
    await using runtime = await openToolRuntime(prompt, {
      journal,
      runId: 'run',
      adapter: inner,
      approve: suspendApproval(),
    });
    const { text } = await runtime.call({ callId: 'o', name: 'outer', arguments: '' });
    expect(text).toContain('only calls of its own can wait for an answer');
    expect(await questions()).toEqual([]);
  });
});
