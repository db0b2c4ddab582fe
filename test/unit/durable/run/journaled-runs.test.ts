import { describe, expect, it } from 'vitest';
import {
  binding,
  CompletionVerdict,
  defineEvent,
  defineSlice,
  Filesystem,
  type JournalBatch,
  MemoryFilesystem,
  type Prompt,
  promptTemplate,
  type RunEvent,
  RunLostError,
  reducers,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { readRunRecord } from 'weakincentives/record';
import { createManualClock, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, type WatchedJournal, watchedJournal } from '../../../support/journals.ts';

const Counted = defineEvent({ name: 'counted', schema: z.object({ by: z.string() }) });
const Seen = defineEvent({ name: 'seen', schema: z.object({ by: z.string() }) });
const Counts = defineSlice({
  name: 'counts',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Counted, reducers.append())],
});
const Sightings = defineSlice({
  name: 'sightings',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Seen, reducers.append())],
});

interface Setup {
  readonly ran?: string[];
  readonly filesystem?: MemoryFilesystem;
  readonly template?: string;
  readonly isIdempotent?: boolean;
  readonly reconcile?: (key: string) => ToolResult<null> | undefined;
  readonly onCall?: (name: string, key: string) => void | Promise<void>;
}

function promptOf(setup: Setup = {}): Prompt {
  const { ran = [], filesystem = new MemoryFilesystem(), template = 'Count.', onCall, reconcile } = setup;
  const make = (name: string, effects: 'state' | 'external') =>
    tool({
      name,
      description: `Does ${name}.`,
      effects,
      idempotent: setup.isIdempotent === true,
      ...(reconcile === undefined
        ? {}
        : { reconcile: (_params, { idempotencyKey }) => reconcile(idempotencyKey) }),
      execute: async (_params, context) => {
        ran.push(`${name} ${context.callId}`);
        await onCall?.(name, context.idempotencyKey);
        context.session.dispatch(Counted, { by: context.callId });
        await context.filesystem.write(`${context.callId}.md`, name);
        return ToolResult.ok(null, `Did ${name}.`);
      },
    });
  return promptTemplate({
    ns: 'test',
    key: 'counting',
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template,
        slices: [Counts, Sightings],
        tools: [make('count', 'state'), make('send', 'external')],
      }),
    ],
  }).bind();
}

const calling = (...turns: readonly (readonly string[])[]): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([
    ...turns.map((names) => ({ toolCalls: names.map((name) => ({ name })) })),
    { text: 'done' },
  ]);

/** What a row says of a request. */
interface RequestFacts {
  readonly edits: readonly {
    readonly at: number;
    readonly remove: number;
    readonly insert: readonly object[];
  }[];
  readonly length: number;
  readonly tokens: { readonly conversation: number; readonly added: number };
}

const newSession = (): Session => {
  const session = new Session({ id: 'session' });
  for (const slice of [Counts, Sightings]) session.install(slice);
  return session;
};

/** Batches up to and with the first that holds such a row. */
const upTo = (
  batches: readonly JournalBatch[],
  holds: (type: string, line: string) => boolean,
): readonly JournalBatch[] =>
  batches.slice(0, batches.findIndex(({ rows }) => rows.some(({ type, line }) => holds(type, line))) + 1);

