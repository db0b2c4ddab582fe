import { describe, expect, it } from 'vitest';
import {
  type AnySlice,
  defineEvent,
  defineSlice,
  type Prompt,
  promptTemplate,
  type RunEvent,
  reducers,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { journalAfter, type WatchedJournal, watchedJournal } from '../../../support/journals.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ name: z.string(), count: z.number() }) });
const Said = defineEvent({ name: 'said', schema: z.object({ text: z.string() }) });

/** The slices of a deployment: each version calls the members of its items otherwise. */
function slicesOf(version: number, migrate: boolean = true): readonly AnySlice[] {
  const [name, text] = [`name${version}`, `text${version}`];
  const renamed =
    (to: string) =>
    (items: readonly unknown[]): readonly unknown[] =>
      items.map((item) => {
        const [[, first], ...rest] = Object.entries(item as object) as [[string, unknown]];
        return { [to]: first, ...Object.fromEntries(rest) };
      });
  return [
    defineSlice({
      name: 'notes',
      version,
      schema: z.record(z.string(), z.unknown()),
      ...(version > 1 && migrate ? { migrate: renamed(name) } : {}),
      key: ({ [name]: key }) => (typeof key === 'string' ? key : fail('An item of another version.')),
      reducers: (on) => [
        on(
          Noted,
          reducers.append((noted) => ({ [name]: noted.name, count: noted.count })),
        ),
      ],
    }),
    defineSlice({
      name: 'sayings',
      version,
      policy: 'log',
      schema: z.record(z.string(), z.unknown()),
      ...(version > 1 && migrate ? { migrate: renamed(text) } : {}),
      reducers: (on) => [
        on(
          Said,
          reducers.append((said) => ({ [text]: said.text })),
        ),
      ],
    }),
  ];
}

function fail(message: string): never {
  throw new Error(message);
}

const noParameters = z.object({});

function promptOf(slices: readonly AnySlice[], rendered: string[] = []): Prompt {
  const note = tool({
    name: 'note',
    description: 'Notes.',
    effects: 'state',
    inputSchema: noParameters,
    execute: (_params, { session, callId }) => {
      const turn = Number(callId.split('-')[1]);
      session.dispatch(Said, { text: callId });
      session.dispatch(Noted, { name: turn === 3 ? 'turn 1' : `turn ${turn}`, count: turn });
      return turn === 2 ? ToolResult.error('Not now.') : ToolResult.ok(null, 'Noted.');
    },
  });
  return promptTemplate({
    ns: 'test',
    key: 'versions',
    sections: [
      section({
        title: 'Task',
        key: 'task',
        slices,
        tools: [note],
        template: 'Note.',
        enabled: (_params, session) => {
          const [notes] = slices;
          if (notes?.kind === 'slice') rendered.push(JSON.stringify(session.slice(notes).all()));
          return true;
        },
      }),
    ],
  }).bind();
}

const model = (): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { turn }) =>
    turn > 4 ? { text: 'done' } : { toolCalls: [{ name: 'note', arguments: {} }] },
  );

function stateOf(session: Session): unknown {
  return session
    .exportState({ includeLogs: true })
    .slices.filter(({ name }) => /^(notes|sayings)$/.test(name));
}

async function wholeRun(version: number): Promise<{ journal: WatchedJournal; state: unknown }> {
  const journal = watchedJournal();
  const session = new Session({ id: 'session' });
  await model().evaluate(promptOf(slicesOf(version)), { journal, runId: 'run', session });
  return { journal, state: stateOf(session) };
}

async function resumed(journal: WatchedJournal, version: number): Promise<unknown> {
  const session = new Session({ id: 'session' });
  await resumeRun({
    adapter: model(),
    prompt: promptOf(slicesOf(version)),
    journal,
    runId: 'run',
    session,
  });
  return stateOf(session);
}

