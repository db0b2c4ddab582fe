import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  binding,
  Filesystem,
  forkRun,
  MemoryFilesystem,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  PromptValidationError,
  promptTemplate,
  resumeRun,
  Session,
  SessionBusyError,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  type ToolRuntimeOptions,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { type RunRecord, readRunRecord, replayRun } from 'weakincentives/record';
import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../../../support/act.ts';
import { gate } from '../../../support/gate.ts';
import { type WatchedJournal, watchedJournal } from '../../../support/journals.ts';
import { Added, add, Count, promptWith } from '../../../support/nested-setup.ts';
import { callsOf, textsOf, total } from '../../../support/runtime-calls.ts';

const newSession = (): Session => new Session({ id: 'session' });

async function recordOf(journal: Pick<WatchedJournal, 'read'>): Promise<RunRecord> {
  return readRunRecord((await journal.read('run')).map(({ line }) => line));
}

/** The types of the rows of each batch that was appended. */
const typesOf = ({ batches }: WatchedJournal): readonly (readonly string[])[] =>
  batches.map(({ rows }) => rows.map(({ type }) => type));

const write: AnyTool = tool({
  name: 'write',
  description: 'Writes.',
  effects: 'state',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }, { filesystem }) => {
    await filesystem.write('out.md', text);
    return ToolResult.ok(null, `Wrote ${text}.`);
  },
});

function promptOn(filesystem: Filesystem, policies: readonly ToolPolicy[] = []): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'files',
    policies,
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [section({ title: 'Task', key: 'task', template: 'Write.', tools: [write] })],
  }).bind();
}

const writing = (text: string) => ({ callId: text, name: 'write', arguments: { text } });