describe('a run with a journal', () => {
  it('appends once a turn, however many calls it makes, while they take no time', async () => {
    let appends = 0;
    const journal = watchedJournal(() => void (appends += 1));
    const clock = createManualClock();
    await calling(['count', 'count', 'count', 'count'], ['count']).evaluate(promptOf(), { journal, clock });
    // Before each of three requests, and the end.
    expect(appends).toBe(4);
  });

  it('appends an answer by itself once the calls of its turn take longer', async () => {
    const clock = createManualClock();
    let onAnswer = (): void => undefined;
    const appended = new Promise<void>((resolve) => (onAnswer = resolve));
    const journal = watchedJournal(({ rows }) => {
      if (rows.some(({ type }) => type === 'response')) onAnswer();
    });
    const timers: number[] = [];
    const onCall = async (): Promise<void> => {
      clock.advance(9);
      timers.push(clock.pending);
      clock.advance(1);
      timers.push(clock.pending);
      await appended;
    };
    await calling(['count']).evaluate(promptOf({ onCall }), { journal, clock });
    expect(timers).toEqual([1, 0]);
  });

  it('refuses a name that the journal has', async () => {
    const journal = watchedJournal();
    await calling().evaluate(promptOf(), { journal, runId: 'run' });
    await expect(calling().evaluate(promptOf(), { journal, runId: 'run' })).rejects.toThrow(
      /has a run "run" already/,
    );
  });

  it('returns its answer again when it is resumed after its end, and asks nobody', async () => {
    const journal = watchedJournal();
    await calling(['count']).evaluate(promptOf(), { journal, runId: 'run' });
    const rows = journal.batches.length;
    const ran: string[] = [];
    const adapter = scriptedAdapter(() => {
      throw new Error('The model was asked.');
    });
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf({ ran }) });
    expect(end).toMatchObject({ finishReason: 'stop', text: 'done' });
    expect(ran).toEqual([]);
    expect(journal.batches).toHaveLength(rows);
  });

  it('is refused on a file system that another run with a journal uses', async () => {
    const filesystem = new MemoryFilesystem();
    const journal = watchedJournal();
    const inner = { error: '' };
    await calling(['count']).evaluate(
      promptOf({
        filesystem,
        onCall: async () => {
          inner.error = await calling()
            .evaluate(promptOf({ filesystem }), { journal })
            .then(() => '', String);
        },
      }),
      { journal },
    );
    expect(inner.error).toContain('another run with a journal uses it');
  });

  it('gives each call a key of its own, the same after a crash', async () => {
    const keys: string[] = [];
    const onCall = (_name: string, key: string): void => void keys.push(key);
    const journal = watchedJournal();
    const adapter = calling(['count', 'count'], ['count']);
    await adapter.evaluate(promptOf({ onCall }), { journal, runId: 'run', session: newSession() });
    expect(new Set(keys).size).toBe(3);
    const [first] = journal.batches;
    const again: string[] = [];
    await resumeRun({
      adapter,
      journal: await journalAfter(first === undefined ? [] : [first], 'session'),
      runId: 'run',
      prompt: promptOf({ onCall: (_name, key) => void again.push(key) }),
    });
    expect(again.toSorted()).toEqual(keys.toSorted());
  });
});

describe('what is cut off at the end of a run is not decided', () => {
  it('a stop is not worse than a kill: calls in flight are made again', async () => {
    const stop = new AbortController();
    const journal = watchedJournal();
    const adapter = calling(['count', 'count']);
    const onCall = (): void => stop.abort(new Error('stopped'));
    const run = adapter.evaluate(promptOf({ onCall }), {
      journal,
      runId: 'run',
      session: newSession(),
      signal: stop.signal,
    });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    expect(await journal.runs()).toMatchObject([{ status: 'interrupted' }]);
    const session = newSession();
    const end = await resumeRun({ adapter, journal, runId: 'run', session, prompt: promptOf() });
    expect(end.finishReason).toBe('stop');
    expect(session.slice(Counts).all()).toHaveLength(2);
  });

  it('a provider that fails ends the run, and is asked again when it is resumed', async () => {
    let isDown = true;
    const adapter = scriptedAdapter((_conversation, { turn }) => {
      if (turn === 2 && isDown) throw new Error('The provider is down.');
      return turn === 1 ? { toolCalls: [{ name: 'count' }] } : { text: 'done' };
    });
    const journal = watchedJournal();
    const run = adapter.evaluate(promptOf(), { journal, runId: 'run', retry: false });
    await expect(run).rejects.toMatchObject({ code: 'evaluation-request-failed' });
    isDown = false;
    const ran: string[] = [];
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf({ ran }) });
    expect(end.finishReason).toBe('stop');
    expect(ran).toEqual([]);
  });
});

