import { describe, expect, it } from 'vitest';
import {
  answerApprovals,
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  type PendingApproval,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  type ResumeAnswer,
  reducers,
  resumeRun,
  Session,
  type SuspendedRun,
  section,
  suspendApproval,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { createManualClock, type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, type WatchedJournal, watchedJournal } from '../../../support/journals.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Notes = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, reducers.append())],
});

interface Setup {
  readonly ran: string[];
  readonly policies?: readonly ToolPolicy[];
  readonly filesystem?: MemoryFilesystem;
}

const asksFor = (...names: string[]): ToolPolicy => ({
  name: 'asks',
  check: ({ tool: { name } }) =>
    names.includes(name) ? PolicyDecision.ask(`Really ${name}?`) : PolicyDecision.allow(),
});
const asksAboutChanges: ToolPolicy = {
  name: 'reviews',
  checkChanges: () => PolicyDecision.ask('Is this right?'),
};

function promptOf({
  ran,
  policies = [asksFor('publish')],
  filesystem = new MemoryFilesystem(),
}: Setup): Prompt {
  const make = (name: string, effects: 'state' | 'external') =>
    tool({
      name,
      description: `Does ${name}.`,
      effects,
      inputSchema: z.object({ text: z.string() }),
      execute: async ({ text }, { session, filesystem: files, attempt }) => {
        ran.push(`${name} ${text} ${attempt}`);
        session.dispatch(Noted, { text: `${name} ${text}` });
        await files.write(`${name}.md`, `${text}\n`);
        return ToolResult.ok({ done: text }, `Did ${name} ${text}.`);
      },
    });
  return promptTemplate({
    ns: 'test',
    key: 'publishing',
    policies,
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: 'Do it.',
        slices: [Notes],
        tools: [make('draft', 'state'), make('publish', 'external'), make('mail', 'external')],
      }),
    ],
  }).bind();
}

const call = (name: string, text: string): { name: string; arguments: { text: string } } => ({
  name,
  arguments: { text },
});

/** A model that asks for these calls in its first turn. */
const calling = (...calls: readonly ScriptedToolCall[]): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([{ toolCalls: calls }, { text: 'done' }]);

function assertSuspended(run: { readonly finishReason: string }): asserts run is SuspendedRun {
  expect(run.finishReason).toBe('suspended');
}

const yes = ({ id, digest }: PendingApproval): ResumeAnswer => ({ id, digest, approved: true, by: 'ann' });
const no = ({ id, digest }: PendingApproval): ResumeAnswer => ({
  id,
  digest,
  approved: false,
  note: 'Not today.',
});

async function suspend(
  setup: Setup,
  adapter = calling(call('draft', 'a'), call('publish', 'b')),
  journal: WatchedJournal = watchedJournal(),
): Promise<{ suspended: SuspendedRun; journal: WatchedJournal; adapter: typeof adapter }> {
  const suspended = await adapter.evaluate(promptOf(setup), {
    journal,
    runId: 'run',
    approve: suspendApproval(),
  });
  assertSuspended(suspended);
  return { suspended, journal, adapter };
}