describe('a tool runtime with a journal', () => {
  it('is listed from its opening to its end', async () => {
    const journal = watchedJournal();
    const runtime = await openToolRuntime(promptWith('listed', [add]), {
      journal,
      runId: 'run',
      session: newSession(),
      agentName: 'counter',
    });
    expect(await journal.runs()).toMatchObject([
      {
        runId: 'run',
        sessionId: 'session',
        status: 'running',
        isToolRuntime: true,
        promptName: 'listed',
        agent: 'counter',
        turns: 0,
        commits: 0,
      },
    ]);
    await runtime.runCalls(callsOf('add', 'add'));
    await runtime.call({ callId: 'x', name: 'unknown', arguments: '' });
    expect(await journal.runs()).toMatchObject([{ status: 'running', turns: 2, commits: 2 }]);
    await runtime[Symbol.asyncDispose]();
    expect(await journal.runs()).toMatchObject([{ status: 'finished', turns: 2, commits: 2 }]);
    // The session is free again.
    await (await journal.acquire('session')).release();
  });

  it('makes a name for the run where it is given none', async () => {
    const journal = watchedJournal();
    await using _ = await openToolRuntime(promptWith('unnamed', [add]), { journal });
    expect(await journal.runs()).toMatchObject([{ runId: expect.stringMatching(/.{8}/) }]);
  });

  it('is interrupted when its process ends before it is disposed of', async () => {
    const journal = watchedJournal();
    const runtime = await openToolRuntime(promptWith('killed', [add]), { journal, runId: 'run' });
    await runtime.runCalls(callsOf('add'));
    const left = memoryJournal();
    const lease = await left.acquire('session');
    for (const batch of journal.batches) await left.append(batch, lease);
    await lease.release();
    expect(await left.runs()).toMatchObject([{ status: 'interrupted', commits: 1 }]);
    await runtime[Symbol.asyncDispose]();
  });

  it('has failed when it was stopped: there is nothing that could continue it', async () => {
    const journal = watchedJournal();
    const stop = new AbortController();
    const inside = gate();
    const runtime = await openToolRuntime(promptWith('stopped', [act('waits', () => inside.pass())]), {
      journal,
      runId: 'run',
      signal: stop.signal,
    });
    const call = runtime.call({ callId: 'a', name: 'waits', arguments: '' });
    await inside.reached;
    stop.abort();
    await expect(call).rejects.toMatchObject({ code: 'evaluation-aborted' });
    await runtime[Symbol.asyncDispose]();
    expect(await journal.runs()).toMatchObject([{ status: 'failed' }]);
    expect((await recordOf(journal)).calls).toMatchObject([{ outcome: 'aborted' }]);
  });

  it('returns an answer when the rows of its call are durable', async () => {
    const appending = gate();
    let isHeld = false;
    const journal = watchedJournal(({ rows }) =>
      rows.some(({ type }) => type === 'commit') && isHeld ? appending.pass() : undefined,
    );
    await using runtime = await openToolRuntime(promptWith('durable', [add]), { journal, runId: 'run' });
    isHeld = true;
    let isAnswered = false;
    const call = runtime.call({ callId: 'a', name: 'add', arguments: '' }).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await appending.reached;
    expect(isAnswered).toBe(false);
    appending.open();
    expect((await call).text).toBe('Counted 1.');
    expect(typesOf(journal).at(-1)).toEqual(['event', 'commit', 'delivered']);
  });

  it('returns the error of a turn when the rows of its calls are durable', async () => {
    const journal = watchedJournal();
    const stop = new AbortController();
    const runtime = await openToolRuntime(
      promptWith('error', [add, act('stops', () => stop.abort(), { effects: 'external' })]),
      {
        journal,
        runId: 'run',
        signal: stop.signal,
      },
    );
    await using _ = runtime;
    await expect(runtime.runCalls(callsOf('add', 'stops'))).rejects.toMatchObject({
      code: 'evaluation-aborted',
    });
    expect((await recordOf(journal)).calls).toMatchObject([{ outcome: 'committed' }, { outcome: 'aborted' }]);
  });

  it('refuses a name that the journal has, and leaves the session free', async () => {
    const journal = watchedJournal();
    await (await openToolRuntime(promptWith('first', [add]), { journal, runId: 'run' }))[
      Symbol.asyncDispose
    ]();
    const session = newSession();
    const again = openToolRuntime(promptWith('again', [add]), { journal, runId: 'run', session });
    await expect(again).rejects.toThrow('The journal has a run "run" already. Give this one another runId.');
    await using runtime = await openToolRuntime(promptWith('again', [add]), {
      journal,
      runId: 'other',
      session,
    });
    expect(textsOf(await runtime.runCalls(callsOf('add')))).toEqual(['Counted 1.']);
  });

  it('refuses a session that another owner has', async () => {
    const journal = watchedJournal();
    await using _ = await openToolRuntime(promptWith('first', [add]), { journal, session: newSession() });
    const other = openToolRuntime(promptWith('other', [add]), { journal, session: newSession() });
    await expect(other).rejects.toThrow(SessionBusyError);
  });

  it('refuses files that another run with a journal uses, and says so in its record', async () => {
    const journal = watchedJournal();
    const filesystem = new MemoryFilesystem();
    const first = await openToolRuntime(promptOn(filesystem), { journal, runId: 'first' });
    const second = openToolRuntime(promptOn(filesystem), { journal, runId: 'run', session: newSession() });
    await expect(second).rejects.toThrow('another run with a journal uses it');
    expect((await recordOf(journal)).root).toMatchObject({ outcome: 'failed' });
    await (await journal.acquire('session')).release();
    await first[Symbol.asyncDispose]();
    await using third = await openToolRuntime(promptOn(filesystem), { journal, runId: 'third' });
    expect((await third.call(writing('a'))).text).toBe('Wrote a.');
  });

  it.each<[string, ToolRuntimeOptions | object, string]>([
    ['a runId without a journal', { runId: 'run' }, 'The option runId needs a journal'],
    [
      'an empty runId',
      { journal: memoryJournal(), runId: '' },
      'openToolRuntime(): runId must be a text of 1 to 512 characters',
    ],
    ['what is not a journal', { journal: { append: () => undefined } }, 'journal'],
    [
      'an unknown option',
      { journal: memoryJournal(), maxTurns: 1 },
      'openToolRuntime() has no option "maxTurns"; use limits.maxTurns.',
    ],
  ])('refuses %s', async (_what, options, message) => {
    const opening = openToolRuntime(promptWith('options', [add]), options);
    await expect(opening).rejects.toThrow(PromptValidationError);
    await expect(opening).rejects.toThrow(message);
  });

  it('refuses to suspend approvals without a journal', async () => {
    const opening = openToolRuntime(promptWith('suspends', [add]), { approve: suspendApproval() });
    await expect(opening).rejects.toThrow(PromptValidationError);
    await expect(opening).rejects.toThrow('suspendApproval() needs a journal');
  });

  it('does not leave a lease when its prompt cannot be prepared', async () => {
    const journal = watchedJournal();
    const prompt = promptTemplate({
      ns: 'test',
      key: 'broken',
      sections: [
        section({
          title: 'Task',
          key: 'task',
          render: () => {
            throw new TypeError('It cannot be rendered.');
          },
        }),
      ],
    }).bind();
    const opening = openToolRuntime(prompt, { journal, runId: 'run', session: newSession() });
    await expect(opening).rejects.toMatchObject({ code: 'evaluation-render-failed' });
    await (await journal.acquire('session')).release();
    expect(await journal.read('run')).toEqual([]);
  });

  it('keeps who was asked, and what was answered, before the call continues', async () => {
    const journal = watchedJournal();
    const asks: ToolPolicy = { name: 'asks', check: () => PolicyDecision.ask('It writes.') };
    const before: string[] = [];
    await using runtime = await openToolRuntime(promptOn(new MemoryFilesystem(), [asks]), {
      journal,
      runId: 'run',
      approve: () => {
        before.push(...typesOf(journal).flat());
        return { approved: false, reason: 'not today.' };
      },
    });
    expect((await runtime.call(writing('a'))).text).toContain('not today.');
    expect(before).toContain('question');
    expect(typesOf(journal).flat()).toContain('answer');
  });

  it('flushes before the model of an evaluation inside a call is asked', async () => {
    const journal = watchedJournal();
    const seen: string[] = [];
    const adapter = scriptedAdapter(() => {
      seen.push(...typesOf(journal).flat());
      return { text: 'inside' };
    });
    const asksInside = act('asks', async (context) => {
      const { text } = await context.adapter.evaluate(promptWith('inner', []));
      return ToolResult.ok(null, text);
    });
    await using runtime = await openToolRuntime(promptWith('outer', [asksInside]), {
      journal,
      runId: 'run',
      adapter,
    });
    expect(textsOf(await runtime.runCalls(callsOf('asks')))).toEqual(['inside']);
    expect(seen).toContain('request');
    const { runs } = await recordOf(journal);
    expect(runs).toMatchObject([
      { promptName: 'outer' },
      { outcome: 'finished', text: 'inside', parent: { call: { toolName: 'asks' } } },
    ]);
  });

  it('keeps what others change between its calls, and what its subscribers do', async () => {
    const journal = watchedJournal();
    const session = newSession();
    await using runtime = await openToolRuntime(promptWith('outside', [add]), {
      journal,
      runId: 'run',
      session,
    });
    session.dispatch(Added, { by: 10 });
    await runtime.runCalls(callsOf('add'));
    session.dispatch(Added, { by: 100 });
    await runtime.runCalls(callsOf('add'));
    const record = await recordOf(journal);
    const totals = [0, 1, 2].map((seq) => record.stateAt(seq).find(({ name }) => name === Count.name)?.items);
    expect(totals).toMatchObject([
      [{ value: { total: 10 } }],
      [{ value: { total: 111 } }],
      [{ value: { total: 112 } }],
    ]);
    expect(total(session)).toBe(112);
  });
});

