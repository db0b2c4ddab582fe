import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  binding,
  type EvaluateOptions,
  Filesystem,
  MemoryFilesystem,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  resumeRun,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { createManualClock, memoryJournal, scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { draws } from '../../../../support/draws.ts';

type EventType = RunEvent['type'];

const inner = promptTemplate({
  ns: 'test',
  key: 'inner',
  sections: [section({ title: 'Inner', key: 'inner', template: 'Answer.' })],
});
const note = tool({
  name: 'note',
  description: 'Takes a note.',
  effects: 'state',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }, { filesystem, progress, beat }) => {
    beat();
    progress({ text });
    await filesystem?.write('note.md', text);
    return text === 'bad' ? ToolResult.error('No.') : ToolResult.ok({ text }, 'Noted.');
  },
});
const ask = tool({
  name: 'ask',
  description: 'Asks another prompt.',
  inputSchema: z.object({}),
  execute: async (_input, { adapter }) => {
    const { text } = await adapter.evaluate(inner.bind());
    return ToolResult.ok(null, text ?? '');
  },
});
const agent = promptTemplate({
  ns: 'test',
  key: 'agent',
  sections: [section({ title: 'Agent', key: 'agent', template: 'Work.', tools: [note, ask] })],
});

/** Two turns with calls that succeed, fail and evaluate, and an answer. The prompt inside has the same turns and no tools, so its calls are rejected. */
const script = () =>
  scriptedAdapter([
    {
      text: 'I take notes.',
      toolCalls: [
        { name: 'note', arguments: { text: 'good' } },
        { name: 'note', arguments: { text: 'bad' } },
      ],
    },
    { toolCalls: [{ name: 'ask', arguments: {} }] },
    { text: 'Done.' },
  ]);

const bound = () =>
  agent.bind(undefined, { resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })] });

const options = (): EvaluateOptions => {
  const clock = createManualClock();
  let ids = 0;
  return {
    clock,
    ids: () => {
      ids += 1;
      return `id-${ids}`;
    },
    streaming: true,
  };
};

/** The events of a run, as an observer of these types gets them. */
type Scenario = (eventTypes: readonly EventType[] | undefined) => Promise<readonly RunEvent[]>;

function observing(eventTypes: readonly EventType[] | undefined) {
  const events: RunEvent[] = [];
  const onEvent = (event: RunEvent): void => void events.push(event);
  return { events, observer: eventTypes === undefined ? { onEvent } : { onEvent, eventTypes } };
}

const scenarios: Readonly<Record<string, Scenario>> = {
  'a run': async (eventTypes) => {
    const { events, observer } = observing(eventTypes);
    await script().evaluate(bound(), { ...options(), observers: [observer] });
    return events;
  },
  'a run whose silence is watched': async (eventTypes) => {
    const { events, observer } = observing(eventTypes);
    const limits = { idleTimeoutMs: 60_000 };
    await script().evaluate(bound(), { ...options(), limits, observers: [observer] });
    return events;
  },
  'a run with a journal': async (eventTypes) => {
    const { events, observer } = observing(eventTypes);
    const own = options();
    await script().evaluate(bound(), { ...own, journal: memoryJournal(), observers: [observer] });
    return events;
  },
  'a run that is resumed in its second turn': async (eventTypes) => {
    const journal = memoryJournal();
    const own = options();
    const stopping = new AbortController();
    const stop = {
      onEvent: ({ type, path }: RunEvent): void => {
        if (type === 'model-call-end' && path.length === 1) stopping.abort();
      },
    };
    const first = script().evaluate(bound(), {
      ...own,
      journal,
      runId: 'run',
      signal: stopping.signal,
      observers: [stop],
    });
    await first.catch(() => undefined);
    const { events, observer } = observing(eventTypes);
    await resumeRun({
      ...own,
      journal,
      runId: 'run',
      prompt: bound(),
      adapter: script(),
      observers: [observer],
    });
    return events;
  },
};