describe('a call in doubt', () => {
  /** The journal of a process that was killed in the handler of an external call. */
  async function killedInHandler(setup: Setup = {}): Promise<WatchedJournal> {
    const journal = watchedJournal();
    await calling(['send']).evaluate(promptOf(setup), { journal, runId: 'run', session: newSession() });
    return journalAfter(
      upTo(journal.batches, (type) => type === 'begin'),
      'session',
    );
  }

  it('is not made again, and the model reads that it may have taken effect', async () => {
    const ran: string[] = [];
    const end = await resumeRun({
      adapter: calling(['send']),
      journal: await killedInHandler(),
      runId: 'run',
      prompt: promptOf({ ran }),
    });
    expect(ran).toEqual([]);
    expect(end.conversation.at(-2)).toMatchObject({
      isError: true,
      text: expect.stringContaining('it may have taken effect'),
    });
  });

  it('stays decided when the run is interrupted again', async () => {
    const journal = await killedInHandler();
    const adapter = calling(['send']);
    await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf() });
    const ran: string[] = [];
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt: promptOf({ ran }) });
    expect(ran).toEqual([]);
    expect(JSON.stringify(end.conversation)).toContain('may have taken effect');
  });

  it('has the result that reconcile finds, and reducers learn of it', async () => {
    const keys: string[] = [];
    const reconcile = (key: string): ToolResult<null> => (
      keys.push(key), ToolResult.ok(null, 'It was sent.')
    );
    const journal = await killedInHandler({ reconcile });
    const end = await resumeRun({
      adapter: calling(['send']),
      journal,
      runId: 'run',
      prompt: promptOf({ reconcile }),
    });
    expect(keys).toEqual(['run/1/call-1-1']);
    expect(end.conversation.at(-2)).toMatchObject({ isError: false, text: 'It was sent.' });
  });

  it.each([
    ['finds out that it had no effect', () => ToolResult.error('It was not sent.'), 'It was not sent.'],
    ['cannot know', () => undefined, 'may have taken effect'],
    [
      'throws',
      () => {
        throw new Error('down');
      },
      'may have taken effect',
    ],
  ])('fails when reconcile %s', async (_what, reconcile, text) => {
    const end = await resumeRun({
      adapter: calling(['send']),
      journal: await killedInHandler({ reconcile }),
      runId: 'run',
      prompt: promptOf({ reconcile }),
    });
    expect(end.conversation.at(-2)).toMatchObject({ isError: true, text: expect.stringContaining(text) });
  });

  it('is never one that is idempotent: it is made again', async () => {
    const journal = watchedJournal();
    const adapter = calling(['send']);
    await adapter.evaluate(promptOf({ isIdempotent: true }), {
      journal,
      runId: 'run',
      session: newSession(),
    });
    const begin = journal.batches.findIndex(({ rows }) => rows.some(({ type }) => type === 'begin'));
    const { line = '' } = journal.batches[begin]?.rows.find(({ type }) => type === 'begin') ?? {};
    expect(JSON.parse(line)).toMatchObject({ key: 'run/1/call-1-1', params: {}, idempotent: true });
    // Its rows say that it ran, and not what became of it.
    const known = journal.batches.slice(0, begin + 1).map((batch) => {
      const at = batch.rows.findIndex(({ type }) => type === 'begin');
      return at < 0 ? batch : { ...batch, rows: batch.rows.slice(0, at + 1) };
    });
    const ran: string[] = [];
    await resumeRun({
      adapter,
      journal: await journalAfter(known, 'session'),
      runId: 'run',
      prompt: promptOf({ ran, isIdempotent: true }),
    });
    expect(ran).toEqual(['send call-1-1']);
  });
});