describe('a tool runtime that has lost its journal', () => {
  const lost = expect.objectContaining({ code: 'run-lost' });

  it('rejects the call whose rows cannot be written, every later one, and all that reads its state', async () => {
    let isFull = false;
    const journal = watchedJournal(() => {
      if (isFull) throw new Error('The disk is full.');
    });
    const filesystem = new MemoryFilesystem();
    const session = newSession();
    const lines: string[] = [];
    const logger = { ...silent(), error: (line: string) => void lines.push(line) };
    const runtime = await openToolRuntime(promptOn(filesystem), { journal, runId: 'run', session, logger });
    isFull = true;
    await expect(runtime.call(writing('a'))).rejects.toEqual(lost);
    isFull = false;
    await expect(runtime.call(writing('b'))).rejects.toEqual(lost);
    await expect(runtime.runCalls([writing('c')])).rejects.toEqual(lost);
    expect(runtime.signal.aborted).toBe(true);
    expect(() => session.slice(Count).all()).toThrow(lost);
    await expect(filesystem.read('out.md')).rejects.toEqual(lost);
    await runtime[Symbol.asyncDispose]();
    await expect(runtime.call(writing('d'))).rejects.toEqual(lost);
    expect(lines).toContain('The end of a tool runtime could not be kept in its journal.');
    expect((await recordOf(journal)).commits).toEqual([]);
    // It gave back what it held.
    await (await journal.acquire('session')).release();
  });

  it('rejects when its lease is lost between two calls', async () => {
    const journal = watchedJournal();
    const runtime = await openToolRuntime(promptWith('revoked', [add]), {
      journal,
      runId: 'run',
      session: newSession(),
    });
    await runtime.runCalls(callsOf('add'));
    await journal.revoke('session');
    expect(runtime.signal.aborted).toBe(true);
    await expect(runtime.runCalls(callsOf('add'))).rejects.toEqual(lost);
    await runtime[Symbol.asyncDispose]();
    expect(await journal.runs()).toMatchObject([{ status: 'interrupted', commits: 1 }]);
  });

  it('stops the calls that run', async () => {
    const journal = watchedJournal();
    const inside = gate();
    const runtime = await openToolRuntime(promptWith('running', [add, act('waits', () => inside.pass())]), {
      journal,
      runId: 'run',
      session: newSession(),
    });
    const waits = runtime.call({ callId: 'a', name: 'waits', arguments: '' });
    await inside.reached;
    await journal.revoke('session');
    await expect(waits).rejects.toEqual(lost);
    await runtime[Symbol.asyncDispose]();
  });

  it('does not open when its first rows cannot be written', async () => {
    const journal = watchedJournal(() => {
      throw new Error('The disk is full.');
    });
    const opening = openToolRuntime(promptWith('full', [add]), {
      journal,
      runId: 'run',
      session: newSession(),
    });
    await expect(opening).rejects.toEqual(lost);
    await (await journal.acquire('session')).release();
  });

  it('says that it was disposed of where nothing was lost', async () => {
    const runtime = await openToolRuntime(promptWith('closed', [add]), { journal: watchedJournal() });
    await runtime[Symbol.asyncDispose]();
    await expect(runtime.runCalls(callsOf('add'))).rejects.toThrow(TransactionClosedError);
  });
});

