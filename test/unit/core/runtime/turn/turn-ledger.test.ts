import { describe, expect, test } from 'vitest';
import { openToolRuntime, type RunEvent, type RunObserver } from 'weakincentives';
import { harnessAdapter, type LanguageModel, type ModelTurn, providerAdapter } from 'weakincentives/provider';
import { evaluationFailure } from '../../../../support/failure.ts';
import { loopHarness } from '../../../../support/harness/loop-harness.ts';
import { notebook } from '../../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../../support/harness/said.ts';

const usage = { inputTokens: 60, outputTokens: 5 };
const more = { inputTokens: 80, outputTokens: 5 };
const turns = (): readonly ModelTurn[] => [
  called([['note', { text: 'a' }]], { usage }),
  said('Done.', { usage: more }),
];
const limits = { budget: { maxInputTokens: 125 } };

type Generates = Pick<LanguageModel, 'generate'>;

const adapters = {
  'the loop': (model: Generates) => providerAdapter({ model: { name: 'scripted', ...model } }),
  'a harness': (model: Generates) => harnessAdapter({ harness: loopHarness({ model }) }),
};

/** An observer, and the events that it gets, in their order. */
function watching(): { readonly observers: readonly RunObserver[]; readonly events: RunEvent[] } {
  const events: RunEvent[] = [];
  return { observers: [{ onEvent: (event) => void events.push(event) }], events };
}

/** What is said of turns: the type, and what was counted. */
function announced(events: readonly RunEvent[]): readonly unknown[] {
  return events
    .filter(({ type }) => type !== 'run-start' && type !== 'run-end')
    .map((event) => {
      if (event.type === 'usage-counted') return [event.type, event.turn, event.total.inputTokens];
      return 'turn' in event ? [event.type, event.turn] : event.type;
    });
}

/** What a loop outside of the library has to say: its turns are its own. */
const ofOwnTurns: readonly unknown[] = ['turn-start', 'model-call-start', 'model-call-end', 'turn-end'];

const expected = [
  ['turn-start', 1],
  ['model-call-start', 1],
  ['model-call-end', 1],
  ['usage-counted', 1, 60],
  ['tool-call-start', 1],
  ['tool-call-end', 1],
  ['turn-end', 1],
];
const last = [
  ['turn-start', 2],
  ['model-call-start', 2],
  ['model-call-end', 2],
  ['usage-counted', 2, 140],
  ['budget-exceeded', 2],
  ['turn-end', 2],
];

describe.each(Object.entries(adapters))('%s', (_name, adapterOn) => {
  test('announces a turn, what it took, its calls and its end', async () => {
    const { events, observers } = watching();
    const { model } = scriptedModel(turns());
    await adapterOn(model).evaluate(notebook(), { observers, limits });
    expect(announced(events)).toEqual([...expected, ...last]);
  });

  test('counts and announces what an answer took that cannot be used', async () => {
    const { events, observers } = watching();
    // Code of others may give anything.
    const broken = { content: 'none', finishReason: 'stop', usage } as unknown as ModelTurn;
    const { model } = scriptedModel([broken]);
    const error = await evaluationFailure(adapterOn(model).evaluate(notebook(), { observers }));
    expect([error.code, error.usage]).toEqual(['evaluation-response-invalid', usage]);
    expect(announced(events)).toEqual([
      ['turn-start', 1],
      ['model-call-start', 1],
      ['usage-counted', 1, 60],
    ]);
  });

  test('says of a run with too many turns what is left', async () => {
    const { model } = scriptedModel(turns());
    const error = await evaluationFailure(adapterOn(model).evaluate(notebook(), { limits: { maxTurns: 1 } }));
    expect(error.code).toBe('evaluation-turns-exceeded');
    expect(error.message).toContain(
      'was called 1 times and still wants to call tools; raise limits.maxTurns',
    );
  });
});

test('a tool runtime announces the same, but for the turns, which are those of its loop', async () => {
  const { events, observers } = watching();
  await using runtime = await openToolRuntime(notebook(), { observers, limits });
  runtime.countUsage(usage);
  await runtime.runCalls([{ callId: 'call-1', name: 'note', arguments: { text: 'a' } }]);
  runtime.countUsage(more);
  const types = [...expected, ...last].map(([type]) => type).filter((type) => !ofOwnTurns.includes(type));
  expect(events.map(({ type }) => type).filter((type) => type !== 'run-start')).toEqual(types);
});
