import { describe, expect, test } from 'vitest';
import {
  type EvaluateOptions,
  promptTemplate,
  type RunEvent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import {
  type LanguageModel,
  type ModelDelta,
  ModelResponseError,
  type ModelTurn,
  providerAdapter,
  ThrottleError,
} from 'weakincentives/provider';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { passingWaits } from './streamed-notes.ts';

const list = tool({
  name: 'list',
  description: 'Lists a lot.',
  effects: 'read',
  execute: async () => ToolResult.ok(null, 'pears, plums, '.repeat(40)),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'void',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [list] })],
}).bind();

/** What each attempt emits, and whether it is the last. */
const attempts = (...all: readonly (readonly ModelDelta[])[]): LanguageModel => {
  let number = 0;
  return {
    name: 'breaking',
    generate: async (_request, { onDelta }) => {
      const deltas = all[number] ?? [];
      number += 1;
      for (const delta of deltas) await onDelta?.(delta);
      if (number < all.length) throw new ThrottleError('The stream broke off.', { kind: 'server-error' });
      const text = deltas.map((delta) => (delta.type === 'text-delta' ? delta.text : '')).join('');
      return { content: [{ type: 'text', text }], finishReason: 'stop' };
    },
  };
};
const say = (text: string): ModelDelta => ({ type: 'text-delta', text });
const think = (text: string): ModelDelta => ({ type: 'reasoning-delta', text });
const run = async (model: LanguageModel, options: EvaluateOptions = {}): Promise<readonly RunEvent[]> => {
  const clock = createManualClock();
  const passing = { onEvent: passingWaits(clock) };
  const events: RunEvent[] = [];
  for await (const event of providerAdapter({ model }).stream(prompt, {
    clock,
    observers: [passing],
    ...options,
  }))
    if (event.type !== 'run-result') events.push(event);
  return events;
};
const voidIn = (events: readonly RunEvent[]): readonly unknown[] =>
  events.flatMap((event) =>
    event.type === 'model-call-retry' || event.type === 'tool-results-dropped' ? [event.voidCharacters] : [],
  );
/** What somebody shows who takes back what is void. */
const shownOf = (events: readonly RunEvent[]): { readonly text: string; readonly reasoning: string } => {
  const shown = { text: '', reasoning: '' };
  for (const event of events) {
    if (event.type === 'text-delta') shown.text += event.text;
    if (event.type === 'reasoning-delta') shown.reasoning += event.text;
    if (event.type !== 'model-call-retry' && event.type !== 'tool-results-dropped') continue;
    const { text = 0, reasoning = 0 } = event.voidCharacters ?? {};
    shown.text = shown.text.slice(0, shown.text.length - text);
    shown.reasoning = shown.reasoning.slice(0, shown.reasoning.length - reasoning);
  }
  return shown;
};

describe('deltas that are void', () => {
  test('are counted by kind, attempt by attempt', async () => {
    const events = await run(
      attempts([think('Hm'), say('Half 🍐'), think('.')], [], [say('H')], [think('So.'), say('Whole.')]),
    );
    expect(voidIn(events)).toEqual([{ text: 7, reasoning: 3 }, undefined, { text: 1, reasoning: 0 }]);
    expect(shownOf(events)).toEqual({ text: 'Whole.', reasoning: 'So.' });
  });

  test('are kept in the record of the run', async () => {
    const lines: string[] = [];
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    const clock = createManualClock();
    const model = attempts([say('Half')], [say('Whole.')]);
    await providerAdapter({ model }).evaluate(prompt, {
      clock,
      streaming: true,
      observers: [recorder, { onEvent: passingWaits(clock) }],
    });
    const { turns } = await readRunRecord(lines);
    expect(turns[0]?.events).toMatchObject([
      { event: { type: 'model-call-retry', voidCharacters: { text: 4, reasoning: 0 } } },
    ]);
  });

  test('are not a member of the event where nothing was emitted', async () => {
    for (const events of [
      await run(attempts([], [say('Whole.')])),
      await run(attempts([say('Half')], [say('Whole.')]), { streaming: false }),
    ]) {
      const retries = events.filter(({ type }) => type === 'model-call-retry');
      expect(retries).toHaveLength(1);
      expect(retries[0]).not.toHaveProperty('voidCharacters');
    }
  });

  test('are counted as they were emitted: half a pair that was held back is not, a redacted piece as it is shown', async () => {
    const halves = await run(attempts([say('a\ud83c'), say('\udf50b'), say('\ud83c')], [say('Whole.')]));
    expect(voidIn(halves)).toEqual([{ text: 4, reasoning: 0 }]);
    expect(shownOf(halves).text).toBe('Whole.');
    const redact = Object.assign((text: string) => text.replaceAll('sk-1', '<secret>'), {
      pending: (text: string) => (text.endsWith('sk') ? 2 : 0),
    });
    const secret = await run(attempts([say('key sk'), say('-1, sk')], [say('sk-1 is it')]), { redact });
    expect(voidIn(secret)).toEqual([{ text: 'key <secret>, '.length, reasoning: 0 }]);
    expect(shownOf(secret).text).toBe('<secret> is it');
  });

  test.each<[string, () => ModelTurn]>([
    [
      'ends because there is no room',
      () => ({ content: [{ type: 'text', text: 'It w' }], finishReason: 'context-window' }),
    ],
    [
      'fails because there is no room',
      () => {
        throw new ModelResponseError('model-context-exceeded', 'The conversation is too long.');
      },
    ],
  ])('are counted where an answer %s', async (_what, end) => {
    let turns = 0;
    const model: LanguageModel = {
      name: 'full',
      generate: async (_request, { onDelta }) => {
        turns += 1;
        await onDelta?.(say(turns === 1 ? 'I look. ' : turns === 2 ? 'It w' : 'It was long.'));
        if (turns === 2) return end();
        const content = [{ type: 'text', text: turns === 1 ? 'I look. ' : 'It was long.' }] as const;
        const call = { type: 'tool-call', callId: 'c1', name: 'list', arguments: '{}' } as const;
        return turns === 1
          ? { content: [...content, call], finishReason: 'tool-calls' }
          : { content, finishReason: 'stop' };
      },
    };
    const events = await run(model, { context: { overflow: 'drop-tool-results' } });
    expect(voidIn(events)).toEqual([{ text: 4, reasoning: 0 }]);
    expect(shownOf(events).text).toBe('I look. It was long.');
  });
});