describe('the run of a tool runtime', () => {
  async function ran(): Promise<WatchedJournal> {
    const journal = watchedJournal();
    await using runtime = await openToolRuntime(promptWith('ran', [add]), { journal, runId: 'run' });
    await runtime.runCalls(callsOf('add'));
    return journal;
  }

  it('cannot be resumed', async () => {
    const resuming = resumeRun({
      adapter: scriptedAdapter([{ text: 'done' }]),
      prompt: promptWith('ran', [add]),
      journal: await ran(),
      runId: 'run',
    });
    await expect(resuming).rejects.toThrow(PromptValidationError);
    await expect(resuming).rejects.toThrow('cannot be resumed: it is that of a tool runtime');
  });

  it('cannot be forked', async () => {
    const forking = forkRun({ journal: await ran(), runId: 'run', at: 1 });
    await expect(forking).rejects.toThrow(PromptValidationError);
    await expect(forking).rejects.toThrow('cannot be forked: it is that of a tool runtime');
  });

  it('cannot be replayed', async () => {
    const record = await recordOf(await ran());
    expect(record.isToolRuntime).toBe(true);
    const replaying = replayRun({ record, prompt: promptWith('ran', [add]) });
    await expect(replaying).rejects.toThrow(PromptValidationError);
    await expect(replaying).rejects.toThrow('cannot be replayed: it is that of a tool runtime');
  });
});

function silent() {
  const ignore = (): void => undefined;
  return { debug: ignore, info: ignore, warn: ignore, error: ignore };
}
