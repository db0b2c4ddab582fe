import { describe, expect, it } from 'vitest';
import {
  BudgetTracker,
  ensureRun,
  forkRun,
  type JournalBatch,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  type RunEvent,
  type RunJournal,
  resumeRun,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { fallbackAdapter, type ModelTurn } from 'weakincentives/provider';
import { readRunRecord, replayRun } from 'weakincentives/record';
import { memoryJournal } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';
import { busy, calling, eventsOf, named, saying, stepPrompt } from '../../../support/fallback-models.ts';
import { journalAfter, watchedJournal } from '../../../support/journals.ts';

const limits = (): { readonly budget: BudgetTracker } => ({ budget: new BudgetTracker({ maxCost: 1_000 }) });
const options = { retry: false } as const;

interface Models {
  readonly adapter: ProviderAdapter;
  /** Who was asked what, as JSON. */
  readonly requests: string[];
  /** Names and turns of the same. */
  readonly asked: string[];
}

/** Three models, of which each is away in the turns that it is asked about. */
function models(isAway: (name: string, turn: number) => boolean, lastTurn = 6): Models {
  const requests: string[] = [];
  const asked: string[] = [];
  const model = (name: string, inputPerMillion: number): ProviderAdapter =>
    named(
      name,
      ({ turn, conversation, tools, instructions }): ModelTurn => {
        requests.push(JSON.stringify({ name, turn, conversation, tools, instructions }));
        if (isAway(name, turn)) throw busy();
        return turn < lastTurn ? calling(turn) : saying(`said by ${name}`);
      },
      { asked, prices: { inputPerMillion, outputPerMillion: 0 } },
    );
  const adapter = fallbackAdapter({ adapters: [model('a', 1), model('b', 10), model('c', 100)] });
  return { adapter, requests, asked };
}

const goes = (name: string, turn: number): boolean =>
  (name === 'a' && turn > 2) || (name === 'b' && turn > 4);
const never = (): boolean => false;

const changedIn = (batches: readonly JournalBatch[]): readonly string[] =>
  batches
    .flatMap(({ rows }) => rows)
    .flatMap(({ line }) => (line.includes('"model-changed"') ? (/"to":"(\w)"/.exec(line)?.[1] ?? []) : []));

const sessionOf = (batches: readonly JournalBatch[]): string =>
  (JSON.parse(batches[0]?.rows[0]?.line ?? '{}') as { sessionId: string }).sessionId;

async function wholeRun() {
  const journal = watchedJournal();
  const { adapter, requests, asked } = models(goes);
  const { budget } = limits();
  const response = await adapter.evaluate(stepPrompt(), {
    ...options,
    input: 'Go',
    journal,
    runId: 'run',
    limits: { budget },
  });
  return { journal, requests, asked, response, budget };
}

describe('a run that has left its model', () => {
  it('has a row for each change, before the next model is asked, and rows that say who answered', async () => {
    const { asked, journal, response, budget } = await wholeRun();
    expect(asked.join(' ')).toBe('a1 a2 a3 b3 b4 b5 c5 c6');
    expect(response.models).toEqual(['a', 'b', 'c']);
    expect(budget.cost).toBeCloseTo(1 + 1 + 10 + 10 + 100 + 100, 4);
    const rows = (await journal.read('run')).map(({ line }) => JSON.parse(line));
    expect(rows[0].models.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c']);
    expect(rows.flatMap(({ type, answeredBy }) => (type === 'response' ? answeredBy : [])).join('')).toBe(
      'aabbcc',
    );
    const changes = rows.flatMap(({ type, event }) =>
      event?.type === 'model-changed' ? [{ type, ...event }] : [],
    );
    expect(changes).toMatchObject([
      { turn: 3, from: 'a', to: 'b', reason: 'server-error' },
      { turn: 5, from: 'b', to: 'c', reason: 'server-error' },
    ]);
  });

  it('has the row on the journal when the next model is asked', async () => {
    const journal = watchedJournal();
    let kept: readonly string[] = [];
    const adapters = [
      named('a', () => {
        throw busy();
      }),
      named('b', () => {
        kept = changedIn(journal.batches);
        return saying('b');
      }),
    ];
    await fallbackAdapter({ adapters }).evaluate(stepPrompt(), {
      ...options,
      input: 'Go',
      journal,
      runId: 'run',
    });
    expect(kept).toEqual(['b']);
  });

  it('makes the requests of the whole run, killed after any row and resumed', async () => {
    const whole = await wholeRun();
    const { batches } = whole.journal;
    expect(batches.length).toBeGreaterThan(12);
    for (let count = 1; count < batches.length; count += 1) {
      const kept = batches.slice(0, count);
      const when = `after ${count} of ${batches.length}`;
      const { adapter, requests, asked } = models(goes);
      const { budget } = limits();
      const response = await resumeRun({
        ...options,
        adapter,
        prompt: stepPrompt(),
        journal: await journalAfter(kept, sessionOf(batches)),
        runId: 'run',
        limits: { budget },
      });
      expect(response, when).toMatchObject({ text: 'said by c', models: ['a', 'b', 'c'] });
      expect(budget.cost, when).toBe(whole.budget.cost);
      // A request whose answer, or whose change, is no row yet is made again with its attempts.
      expect(whole.requests.slice(whole.requests.length - requests.length), when).toEqual(requests);
      const [last] = changedIn(kept).slice(-1);
      const before = last === undefined ? [] : last === 'b' ? ['a'] : ['a', 'b'];
      expect(
        asked.filter((each) => before.includes(each.charAt(0))),
        when,
      ).toEqual([]);
    }
  });

  it('does not go back to a model that answers again', async () => {
    const whole = await wholeRun();
    const { batches } = whole.journal;
    for (let count = 1; count < batches.length; count += 1) {
      const kept = batches.slice(0, count);
      const { adapter, asked } = models(never);
      const events: RunEvent[] = [];
      const journal = await journalAfter(kept, sessionOf(batches));
      const outcome = await resumeRun({
        ...options,
        adapter,
        prompt: stepPrompt(),
        journal,
        runId: 'run',
        observers: [{ onEvent: (event) => void events.push(event) }],
      });
      const present = changedIn(kept).at(-1) ?? 'a';
      const hasAnswer = kept.some(({ rows }) => rows.some(({ line }) => line.includes('said by c')));
      expect(new Set(asked.map((each) => each.charAt(0)))).toEqual(new Set(hasAnswer ? [] : [present]));
      expect(outcome).toMatchObject({ text: `said by ${hasAnswer ? 'c' : present}` });
      const [resumed] = eventsOf(events, 'run-resumed');
      expect(resumed?.model).toBe(present === 'a' ? undefined : present);
      expect(resumed?.changed ?? []).toEqual([]);
      expect(eventsOf(events, 'model-changed')).toEqual([]);
    }
  });

  it('stays with its model in a fork that has the change, and not in one from before', async () => {
    const { journal } = await wholeRun();
    for (const [at, expected] of [
      [1, 'a2 a3 a4 a5 a6'],
      [2, 'a3 a4 a5 a6'],
      [3, 'b4 b5 b6'],
      [5, 'c6'],
    ] as const) {
      await forkRun({ journal, runId: 'run', at, newRunId: `fork-${at}` });
      const { adapter, asked } = models(never);
      await resumeRun({ ...options, adapter, prompt: stepPrompt(), journal, runId: `fork-${at}` });
      expect(asked.join(' ')).toBe(expected);
    }
  });

  it('begins with the first model of a list without the one that it was with, and says that this is another one', async () => {
    const { journal } = await wholeRun();
    await forkRun({ journal, runId: 'run', at: 3, newRunId: 'fork' });
    const events: RunEvent[] = [];
    const adapters = [named('d', () => saying('d')), named('e', () => saying('e'))];
    const outcome = await resumeRun({
      adapter: fallbackAdapter({ adapters }),
      prompt: stepPrompt(),
      journal,
      runId: 'fork',
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    expect(outcome).toMatchObject({ text: 'd' });
    expect(eventsOf(events, 'run-resumed')[0]?.changed).toEqual(['model']);
  });

  it('is with the model that its rows say in another order of the list, too', async () => {
    const { journal } = await wholeRun();
    await forkRun({ journal, runId: 'run', at: 5, newRunId: 'fork' });
    const asked: string[] = [];
    const adapters = ['c', 'b', 'a'].map((name) => named(name, () => saying(name), { asked }));
    const outcome = await resumeRun({
      adapter: fallbackAdapter({ adapters }),
      prompt: stepPrompt(),
      journal,
      runId: 'fork',
    });
    expect(outcome).toMatchObject({ text: 'c', models: ['a', 'b', 'c'] });
    expect(asked).toEqual(['c6']);
  });

  it('is answered from its rows with the models that answered', async () => {
    const { journal, response } = await wholeRun();
    const { adapter, asked } = models(never);
    const again = await ensureRun({ adapter, prompt: stepPrompt(), journal, runId: 'run', input: 'Go' });
    expect(again).toMatchObject({ models: response.models });
    const resumed = await resumeRun({
      adapter,
      prompt: stepPrompt(),
      journal,
      runId: 'run',
      limits: limits(),
    });
    expect(resumed).toMatchObject({ models: response.models });
    expect(asked).toEqual([]);
  });

  it('ends when the last model is away, and asks that one when it is resumed', async () => {
    const journal = memoryJournal();
    const away = models(() => true);
    const ended = await away.adapter
      .evaluate(stepPrompt(), { ...options, input: 'Go', journal, runId: 'run' })
      .catch((error: unknown) => error);
    expect(ended).toMatchObject({ code: 'evaluation-request-failed' });
    const { adapter, asked } = models(never, 2);
    await resumeRun({ ...options, adapter, prompt: stepPrompt(), journal, runId: 'run' });
    expect(asked).toEqual(['c1', 'c2']);
  });
});

describe('the record of such a run', () => {
  const recordOf = async (journal: RunJournal) =>
    readRunRecord((await journal.read('run')).map(({ line }) => line));

  it('says which models there were, who answered, and why the model changed', async () => {
    const { journal } = await wholeRun();
    const record = await recordOf(journal);
    expect(record.root.models?.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(record.turns.map(({ response }) => response?.answeredBy).join('')).toBe('aabbcc');
    const changes = record.problems.filter(({ kind }) => kind === 'model-changed');
    expect(changes.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^a could not answer \(server-error\), and b took over: /),
      expect.stringMatching(/^b could not answer \(server-error\), and c took over: /),
    ]);
  });

  it('is replayed with the answers and the prices of each', async () => {
    const { journal } = await wholeRun();
    const budget = new BudgetTracker({ maxCost: 1_000 });
    const report = await replayRun({
      record: await recordOf(journal),
      prompt: stepPrompt(),
      tools: 'recorded',
      options: { limits: { budget } },
    });
    expect(report.isSame).toBe(true);
    expect(budget.cost).toBeCloseTo(222, 4);
  });

  it('is continued by the model that the run was with', async () => {
    const { journal } = await wholeRun();
    const { adapter, asked } = models(never);
    let steps = 0;
    const prompt = stepPrompt(() => {
      steps += 1;
      return steps > 2 ? 'Something else.' : undefined;
    });
    const record = await recordOf(journal);
    const report = await replayRun({ record, prompt, tools: 'live', onDrift: 'continue', adapter });
    expect(report.isSame).toBe(false);
    // The result of the third call is another one.
    expect(asked).toEqual(['b4', 'b5', 'b6']);
  });
});

describe('an agent inside a call of such a run', () => {
  /** The agent is asked by `step`; it does steps of its own. */
  const lead = (words = 'Agent.'): Prompt => {
    const step = tool({
      name: 'step',
      description: 'Does a step.',
      effects: 'state',
      execute: () => ToolResult.ok(null, 'Done inside.'),
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'agent',
      sections: [section({ title: 'Task', key: 'task', template: words, tools: [step] })],
    });
    const agent = agentTool({
      name: 'step',
      description: 'Does it.',
      inputSchema: z.object({}),
      template,
      effects: 'state',
    });
    return promptTemplate({
      ns: 'test',
      key: 'lead',
      sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools: [agent] })],
    }).bind();
  };

  /** Inside the model a is away from turn 2 on; outside b takes over from turn 2 on, and inside of that b is away from turn 2 on. */
  const insideModels = (isAway: (name: string, turn: number, isInner: boolean) => boolean) => {
    const asked: string[] = [];
    const requests: string[] = [];
    let outerTurn = 0;
    const model = (name: string, index: number): ProviderAdapter =>
      named(
        name,
        ({ turn, conversation, instructions }) => {
          const isInner = instructions.includes('Agent.');
          if (!isInner) outerTurn = turn;
          asked.push(`${name}${isInner ? `${outerTurn}.` : ''}${turn}`);
          requests.push(JSON.stringify({ name, turn, conversation, instructions }));
          if (isAway(name, turn, isInner)) throw busy();
          return turn < 3 ? calling(turn) : saying(`said by ${name}`);
        },
        { prices: { inputPerMillion: 10 ** index, outputPerMillion: 0 } },
      );
    return { adapter: fallbackAdapter({ adapters: ['a', 'b', 'c'].map(model) }), asked, requests };
  };
  const goesInside = (name: string, turn: number, isInner: boolean): boolean =>
    (name === 'a' && turn > 1) || (name === 'b' && isInner && turn > 1 && turn < 3);

  it('has its own changes, and makes its requests again where it was, killed after any row and resumed', async () => {
    const journal = watchedJournal();
    const whole = insideModels(goesInside);
    const budget = new BudgetTracker({ maxCost: 1_000 });
    await whole.adapter.evaluate(lead(), {
      ...options,
      input: 'Go',
      journal,
      runId: 'run',
      limits: { budget },
    });
    expect(budget.cost).toBe(1 + 1 + 100 + 100 + 10 + 10 + 100 + 100 + 10);
    expect(whole.asked.join(' ')).toBe('a1 a1.1 a1.2 b1.2 c1.2 c1.3 a2 b2 b2.1 b2.2 c2.2 c2.3 b3');
    const { batches } = journal;
    for (let count = 1; count < batches.length; count += 1) {
      const kept = batches.slice(0, count);
      const when = `after ${count} of ${batches.length}`;
      const again = insideModels(goesInside);
      const left = new BudgetTracker({ maxCost: 1_000 });
      const response = await resumeRun({
        ...options,
        limits: { budget: left },
        adapter: again.adapter,
        prompt: lead(),
        journal: await journalAfter(kept, sessionOf(batches)),
        runId: 'run',
      });
      expect(response, when).toMatchObject({ text: 'said by b', models: ['a', 'b'] });
      expect(left.cost, when).toBe(budget.cost);
      expect(whole.requests.slice(whole.requests.length - again.requests.length), when).toEqual(
        again.requests,
      );
    }
  });

  it('forgets a change that did not happen, when its requests are others now', async () => {
    const first = watchedJournal();
    const away = insideModels(goesInside);
    await away.adapter.evaluate(lead(), { ...options, input: 'Go', journal: first, runId: 'run' });
    const until = first.batches.findIndex(
      (_batch, index) => changedIn(first.batches.slice(0, index)).length > 0,
    );
    const second = await journalAfter(first.batches.slice(0, until), sessionOf(first.batches));
    const resumed = { ...options, prompt: lead('Another Agent.'), runId: 'run' };
    const back = insideModels(() => false);
    await resumeRun({ ...resumed, adapter: back.adapter, journal: second });
    expect(back.asked.join(' ')).toBe('a0.1 a0.2 a0.3 a2 a2.1 a2.2 a2.3 a3');
    for (let count = until; count < second.batches.length; count += 1) {
      const again = insideModels(() => false);
      const journal = await journalAfter(second.batches.slice(0, count), sessionOf(first.batches));
      await resumeRun({ ...resumed, adapter: again.adapter, journal });
      expect(
        again.asked.filter((each) => !each.startsWith('a')),
        `after ${count}`,
      ).toEqual([]);
    }
  });

  it('does not go back to a model that answers again', async () => {
    const journal = watchedJournal();
    const whole = insideModels(goesInside);
    await whole.adapter.evaluate(lead(), { ...options, input: 'Go', journal, runId: 'run' });
    const { batches } = journal;
    const firstAsked: string[] = [];
    for (let count = 1; count < batches.length; count += 1) {
      const again = insideModels(() => false);
      await resumeRun({
        ...options,
        adapter: again.adapter,
        prompt: lead(),
        journal: await journalAfter(batches.slice(0, count), sessionOf(batches)),
        runId: 'run',
      });
      const [first] = again.asked;
      if (first !== undefined && first !== firstAsked.at(-1)) firstAsked.push(first);
    }
    // The request that was not answered is made again of the model that the rows say, and of none that was left.
    const inside = (each: string): string => each.replace(/\d\./, 'inside ');
    expect(firstAsked.map(inside)).toEqual(whole.asked.map(inside));
  });
});