describe('a run that is suspended', () => {
  it('ends with the question, after the calls before it were committed', async () => {
    const ran: string[] = [];
    const { suspended, journal } = await suspend({ ran });
    expect(suspended).toMatchObject({ promptName: 'publishing', runId: 'run' });
    expect(suspended.pending).toEqual([
      {
        id: 'run/1/call-1-2/1/asks',
        key: 'run/1/call-1-2',
        digest: expect.stringMatching(/^[0-9a-f]{64}$/),
        turn: 1,
        callId: 'call-1-2',
        toolName: 'publish',
        params: { text: 'b' },
        policy: 'asks',
        reason: 'Really publish?',
        askedAtMs: expect.any(Number),
      },
    ]);
    expect(ran).toEqual(['draft a 1']);
    expect(await journal.runs()).toMatchObject([
      { runId: 'run', status: 'suspended', pending: 1, commits: 1 },
    ]);
  });

  it('makes questions durable before anyone hears of them', async () => {
    const journal = watchedJournal();
    const seen: string[][] = [];
    await calling(call('publish', 'b')).evaluate(promptOf({ ran: [] }), {
      journal,
      runId: 'run',
      approve: suspendApproval({
        onPending: async () => {
          seen.push((await journal.read('run')).map(({ type }) => type));
          throw new Error('The mail server is down.');
        },
      }),
    });
    expect(seen).toHaveLength(1);
    expect(seen[0]).toContain('pending');
  });

  it('keeps its questions whatever onPending does to them', async () => {
    const journal = watchedJournal();
    const end = await calling(call('publish', 'b')).evaluate(promptOf({ ran: [] }), {
      journal,
      runId: 'run',
      approve: suspendApproval({
        onPending: ([question]) => {
          Object.assign(question ?? {}, { toolName: 'other', digest: 'other' });
        },
      }),
    });
    expect(end).toMatchObject({ finishReason: 'suspended', pending: [{ toolName: 'publish' }] });
    expect(end).not.toMatchObject({ pending: [{ digest: 'other' }] });
  });

  it('continues with a yes, and asks every check again', async () => {
    const ran: string[] = [];
    const asked: string[] = [];
    const counting: ToolPolicy = {
      name: 'counts',
      check: ({ tool: { name } }) => (asked.push(name), PolicyDecision.allow()),
    };
    const setup = { ran, policies: [counting, asksFor('publish')] };
    const { suspended, journal, adapter } = await suspend(setup);
    ran.length = 0;
    asked.length = 0;
    const end = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      prompt: promptOf(setup),
      answers: suspended.pending.map(yes),
    });
    expect(end).toMatchObject({ finishReason: 'stop', text: 'done' });
    expect(ran).toEqual(['publish b 1']);
    expect(asked).toEqual(['publish']);
    expect(await journal.runs()).toMatchObject([{ status: 'finished', pending: 0, commits: 2 }]);
  });

  it('denies the call with a no, also when the policy is gone', async () => {
    const ran: string[] = [];
    const { suspended, journal, adapter } = await suspend({ ran });
    const prompt = promptOf({ ran, policies: [] });
    const end = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      prompt,
      answers: suspended.pending.map(no),
    });
    expect(end.finishReason).toBe('stop');
    expect(ran).toEqual(['draft a 1']);
    expect(end.conversation.at(-2)).toMatchObject({
      isError: true,
      text: expect.stringContaining('Not today.'),
    });
  });

  it('waits on, with the same questions, when it is resumed without answers', async () => {
    const ran: string[] = [];
    const { suspended, journal, adapter } = await suspend({ ran });
    const again = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf({ ran }) });
    assertSuspended(again);
    expect(again.pending).toEqual(suspended.pending);
    expect(ran).toEqual(['draft a 1']);
  });

  it('lists the questions of all calls of the turn, and runs no handler after the first', async () => {
    const ran: string[] = [];
    const setup = { ran, policies: [asksFor('publish', 'mail')] };
    const adapter = calling(call('publish', 'a'), call('draft', 'b'), call('mail', 'c'));
    const { suspended, journal } = await suspend(setup, adapter);
    expect(suspended.pending.map(({ callId, toolName }) => [callId, toolName])).toEqual([
      ['call-1-1', 'publish'],
      ['call-1-3', 'mail'],
    ]);
    expect(ran.filter((each) => !each.startsWith('draft'))).toEqual([]);
    ran.length = 0;
    const end = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      prompt: promptOf(setup),
      answers: suspended.pending.map(yes),
    });
    expect(end.finishReason).toBe('stop');
    expect(ran).toEqual(['publish a 1', 'draft b 1', 'mail c 1']);
  });

  it.each([
    ['of no tool', { name: 'none', arguments: {} }],
    ['without arguments that can be read', { name: 'draft', arguments: '{"te' }],
  ])('makes a call %s again after a call that waits', async (_what, wrong) => {
    const ran: string[] = [];
    const setup = { ran };
    const adapter = calling(call('publish', 'a'), wrong, call('draft', 'b'));
    const { suspended, journal } = await suspend(setup, adapter);
    const answers = suspended.pending.map(yes);
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf(setup), answers });
    expect(end.finishReason).toBe('stop');
    const results = end.conversation.filter(({ type }) => type === 'tool-result');
    expect(results).toMatchObject([{ isError: false }, { isError: true }, { isError: false }]);
    expect(ran.at(-1)).toBe('draft b 1');
  });

  it('asks one question after the other when one is answered', async () => {
    const ran: string[] = [];
    const setup = { ran, policies: [asksFor('publish', 'mail')] };
    const adapter = calling(call('publish', 'a'), call('mail', 'c'));
    const { suspended, journal } = await suspend(setup, adapter);
    const [first] = suspended.pending;
    const next = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      prompt: promptOf(setup),
      answers: first === undefined ? [] : [yes(first)],
    });
    assertSuspended(next);
    expect(next.pending).toMatchObject([{ callId: 'call-1-2' }]);
    expect(ran).toEqual(['publish a 1']);
  });

  it('commits exactly the changes that were approved, without running the handler again', async () => {
    const ran: string[] = [];
    const filesystem = new MemoryFilesystem();
    const setup = { ran, policies: [asksAboutChanges], filesystem };
    const adapter = calling(call('draft', 'a'));
    const { suspended, journal } = await suspend(setup, adapter);
    expect(suspended.pending[0]?.changes).toMatchObject([{ path: 'draft.md', kind: 'created' }]);
    expect(await filesystem.stat('draft.md')).toBeUndefined();
    const session = new Session({ id: (await journal.runs())[0]?.sessionId ?? '' });
    const end = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      session,
      prompt: promptOf(setup),
      answers: suspended.pending.map(yes),
    });
    expect(end.finishReason).toBe('stop');
    expect(ran).toEqual(['draft a 1']);
    expect((await filesystem.read('draft.md')).text).toBe('a\n');
    expect(session.slice(Notes).all()).toEqual([{ text: 'draft a' }]);
  });

  it('does not do an external call twice whose changes were approved', async () => {
    const ran: string[] = [];
    const setup = { ran, policies: [asksAboutChanges] };
    const adapter = calling(call('mail', 'a'));
    const { suspended, journal } = await suspend(setup, adapter);
    const end = await resumeRun({
      adapter,
      journal,
      runId: 'run',
      prompt: promptOf(setup),
      answers: suspended.pending.map(yes),
    });
    expect(end.conversation.at(-2)).toMatchObject({ text: 'Did mail a.\n\n{"done":"a"}' });
    expect(ran).toEqual(['mail a 1']);
  });
});

