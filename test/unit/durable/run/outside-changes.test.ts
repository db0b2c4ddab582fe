import { describe, expect, it } from 'vitest';
import {
  defineEvent,
  defineSlice,
  type JournalBatch,
  type Prompt,
  promptTemplate,
  type RunObserver,
  reducers,
  resumeRun,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const Arrived = defineEvent({ name: 'arrived', schema: z.object({ when: z.string() }) });
const Arrivals = defineSlice({
  name: 'arrivals',
  schema: z.object({ when: z.string() }),
  reducers: (on) => [on(Arrived, reducers.append())],
});

/** @param onCall runs in each handler. */
function promptOf(onCall: (callId: string) => void = () => undefined): Prompt {
  const make = (name: string, effects: 'state' | 'external') =>
    tool({
      name,
      description: `Does ${name}.`,
      effects,
      inputSchema: z.object({}),
      execute: (_params, { callId }) => {
        onCall(callId);
        return ToolResult.ok(null, `Did ${name}.`);
      },
    });
  const tools = [make('work', 'state'), make('send', 'external')];
  return promptTemplate({
    ns: 'test',
    key: 'arrivals',
    sections: [section({ title: 'Task', key: 'task', template: 'Work.', slices: [Arrivals], tools })],
  }).bind();
}

/** @param onAsked runs while the model is asked. */
const modelOf = (onAsked: (turn: number) => void = () => undefined): ReturnType<typeof scriptedAdapter> =>
  scriptedAdapter((_conversation, { turn }) => {
    onAsked(turn);
    const name = ['work', 'send', 'work'][turn - 1];
    return name === undefined ? { text: 'done' } : { toolCalls: [{ name, arguments: {} }] };
  });

function newSession(): Session {
  const session = new Session({ id: 'session' });
  session.install(Arrivals);
  return session;
}

/** A run during which others dispatch, and what they had dispatched when rows were appended, by the last of them. */
async function runWithOthers(isMoment: (moment: string) => boolean): Promise<{
  readonly batches: readonly JournalBatch[];
  readonly known: ReadonlyMap<number | undefined, readonly string[]>;
  readonly arrived: readonly string[];
}> {
  const session = newSession();
  const arrived: string[] = [];
  const known = new Map<number | undefined, readonly string[]>();
  const others = (when: string): void => {
    if (!isMoment(when)) return;
    arrived.push(when);
    session.dispatch(Arrived, { when });
  };
  const journal = watchedJournal(({ rows }) => void known.set(rows.at(-1)?.seq, [...arrived]));
  const observer: RunObserver = {
    onEvent: (event) => {
      if (event.type === 'turn-end') others(`after turn ${event.turn}`);
    },
  };
  await modelOf((turn) => others(`while asked ${turn}`)).evaluate(
    promptOf((callId) => others(`in ${callId}`)),
    { journal, runId: 'run', session, observers: [observer] },
  );
  expect(session.slice(Arrivals).all()).toEqual(arrived.map((when) => ({ when })));
  return { batches: journal.batches, known, arrived };
}

/** What others had dispatched, as the session of a resumed run has it. They do not dispatch in this life. */
async function arrivalsAfter(batches: readonly JournalBatch[]): Promise<readonly string[]> {
  const session = newSession();
  const journal = await journalAfter(batches, 'session');
  await resumeRun({ adapter: modelOf(), journal, runId: 'run', session, prompt: promptOf() });
  return session
    .slice(Arrivals)
    .all()
    .map(({ when }) => when);
}

const moments = ['while asked', 'in call', 'after turn'] as const;

describe('what code outside of the run dispatches', () => {
  it.each(moments)('%s is durable before anything leaves the process after it', async (moment) => {
    const { batches, known, arrived } = await runWithOthers((when) => when.startsWith(moment));
    expect(arrived.length).toBeGreaterThan(2);
    let checked = 0;
    for (const [index, { rows }] of batches.entries()) {
      // A request to the model, or an effect outside, may rest on what was dispatched before it.
      if (!rows.some(({ type }) => type === 'request' || type === 'begin')) continue;
      checked += 1;
      const atThatTime = known.get(rows.at(-1)?.seq);
      expect(await arrivalsAfter(batches.slice(0, index + 1)), `after ${index + 1}`).toEqual(atThatTime);
    }
    expect(checked).toBe(5);
  });

  it('survives a kill at any point, once and in its order, and a second one', async () => {
    const { batches, arrived } = await runWithOthers(() => true);
    for (let count = 1; count <= batches.length; count += 1) {
      const journal = await journalAfter(batches.slice(0, count), 'session');
      const run = { adapter: modelOf(), runId: 'run', prompt: promptOf() };
      const session = newSession();
      await resumeRun({ ...run, journal, session });
      const kept = session.slice(Arrivals).all();
      expect(kept, `after ${count}`).toEqual(arrived.slice(0, kept.length).map((when) => ({ when })));
      const again = newSession();
      const second = await journalAfter(journal.batches, 'session');
      await resumeRun({ ...run, journal: second, session: again });
      expect(again.slice(Arrivals).all(), `after ${count}`).toEqual(kept);
    }
    expect(await arrivalsAfter(batches)).toEqual(arrived);
  });
});
