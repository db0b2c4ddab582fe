import { describe, expect, it } from 'vitest';
import {
  type Approver,
  binding,
  defineEvent,
  defineSlice,
  type EvaluateOptions,
  Filesystem,
  type JournalRow,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  PromptValidationError,
  promptTemplate,
  reducers,
  resumeRun,
  section,
  suspendApproval,
  ToolResult,
  tool,
} from 'weakincentives';
import { exportRecord, type RunRecord, readRunRecord } from 'weakincentives/record';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, type WatchedJournal, watchedJournal } from '../../support/journals.ts';

const secret = 'hunter2';
const redact = (text: string): string => text.replaceAll(secret, '<secret>');

const Noted = defineEvent({ name: 'noted', schema: z.object({ text: z.string() }) });
const Logged = defineEvent({ name: 'logged', schema: z.object({ text: z.string() }) });
const Notes = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, reducers.append())],
});
const Log = defineSlice({
  name: 'log',
  policy: 'log',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Logged, reducers.append())],
});

interface Setup {
  /** What a call does after its state and before its result. */
  readonly during?: (text: string) => Promise<void> | void;
  readonly asks?: boolean;
}

function promptOf({ during = () => undefined, asks = false }: Setup): Prompt {
  const note = tool({
    name: 'note',
    description: `Notes what is said, such as ${secret}.`,
    effects: 'state',
    inputSchema: z.object({ text: z.string() }),
    execute: async ({ text }, { session, filesystem }) => {
      session.dispatch(Noted, { text });
      session.dispatch(Logged, { text });
      const { text: known } = await filesystem.read('known.md');
      await filesystem.write(`${text}.md`, `${known}${text}\n`);
      await filesystem.write('bytes', new TextEncoder().encode(`\0${text}`));
      await during(text);
      return ToolResult.ok({ [text]: text }, `Noted ${text}.`);
    },
  });
  const asking = {
    name: 'asks',
    checkChanges: () => (asks ? PolicyDecision.ask(`Is ${secret} right?`) : PolicyDecision.allow()),
  };
  const filesystem = new MemoryFilesystem({ files: { 'known.md': `The word is ${secret}.\n` } });
  return promptTemplate({
    ns: 'test',
    key: 'noting',
    policies: [asking],
    resources: [binding(Filesystem, { instance: filesystem })],
    sections: [
      section({
        title: 'Task',
        key: 'task',
        template: `Keep ${secret}.`,
        slices: [Notes, Log],
        tools: [note],
      }),
    ],
  }).bind();
}

const model = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter([
    { text: `Now ${secret}.`, toolCalls: [{ name: 'note', arguments: { text: secret } }] },
    { toolCalls: [{ name: 'note', arguments: { text: 'other' } }] },
    { text: `It was ${secret}.` },
  ]);

async function run(
  setup: Setup,
  options: Pick<EvaluateOptions<Approver>, 'approve' | 'signal'> = {},
): Promise<WatchedJournal> {
  const journal = watchedJournal();
  const running = model().evaluate(promptOf(setup), { ...options, journal, runId: 'run' });
  if (options.signal === undefined) await running;
  else await expect(running).rejects.toThrow();
  return journal;
}

async function linesOf(journal: WatchedJournal, isRedacted = false): Promise<readonly string[]> {
  const lines: string[] = [];
  for await (const line of exportRecord({ journal, runId: 'run', ...(isRedacted ? { redact } : {}) }))
    lines.push(line);
  return lines;
}

const recordOf = (journal: WatchedJournal): Promise<RunRecord> =>
  readRunRecord(exportRecord({ journal, runId: 'run' }));

const valuesOf = (record: RunRecord, name: string): unknown =>
  record
    .stateAt(record.commits.length)
    .find((slice) => slice.name === name)
    ?.items.map(({ value }) => value);