describe('an answer', () => {
  const refusals: readonly (readonly [
    string,
    (pending: PendingApproval) => readonly ResumeAnswer[],
    RegExp,
  ])[] = [
    [
      'to a question that was not asked',
      (pending) => [{ ...yes(pending), id: 'other' }],
      /has not asked this/,
    ],
    ['about something else', (pending) => [{ ...yes(pending), digest: '00' }], /its digest is not that/],
    ['that contradicts another one', (pending) => [yes(pending), no(pending)], /answered with yes before/],
  ];
  it.each(refusals)('%s is refused by name, and none is kept', async (_what, make, message) => {
    const { suspended, journal } = await suspend({ ran: [] });
    const answers = suspended.pending.flatMap(make);
    const before = journal.batches.length;
    await expect(answerApprovals({ journal, runId: 'run', answers })).rejects.toThrow(message);
    expect(journal.batches).toHaveLength(before);
  });

  it('leaves what the journal lists of the run besides', async () => {
    const { suspended, journal } = await suspend({ ran: [] });
    const [run] = await journal.runs();
    if (run === undefined) throw new Error('The journal has no run.');
    const { runId, sessionId, rows: _rows, status: _status, ...summary } = run;
    const lease = await journal.acquire(sessionId);
    const info = { call: ['run'] };
    await journal.append(
      { runId, rows: [], summary: { ...summary, status: 'suspended', workspace: '/work', info } },
      lease,
    );
    await lease.release();
    await answerApprovals({ journal, runId, answers: suspended.pending.map(yes) });
    expect(await journal.runs()).toMatchObject([{ workspace: '/work', info, pending: 0 }]);
  });

  it('is kept once, and its opposite is refused later', async () => {
    const { suspended, journal } = await suspend({ ran: [] });
    await answerApprovals({ journal, runId: 'run', answers: suspended.pending.map(yes) });
    await answerApprovals({ journal, runId: 'run', answers: suspended.pending.map(yes) });
    const rows = await journal.read('run');
    expect(rows.filter(({ type }) => type === 'answer')).toHaveLength(1);
    expect(await journal.runs()).toMatchObject([{ status: 'suspended', pending: 0 }]);
    await expect(
      answerApprovals({ journal, runId: 'run', answers: suspended.pending.map(no) }),
    ).rejects.toThrow(/answered with yes before/);
  });

  it('whose row cannot be made loses nothing: it is refused, and can be given again', async () => {
    const { suspended, journal } = await suspend({ ran: [] });
    const answers = suspended.pending.map(yes);
    const before = await journal.read('run');
    // A clock of untyped code, whose time is no part of JSON.
    const clock = { now: () => 1n as unknown as number };
    await expect(answerApprovals({ journal, runId: 'run', answers, clock })).rejects.toMatchObject({
      name: 'RunLostError',
      message: expect.stringContaining('A row could not be made'),
      cause: expect.any(TypeError),
    });
    expect(await journal.read('run')).toEqual(before);
    await answerApprovals({ journal, runId: 'run', answers });
    expect(await journal.runs()).toMatchObject([{ status: 'suspended', pending: 0 }]);
  });

  it('comes too late when the question has expired: the call is denied', async () => {
    const clock = createManualClock(1_000);
    const journal = watchedJournal();
    const ran: string[] = [];
    const adapter = calling(call('publish', 'b'));
    const suspended = await adapter.evaluate(promptOf({ ran }), {
      journal,
      runId: 'run',
      clock,
      approve: suspendApproval({ expiresMs: 60_000 }),
    });
    assertSuspended(suspended);
    expect(suspended.pending[0]?.expiresAtMs).toBe(61_000);
    clock.advance(60_000);
    const answers = suspended.pending.map(yes);
    await expect(answerApprovals({ journal, runId: 'run', answers, clock })).rejects.toThrow(/has expired/);
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf({ ran }), clock });
    expect(end.conversation.at(-2)).toMatchObject({
      isError: true,
      text: expect.stringContaining('expired'),
    });
    expect(ran).toEqual([]);
  });
});