describe('a journal that fails', () => {
  async function lost(): Promise<{ error: unknown; session: Session; filesystem: MemoryFilesystem }> {
    let appends = 0;
    const journal = watchedJournal(() => {
      appends += 1;
      if (appends === 3) throw new Error('The disk is full.');
    });
    const session = newSession();
    const filesystem = new MemoryFilesystem();
    const error: unknown = await calling(['count'], ['count'])
      .evaluate(promptOf({ filesystem }), { journal, session, runId: 'run' })
      .then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
    return { error, session, filesystem };
  }

  it('ends the run, and neither session nor files can be used after it', async () => {
    const { error, session, filesystem } = await lost();
    expect(RunLostError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ code: 'run-lost', cause: { message: 'The disk is full.' } });
    expect(() => session.slice(Counts).all()).toThrow(RunLostError);
    await expect(filesystem.list()).rejects.toThrow(RunLostError);
  });

  it('a lease that is lost ends the run as well', async () => {
    const journal = watchedJournal();
    const run = calling(['count']).evaluate(promptOf({ onCall: () => journal.revoke('session') }), {
      journal,
      session: newSession(),
      runId: 'run',
    });
    await expect(run).rejects.toMatchObject({ code: 'run-lost', cause: { code: 'journal-fenced' } });
    expect(await journal.runs()).toMatchObject([{ status: 'interrupted' }]);
  });
});