describe('exportRecord', () => {
  it('gives the rows as the journal has them', async () => {
    const journal = await run({});
    expect(await linesOf(journal)).toEqual((await journal.read('run')).map(({ line }) => line));
  });

  it('refuses options of the wrong kind, and rejects for a run that the journal does not have', async () => {
    const journal = watchedJournal();
    // @ts-expect-error The name of a run is a text.
    expect(() => exportRecord({ journal, runId: 1 })).toThrow(PromptValidationError);
    await expect(linesOf(journal)).rejects.toThrow('The journal has no run "run".');
  });

  it('leaves a secret in no line', async () => {
    const journal = await run({});
    expect((await linesOf(journal)).join('\n')).toContain(secret);
    const lines = await linesOf(journal, true);
    expect(lines.join('\n')).not.toContain(secret);
    expect(lines.join('\n')).not.toContain(Buffer.from(`\0${secret}`).toString('base64'));
    const record = await readRunRecord(lines);
    expect(record).toMatchObject({ isRedacted: true, isComplete: true, runId: 'run' });
    expect(record.calls.map(({ isRedacted }) => isRedacted)).toEqual([true, true]);
    expect(record.commits).toHaveLength(2);
    expect(record.filesAt(2).map(({ path }) => path)).toContain('other.md');
  });

  it('leaves a secret in no question, and in nothing that waits for its answer', async () => {
    const journal = await run({ asks: true }, { approve: suspendApproval() });
    const rows = await journal.read('run');
    expect(rows.some(({ type, line }) => type === 'pending' && line.includes(secret))).toBe(true);
    const lines = await linesOf(journal, true);
    expect(lines.some((line) => line.startsWith('{"type":"pending"'))).toBe(true);
    expect(lines.join('\n')).not.toContain(secret);
    const { root } = await readRunRecord(lines);
    expect(root.outcome).toBe('suspended');
    const events = root.turns.flatMap((turn) => turn.events.map(({ event }) => event));
    expect(events.filter(({ type }) => type === 'approval-pending').length).toBeGreaterThan(0);
  });

  it('leaves a secret in nothing that was said when the run was resumed', async () => {
    const journal = await run({});
    const adapter = scriptedAdapter(() => ({ text: 'Noted.' }));
    const said = `Forget ${secret}.`;
    await resumeRun({ adapter, prompt: promptOf({}), journal, runId: 'run', input: said });
    const inputsOf = (lines: readonly string[]): readonly string[] =>
      lines.filter((line) => line.startsWith('{"type":"input"'));
    expect(inputsOf(await linesOf(journal))).toEqual([expect.stringContaining(said)]);
    const lines = await linesOf(journal, true);
    expect(inputsOf(lines)).toEqual([expect.stringContaining('Forget <secret>.')]);
    expect(JSON.parse(inputsOf(lines)[0] ?? '')).toMatchObject({ redacted: true });
    expect(lines.join('\n')).not.toContain(secret);
  });

  it('marks rows in which something was redacted, and only those', async () => {
    const lines = await linesOf(await run({}), true);
    const marked = new Map<string, boolean[]>();
    for (const line of lines) {
      const { type, redacted } = JSON.parse(line) as { type: string; redacted?: boolean };
      marked.set(type, [...(marked.get(type) ?? []), redacted === true]);
    }
    expect(marked.get('commit')).toEqual([true, true]);
    expect(marked.get('end')).toEqual([true]);
    expect(marked.get('slice')).not.toContain(true);
    expect(marked.get('delivered')).toEqual([false, false]);
  });

  it('leaves out rows that it does not know', async () => {
    const journal = await run({});
    const read = async (): Promise<readonly JournalRow[]> => {
      const [header, ...rows] = await journal.read('run');
      const later = { seq: 1, type: 'later', line: `{"type":"later","text":"${secret}"}` };
      return header === undefined ? [] : [header, later, ...rows];
    };
    expect((await linesOf({ ...journal, read }, true)).join('\n')).not.toContain('later');
  });

  it('makes a record that cannot be resumed', async () => {
    const lines = await linesOf(await run({}), true);
    const read = async (): Promise<readonly JournalRow[]> =>
      lines.map((line, seq) => ({ seq, type: 'row', line }));
    const resuming = resumeRun({
      adapter: model(),
      prompt: promptOf({}),
      runId: 'run',
      journal: { ...watchedJournal(), read },
    });
    await expect(resuming).rejects.toThrow(PromptValidationError);
    await expect(resuming).rejects.toThrow('its rows were redacted');
  });
});

