import { beforeAll, describe, expect, it } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import { fallbackAdapter } from 'weakincentives/provider';
import { type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { recordedAdapter } from 'weakincentives/testing';
import { winkMatchers } from 'weakincentives/vitest';
import { queryTables } from '../../../src/cli/query/tables/query-tables.ts';
import { modelsOf } from '../../../src/viewer/model/overview.ts';
import { spentOf } from '../../../src/viewer/model/spent.ts';
import { busy, calling, named, saying, stepPrompt } from '../../support/fallback-models.ts';
import { tracedRuns, treesOf } from '../../support/span-trees.ts';

expect.extend(winkMatchers);

const prices = (inputPerMillion: number) => ({ inputPerMillion, outputPerMillion: 0 });

/** A run whose second turn another model takes over. */
function adapter(): ProviderAdapter {
  const first = named(
    'first',
    ({ turn }) => {
      if (turn > 1) throw busy();
      return calling(turn);
    },
    { model: 'm-1', provider: 'one', prices: prices(1) },
  );
  const second = named('second', ({ turn }) => (turn < 3 ? calling(turn) : saying('Done.')), {
    model: 'm-2',
    provider: 'two',
    prices: prices(10),
  });
  return fallbackAdapter({ adapters: [first, second] });
}

describe('the record of a run that has left its model', () => {
  const lines: string[] = [];
  let record: RunRecord;
  beforeAll(async () => {
    const recorder = runRecorder({ write: (line) => void lines.push(line) });
    await adapter().evaluate(stepPrompt(), { input: 'Go', retry: false, observers: [recorder] });
    await recorder.flush();
    record = await readRunRecord(lines);
  });

  it('costs what each of the models does, in the page, in tables and for matchers', () => {
    const cost = 21;
    expect(spentOf(record, 0).find(({ name }) => name === 'Cost')?.value).toBe('21.00');
    const valuesOf = (tableName: string, column: string): readonly unknown[] => {
      const table = queryTables.find(({ name }) => name === tableName);
      const index = table?.columns.findIndex(({ name }) => name === column) ?? -1;
      return [...(table?.rows(record) ?? [])].map((row) => row[index]);
    };
    expect(valuesOf('runs', 'cost')).toEqual([cost]);
    expect(valuesOf('turns', 'cost')).toEqual([1, 10, 10]);
    expect(valuesOf('turns', 'answered_by')).toEqual(['first/m-1', 'second/m-2', 'second/m-2']);
    expect(record).toStayWithin({ cost });
    expect(record).not.toStayWithin({ cost: cost - 1 });
  });

  it('names all of its models', () => {
    expect(modelsOf(record.root)).toBe('first/m-1 → second/m-2');
    expect(record.turns.flatMap(({ events }) => events.map(({ event }) => event.type))).toContain(
      'model-changed',
    );
  });

  it('is given again by one model, which answers for all of them', async () => {
    const recorded = recordedAdapter({ record });
    const response = await recorded.evaluate(stepPrompt(), { input: 'Go' });
    expect(response.text).toBe('Done.');
    expect(response.models).toBeUndefined();
    recorded.assertComplete();
  });
});

describe('the trace of such a run', () => {
  it('has model calls with the model and the provider that answered, and says where it changed', async () => {
    const traced = tracedRuns();
    await adapter().evaluate(stepPrompt(), { input: 'Go', retry: false, observers: [traced.observer] });
    const spans = treesOf(traced.spans()).flatMap(function all(span): readonly (typeof span)[] {
      return [span, ...(span.children ?? []).flatMap(all)];
    });
    const chats = spans.filter(({ name }) => name.startsWith('chat '));
    expect(
      chats.map(({ name, attributes }) => [
        name,
        attributes['gen_ai.request.model'],
        attributes['gen_ai.provider.name'],
      ]),
    ).toEqual([
      ['chat m-1', 'm-1', 'one'],
      ['chat m-2', 'm-2', 'two'],
      ['chat m-2', 'm-2', 'two'],
    ]);
    const [run] = spans;
    expect(run?.attributes['gen_ai.request.model']).toBe('m-1');
    const changes = spans.flatMap(({ events = [] }) =>
      events.filter(([name]) => name === 'wink.model.changed'),
    );
    expect(changes).toEqual([
      ['wink.model.changed', { from: 'first/m-1', to: 'second/m-2', reason: 'server-error' }],
    ]);
  });
});