describe('a resume', () => {
  async function recorded(): Promise<WatchedJournal> {
    const journal = watchedJournal();
    await calling(['count'], ['count']).evaluate(promptOf(), {
      journal,
      runId: 'run',
      session: newSession(),
    });
    return journalAfter(
      upTo(journal.batches, (type, line) => type === 'response' && line.includes('"turn":2')),
      'session',
    );
  }

  it('with another prompt continues and says so, and is refused when it is strict', async () => {
    const changed: RunEvent[] = [];
    const prompt = promptOf({ template: 'Count on.' });
    const adapter = calling(['count'], ['count']);
    const resume = { adapter, journal: await recorded(), runId: 'run', prompt };
    await expect(resumeRun({ ...resume, strict: true })).rejects.toThrow(/another prompt/);
    await resumeRun({ ...resume, observers: [{ onEvent: (event) => void changed.push(event) }] });
    expect(changed.find(({ type }) => type === 'run-resumed')).toMatchObject({
      turn: 2,
      commits: 1,
      changed: ['prompt', 'request'],
    });
  });

  it('names what is different in the first request', async () => {
    const journal = watchedJournal();
    const adapter = calling(['count']);
    await adapter.evaluate(promptOf(), { journal, runId: 'run', session: newSession() });
    const [first] = journal.batches;
    const events: RunEvent[] = [];
    await resumeRun({
      adapter,
      journal: await journalAfter(first === undefined ? [] : [first], 'session'),
      runId: 'run',
      prompt: promptOf(),
      settings: { temperature: 1 },
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({ changed: ['request'] });
  });

  it('names what is different in the last request, also when its answer is known', async () => {
    const events: RunEvent[] = [];
    const resume = { adapter: calling(['count'], ['count']), runId: 'run', prompt: promptOf() };
    const observers = [{ onEvent: (event: RunEvent) => void events.push(event) }];
    await resumeRun({ ...resume, journal: await recorded(), settings: { temperature: 1 }, observers });
    await resumeRun({ ...resume, journal: await recorded(), observers });
    expect(events.filter(({ type }) => type === 'run-resumed')).toMatchObject([
      { turn: 2, changed: ['request'] },
      { turn: 2, changed: [] },
    ]);
  });

  it('that does not ask for what its rows have ends with evaluation-diverged', async () => {
    const completion = {
      name: 'twice',
      check: ({ check }: { check: number }) =>
        check === 1 ? CompletionVerdict.incomplete('More.') : CompletionVerdict.complete(),
    };
    const journal = watchedJournal();
    const adapter = scriptedAdapter([{ text: 'one' }, { text: 'two' }]);
    await adapter.evaluate(promptOf(), { journal, runId: 'run', session: newSession(), completion });
    // Without the checker the run ends with its first answer, although its rows continue.
    await expect(resumeRun({ adapter, journal, runId: 'run', prompt: promptOf() })).rejects.toMatchObject({
      code: 'evaluation-diverged',
      message: expect.stringContaining('its rows have a completion check of turn 1'),
    });
  });

  it('keeps what its first request adds to the conversation of the rows, and counts all of it', async () => {
    const journal = await recorded();
    const requests = async (): Promise<readonly RequestFacts[]> =>
      (await journal.read('run'))
        .filter(({ type }) => type === 'request')
        .map(({ line }) => JSON.parse(line) as RequestFacts);
    await resumeRun({ adapter: calling(['count'], ['count']), journal, runId: 'run', prompt: promptOf() });
    const [, before, first] = await requests();
    expect(first?.edits).toMatchObject([{ at: before?.length, remove: 0 }]);
    expect(first?.edits[0]?.insert).toHaveLength(2);
    const { conversation = 0, added = 0 } = first?.tokens ?? {};
    expect(added).toBeGreaterThan(0);
    expect(conversation - added).toBe(before?.tokens.conversation);
  });

  it('has rows that make up the conversation that the model was asked with', async () => {
    const journal = await recorded();
    const adapter = calling(['count'], ['count']);
    const { conversation } = await resumeRun({ adapter, runId: 'run', prompt: promptOf(), journal });
    const { runs } = await readRunRecord((await journal.read('run')).map(({ line }) => line));
    const asked = runs[0]?.turns.at(-1)?.request?.conversation;
    expect(asked).toEqual(conversation.slice(0, -1));
  });

  it('emits nothing again, begins with run-start and run-resumed', async () => {
    const types: string[] = [];
    await resumeRun({
      adapter: calling(['count'], ['count']),
      journal: await recorded(),
      runId: 'run',
      prompt: promptOf(),
      observers: [{ onEvent: ({ type }) => void types.push(type) }],
    });
    expect(types.slice(0, 3)).toEqual(['run-start', 'run-resumed', 'turn-start']);
    expect(types.filter((type) => type === 'tool-call-start')).toHaveLength(1);
    expect(types.at(-1)).toBe('run-end');
  });

  it('is refused on a session that holds items, or has another id', async () => {
    const resume = {
      adapter: calling(['count'], ['count']),
      journal: await recorded(),
      runId: 'run',
      prompt: promptOf(),
    };
    const used = newSession();
    used.dispatch(Counted, { by: 'someone' });
    await expect(resumeRun({ ...resume, session: used })).rejects.toThrow(/holds items already/);
    await expect(resumeRun({ ...resume, session: new Session({ id: 'other' }) })).rejects.toThrow(
      /its id is "other"/,
    );
  });

  it('with something new to say continues it, once, also after another crash', async () => {
    const heard: string[] = [];
    const adapter = scriptedAdapter((conversation) => {
      const said = conversation.filter(({ type }) => type === 'user').map((item) => JSON.stringify(item));
      heard.push(`${said.length}`);
      return { text: `heard ${said.length}` };
    });
    const journal = watchedJournal();
    const prompt = promptOf();
    await adapter.evaluate(prompt, { journal, runId: 'run', input: 'One.', session: newSession() });
    const end = await resumeRun({ adapter, journal, runId: 'run', prompt, input: 'Two.' });
    expect(end).toMatchObject({ text: 'heard 2' });
    expect(heard).toEqual(['1', '2']);
    const again = await resumeRun({ adapter, journal, runId: 'run', prompt });
    expect(again).toMatchObject({ text: 'heard 2' });
    const cut = await journalAfter(
      upTo(journal.batches, (type) => type === 'input'),
      'session',
    );
    expect(await resumeRun({ adapter, journal: cut, runId: 'run', prompt })).toMatchObject({
      text: 'heard 2',
    });
    expect(heard).toEqual(['1', '2', '2']);
  });

  it('says something new after the calls that were interrupted', async () => {
    const journal = watchedJournal();
    const adapter = calling(['send']);
    await adapter.evaluate(promptOf(), { journal, runId: 'run', session: newSession() });
    const cut = await journalAfter(
      upTo(journal.batches, (type) => type === 'begin'),
      'session',
    );
    const end = await resumeRun({ adapter, journal: cut, runId: 'run', prompt: promptOf(), input: 'Hurry.' });
    expect(end.conversation.map(({ type }) => type)).toEqual([
      'assistant',
      'tool-result',
      'user',
      'assistant',
    ]);
    const again = await resumeRun({ adapter, journal: cut, runId: 'run', prompt: promptOf() });
    expect(again.conversation).toEqual(end.conversation);
  });

  it('of an unknown run is refused', async () => {
    const journal = watchedJournal();
    await expect(
      resumeRun({ adapter: calling(), journal, runId: 'none', prompt: promptOf() }),
    ).rejects.toThrow(/has no run "none"/);
  });
});

describe('changes by others', () => {
  it('of a subscriber are rows, and are not made twice', async () => {
    const journal = watchedJournal();
    const adapter = calling(['count'], ['count']);
    const watched = (session: Session): Session => {
      session.dispatcher.subscribe(Counted, ({ by }) => session.dispatch(Seen, { by }));
      return session;
    };
    await adapter.evaluate(promptOf(), { journal, runId: 'run', session: watched(newSession()) });
    for (let count = 1; count <= journal.batches.length; count += 1) {
      const session = watched(newSession());
      const part = await journalAfter(journal.batches.slice(0, count), 'session');
      await resumeRun({ adapter, journal: part, runId: 'run', session, prompt: promptOf() });
      expect(session.slice(Sightings).all(), `after ${count}`).toEqual([
        { by: 'call-1-1' },
        { by: 'call-2-1' },
      ]);
    }
  });

  it('subscribers get each commit with its number, and one that was not delivered again', async () => {
    const journal = watchedJournal();
    const adapter = calling(['send']);
    await adapter.evaluate(promptOf(), { journal, runId: 'run', session: newSession() });
    const part = await journalAfter(
      upTo(journal.batches, (type) => type === 'commit'),
      'session',
    );
    const session = newSession();
    const seen: unknown[] = [];
    session.dispatcher.subscribe(Counted, ({ by }, { commit, again }) => void seen.push([by, commit, again]));
    await resumeRun({ adapter, journal: part, runId: 'run', session, prompt: promptOf() });
    expect(seen).toEqual([['call-1-1', 1, true]]);
  });

  it('feedback is asked for a call that was decided and not delivered, and for no other', async () => {
    const asked: number[] = [];
    const feedback = [
      {
        name: 'hints',
        triggers: { everyCalls: 1 },
        provide: ({ calls }: { calls: Iterable<unknown> }) => (
          asked.push([...calls].length), { message: 'Continue.' }
        ),
      },
    ];
    const journal = watchedJournal();
    const adapter = calling(['send'], ['send']);
    await adapter.evaluate(promptOf(), { journal, runId: 'run', session: newSession(), feedback });
    asked.length = 0;
    const batches = upTo(journal.batches, (type, line) => type === 'commit' && line.includes('"turn":2'));
    const end = await resumeRun({
      adapter,
      journal: await journalAfter(batches, 'session'),
      runId: 'run',
      prompt: promptOf(),
      feedback,
    });
    expect(asked).toEqual([2]);
    expect(JSON.stringify(end.conversation).match(/Continue\./g)).toHaveLength(2);
  });
});