describe('the record of a run that was interrupted', () => {
  it('has a call without an end where the run was killed', async () => {
    const whole = await run({});
    const session = (await whole.runs())[0]?.sessionId ?? '';
    const at = whole.batches.findIndex(({ rows }) => rows.some(({ type }) => type === 'commit'));
    const journal = await journalAfter(whole.batches.slice(0, at), session);
    const started = await recordOf(journal);
    expect(started).toMatchObject({ isComplete: false });
    expect(started.problems.map(({ kind }) => kind)).toEqual(['incomplete']);
    expect(started.calls.every(({ outcome }) => outcome === undefined)).toBe(true);
  });

  it('does not count what its end has cut off, once the run has done it again', async () => {
    const ending = new AbortController();
    const journal = await run(
      {
        during: (text) => {
          if (text === 'other') ending.abort(new Error('stop'));
        },
      },
      { signal: ending.signal },
    );
    const before = await recordOf(journal);
    expect(before.calls.map(({ outcome }) => outcome)).toEqual(['committed', 'aborted']);
    expect(valuesOf(before, 'log')).toEqual([{ text: secret }, { text: 'other' }]);
    expect(before.root).toMatchObject({ outcome: 'failed', error: expect.anything() });
    await resumeRun({ adapter: model(), prompt: promptOf({}), journal, runId: 'run' });
    const lines = await linesOf(journal);
    const resumedAt = lines.findIndex((line) => line.startsWith('{"type":"resumed"'));
    const goingOn = await readRunRecord(lines.slice(0, resumedAt + 1));
    expect(goingOn.calls.map(({ outcome }) => outcome)).toEqual(['committed', undefined]);
    expect(goingOn.isComplete).toBe(false);
    expect(goingOn.root.error).toBeUndefined();
    expect(valuesOf(goingOn, 'log')).toEqual([{ text: secret }]);
    const record = await recordOf(journal);
    expect(record.calls.map(({ outcome, reason, error }) => [outcome, reason, error])).toEqual([
      ['committed', undefined, undefined],
      ['committed', undefined, undefined],
    ]);
    expect(record.calls[1]?.attempts.map(({ outcome }) => outcome)).toEqual(['aborted', 'committed']);
    expect(record.root.turns.flatMap(({ events }) => events.map(({ event }) => event))).toContainEqual({
      type: 'run-resumed',
      runId: 'run',
      changed: [],
      turn: expect.any(Number),
      commits: 1,
    });
    expect(valuesOf(record, 'log')).toEqual([{ text: secret }, { text: 'other' }]);
    expect(valuesOf(record, 'notes')).toEqual([{ text: secret }, { text: 'other' }]);
    expect(record.root).toMatchObject({ outcome: 'finished', text: `It was ${secret}.` });
    expect(record.root.error).toBeUndefined();
    expect(record.problems).toEqual([]);
    expect(record.turns.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('ends as the run did, also when only its end was missing', async () => {
    const whole = await run({});
    const session = (await whole.runs())[0]?.sessionId ?? '';
    const journal = await journalAfter(whole.batches.slice(0, -1), session);
    expect((await recordOf(journal)).isComplete).toBe(false);
    await resumeRun({ adapter: model(), prompt: promptOf({}), journal, runId: 'run' });
    expect((await recordOf(journal)).root).toMatchObject({
      outcome: 'finished',
      text: `It was ${secret}.`,
    });
    expect((await journal.runs())[0]?.status).toBe('finished');
    const { length } = await journal.read('run');
    await resumeRun({ adapter: model(), prompt: promptOf({}), journal, runId: 'run' });
    expect(await journal.read('run')).toHaveLength(length);
  });
});