describe.each(Object.entries(scenarios))('of %s, an observer', (_name, observe) => {
  it('gets the events of its types, and no others', async () => {
    const all = await observe(undefined);
    const types = [...new Set(all.map(({ type }) => type))];
    expect(types.length).toBeGreaterThan(8);
    const check = async (eventTypes: readonly EventType[]): Promise<void> => {
      const events = await observe(eventTypes);
      expect(events).toEqual(all.filter(({ type }) => eventTypes.includes(type)));
    };
    for (const type of types) {
      await check([type]);
      await check(types.filter((other) => other !== type));
    }
    await fc.assert(fc.asyncProperty(fc.subarray(types), check), { numRuns: draws(20) });
  });

  it('gets them frozen, with all that is in them', async () => {
    for (const event of await observe(undefined)) expect(unfrozen(event)).toEqual([]);
  });
});

describe('types of events', () => {
  it('are those of each observer', async () => {
    const ends = observing(['run-end']);
    const turns = observing(['turn-start', 'turn-end']);
    const none = observing([]);
    await script().evaluate(bound(), { observers: [ends.observer, none.observer, turns.observer] });
    expect(ends.events.map(({ type }) => type)).toEqual(['run-end', 'run-end']);
    expect(new Set(turns.events.map(({ type }) => type))).toEqual(new Set(['turn-start', 'turn-end']));
    expect(none.events).toEqual([]);
  });

  it('say what is built: nothing is redacted for an event that is wanted by none', async () => {
    const saidWith = async (
      eventTypes: readonly EventType[],
      more: EvaluateOptions = {},
    ): Promise<boolean> => {
      let isSeen = false;
      const redact = (text: string): string => {
        if (text === 'I take notes.') isSeen = true;
        return text;
      };
      const { observer } = observing(eventTypes);
      await script().evaluate(bound(), { ...more, redact, observers: [observer] });
      return isSeen;
    };
    expect(await saidWith(['tool-call-end', 'turn-end'])).toBe(false);
    // A watchdog takes every event.
    expect(await saidWith(['tool-call-end'], { limits: { idleTimeoutMs: 60_000 } })).toBe(false);
    expect(await saidWith(['model-call-end'])).toBe(true);
  });

  it('tell the outermost evaluation, also of a run whose start is not wanted', async () => {
    const outermost: string[] = [];
    const turns: RunEvent[] = [];
    const onEvent = (event: RunEvent, { evaluationId }: { readonly evaluationId: string }): void => {
      turns.push(event);
      outermost.push(evaluationId);
    };
    await script().evaluate(bound(), {
      observers: [{ onEvent, eventTypes: ['turn-start'] }],
    });
    expect(turns[0]?.path).toEqual([]);
    expect(new Set(outermost)).toEqual(new Set([turns[0]?.evaluationId]));
    expect(outermost).toHaveLength(6);
  });

  it('change nothing in what a journal lists of a run', async () => {
    const listed = async (observers: EvaluateOptions['observers']) => {
      const journal = memoryJournal();
      await script().evaluate(bound(), { ...options(), journal, runId: 'run', observers: observers ?? [] });
      return await journal.runs();
    };
    const without = await listed([]);
    expect(without).toMatchObject([{ turns: 3, status: 'finished' }]);
    expect(without).toEqual(await listed([observing(undefined).observer]));
  });

  it.each([
    ['turn-begin', /"turn-begin" is not a type of event. Types are: run-start, /],
    ['toString', /"toString" is not a type of event/],
    [1, /a number is not a type of event/],
  ])('that do not exist are refused: %s', async (type, message) => {
    // Code without types may give anything.
    const observers = [{ onEvent: () => undefined, eventTypes: [type as EventType] }];
    const refused = await script()
      .evaluate(bound(), { observers })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PromptValidationError);
    expect(String(refused)).toMatch(message);
  });

  it('are a list', async () => {
    // Code without types may give anything.
    const observers = [{ onEvent: () => undefined, eventTypes: 'turn-start' as unknown as EventType[] }];
    await expect(script().evaluate(bound(), { observers })).rejects.toThrow(/eventTypes must be an array/);
  });
});

/** Paths of what could be changed in a value. What a handler threw is passed on as it is. */
function unfrozen(value: unknown, path = 'event'): string[] {
  if (typeof value !== 'object' || value === null || value instanceof Error) return [];
  const below = Object.entries(value).flatMap(([name, item]) => unfrozen(item, `${path}.${name}`));
  return Object.isFrozen(value) ? below : [path, ...below];
}