describe('an answer to a run that was suspended and continued', () => {
  const twoCalls = calling(call('publish', 'a'), call('mail', 'b'));
  const policies = [asksFor('publish', 'mail')];
  const listed = async (journal: WatchedJournal): Promise<unknown> =>
    (await journal.runs()).map(({ status, pending }) => ({ status, pending }));

  /** Suspended with two questions, the first of which is answered with yes. */
  async function answered(): Promise<{ journal: WatchedJournal; second: PendingApproval }> {
    const { suspended, journal } = await suspend({ ran: [], policies }, twoCalls);
    const [first, second] = suspended.pending;
    if (first === undefined || second === undefined) throw new Error('It did not ask twice.');
    await answerApprovals({ journal, runId: 'run', answers: [yes(first)] });
    return { journal, second };
  }

  /** It counts when the run continues once more. */
  async function expectKept(journal: WatchedJournal): Promise<void> {
    const ran: string[] = [];
    const prompt = promptOf({ ran, policies });
    const end = await resumeRun({ adapter: twoCalls, prompt, journal, runId: 'run' });
    expect(end.finishReason).toBe('stop');
    expect(ran.at(-1)).toBe('mail b 1');
  }

  it('is kept when the run was stopped by its signal, and stays interrupted', async () => {
    const { journal, second } = await answered();
    const stop = new AbortController();
    const stopping: ToolPolicy = {
      name: 'stops',
      check: () => {
        stop.abort(new Error('Enough.'));
        return PolicyDecision.allow();
      },
    };
    const prompt = promptOf({ ran: [], policies: [...policies, stopping] });
    const run = resumeRun({
      adapter: twoCalls,
      prompt,
      journal,
      runId: 'run',
      approve: suspendApproval(),
      signal: stop.signal,
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(await listed(journal)).toEqual([{ status: 'interrupted', pending: 0 }]);
    await answerApprovals({ journal, runId: 'run', answers: [yes(second)] });
    expect(await listed(journal)).toEqual([{ status: 'interrupted', pending: 0 }]);
    await expectKept(journal);
  });

  it('is kept when the run was interrupted, which it stays', async () => {
    const { journal, second } = await answered();
    const before = journal.batches.length;
    const prompt = promptOf({ ran: [], policies });
    await resumeRun({ adapter: twoCalls, prompt, journal, runId: 'run', approve: suspendApproval() });
    const [header] = await journal.read('run');
    const { sessionId } = JSON.parse(header?.line ?? '{}') as { sessionId: string };
    const killed = await journalAfter(journal.batches.slice(0, before + 2), sessionId);
    expect(await listed(killed)).toEqual([{ status: 'interrupted', pending: 0 }]);
    await answerApprovals({ journal: killed, runId: 'run', answers: [yes(second)] });
    expect(await listed(killed)).toEqual([{ status: 'interrupted', pending: 0 }]);
    await expectKept(killed);
  });

  it('is refused when the run has its answer, unless it is the one that was given', async () => {
    const { suspended, journal } = await suspend({ ran: [] });
    const answers = suspended.pending.map(yes);
    const options = { adapter: calling(call('draft', 'a'), call('publish', 'b')), journal, runId: 'run' };
    await resumeRun({ ...options, prompt: promptOf({ ran: [], policies: [] }) });
    await expect(answerApprovals({ journal, runId: 'run', answers })).rejects.toThrow(/has its answer/);
    const other = await suspend({ ran: [] });
    await resumeRun({ ...options, journal: other.journal, prompt: promptOf({ ran: [] }), answers });
    await answerApprovals({ journal: other.journal, runId: 'run', answers });
    expect(await listed(other.journal)).toEqual([{ status: 'finished', pending: 0 }]);
  });
});

it('suspendApproval without a journal is refused before anything happens', async () => {
  const ran: string[] = [];
  const adapter = calling(call('draft', 'a'));
  await expect(adapter.evaluate(promptOf({ ran }), { approve: suspendApproval() })).rejects.toThrow(
    /needs a journal/,
  );
  expect(ran).toEqual([]);
});