describe('slices of another version', () => {
  it('hold what they would hold if the run had begun with it, whenever it was interrupted', async () => {
    const { journal } = await wholeRun(1);
    const { state } = await wholeRun(2);
    for (let count = 1; count < journal.batches.length; count += 1) {
      const later = await journalAfter(journal.batches.slice(0, count), 'session');
      expect(await resumed(later, 2), `after ${count}`).toEqual(state);
    }
  });

  it('are migrated from the rows of each version when the run is interrupted again', async () => {
    const { journal } = await wholeRun(1);
    const [second, third] = [await wholeRun(2), await wholeRun(3)];
    const first = await journalAfter(journal.batches.slice(0, 5), 'session');
    await resumed(first, 2);
    for (let count = 6; count <= first.batches.length; count += 1) {
      const cut = first.batches.slice(0, count);
      expect(await resumed(await journalAfter(cut, 'session'), 2), `after ${count}`).toEqual(second.state);
      expect(await resumed(await journalAfter(cut, 'session'), 3), `after ${count}`).toEqual(third.state);
    }
  });

  it('are named, and a strict resume refuses them', async () => {
    const { journal } = await wholeRun(1);
    const cut = journal.batches.slice(0, 5);
    const events: RunEvent[] = [];
    await resumeRun({
      adapter: model(),
      prompt: promptOf(slicesOf(2)),
      runId: 'run',
      journal: await journalAfter(cut, 'session'),
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({
      changed: ['slice notes', 'slice sayings'],
    });
    const strict = resumeRun({
      adapter: model(),
      prompt: promptOf(slicesOf(2)),
      runId: 'run',
      strict: true,
      journal: await journalAfter(cut, 'session'),
    });
    await expect(strict).rejects.toThrow(/slice notes/);
  });

  it('are never seen in the shape of before by what renders the prompt', async () => {
    const { journal } = await wholeRun(1);
    const rendered: string[] = [];
    await resumeRun({
      adapter: model(),
      prompt: promptOf(slicesOf(2), rendered),
      runId: 'run',
      journal: await journalAfter(journal.batches.slice(0, 7), 'session'),
    });
    expect(rendered.length).toBeGreaterThan(0);
    expect(rendered.join()).not.toContain('name1');
  });

  it('refuse a resume without a migration, and nothing but the life is written', async () => {
    const { journal } = await wholeRun(1);
    const later = await journalAfter(journal.batches.slice(0, 5), 'session');
    const run = resumeRun({
      adapter: model(),
      prompt: promptOf(slicesOf(2, false)),
      journal: later,
      runId: 'run',
    });
    await expect(run).rejects.toMatchObject({ code: 'snapshot-version-unsupported' });
    expect(later.batches.slice(5).flatMap(({ rows }) => rows.map(({ type }) => type))).toEqual([
      'life',
      'life',
    ]);
  });

  it('are left out when they are not installed, and named', async () => {
    const { journal } = await wholeRun(1);
    const events: RunEvent[] = [];
    const [notes] = slicesOf(1);
    const response = await resumeRun({
      adapter: model(),
      prompt: promptOf(notes === undefined ? [] : [notes]),
      runId: 'run',
      journal: await journalAfter(journal.batches.slice(0, 9), 'session'),
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    expect(response.finishReason).toBe('stop');
    expect(events.find(({ type }) => type === 'run-resumed')).toMatchObject({ changed: ['slice sayings'] });
  });
});

it('refuses a resume in the middle of a call that continues and has changed a slice of another version', async () => {
  const leadOf = (version: number): Prompt => {
    const slices = slicesOf(version);
    const note = tool({
      name: 'note',
      description: 'Notes.',
      effects: 'state',
      inputSchema: noParameters,
      execute: (_params, { session }) => {
        session.dispatch(Noted, { name: 'inner', count: 1 });
        return ToolResult.ok(null, 'Noted.');
      },
    });
    const task = section({ title: 'Task', key: 'task', template: 'Note once.', tools: [note] });
    const delegate = agentTool({
      name: 'delegate',
      description: 'Delegates.',
      inputSchema: noParameters,
      template: promptTemplate({ ns: 'test', key: 'inner', sections: [task] }),
    });
    const lead = section({ title: 'Task', key: 'task', template: 'Lead.', slices, tools: [delegate] });
    return promptTemplate({ ns: 'test', key: 'lead', sections: [lead] }).bind();
  };
  const leading = (): ReturnType<typeof scriptedAdapter> =>
    scriptedAdapter((_conversation, { instructions, turn }) => {
      if (turn === 2) return { text: 'done' };
      return { toolCalls: [{ name: instructions.includes('once') ? 'note' : 'delegate', arguments: {} }] };
    });
  const journal = watchedJournal();
  await leading().evaluate(leadOf(1), { journal, runId: 'run', session: new Session({ id: 'session' }) });
  const inner = journal.batches.findIndex(({ rows }) =>
    rows.some(({ type, line }) => type === 'commit' && line.includes('"run":1')),
  );
  const cut = journal.batches.slice(0, inner + 1);
  const run = resumeRun({
    adapter: leading(),
    prompt: leadOf(2),
    runId: 'run',
    journal: await journalAfter(cut, 'session'),
  });
  await expect(run).rejects.toThrow(/has changed slices that have another version now: notes/);
  const same = await resumeRun({
    adapter: leading(),
    prompt: leadOf(1),
    runId: 'run',
    journal: await journalAfter(cut, 'session'),
  });
  expect(same.finishReason).toBe('stop');
});
