import { describe, expect, test } from 'vitest';
import { BudgetTracker, type RunEvent, Session, ToolResult } from 'weakincentives';
import { type AgentHarness, harnessAdapter } from 'weakincentives/provider';
import { createManualClock } from 'weakincentives/testing';
import { evaluationFailure } from '../../../support/failure.ts';
import { fullCapabilities, loopHarness } from '../../../support/harness/loop-harness.ts';
import { Notes, notebook, noteTool } from '../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../support/harness/said.ts';

const note = (text: string, rest = {}) => called([['note', { text }]], rest);

describe('a harness is held to', () => {
  test('maxTurns', async () => {
    const { model, requests } = scriptedModel([note('a'), note('b'), note('c')]);
    await using session = new Session();
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const error = await evaluationFailure(adapter.evaluate(notebook(), { session, limits: { maxTurns: 2 } }));
    expect([error.code, error.phase]).toEqual(['evaluation-turns-exceeded', 'request']);
    expect(requests).toHaveLength(2);
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }, { text: 'b' }]);
  });

  test('the budget: no turn and no call begins once it is used up', async () => {
    const { model, requests } = scriptedModel([
      note('a', { usage: { inputTokens: 40, outputTokens: 5 } }),
      note('b', { usage: { inputTokens: 80, outputTokens: 5 } }),
      said('Done.'),
    ]);
    await using session = new Session();
    const budget = new BudgetTracker({ maxInputTokens: 100 });
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const error = await evaluationFailure(adapter.evaluate(notebook(), { session, limits: { budget } }));
    expect([error.code, error.phase]).toEqual(['evaluation-budget-exceeded', 'budget']);
    expect(error.usage).toEqual({ inputTokens: 120, outputTokens: 10 });
    expect(requests).toHaveLength(2);
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
  });

  test('the budget, but keeps an answer that passes it', async () => {
    const { model } = scriptedModel([said('Done.', { usage: { inputTokens: 200, outputTokens: 5 } })]);
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const response = await adapter.evaluate(notebook(), { limits: { budget: { maxInputTokens: 100 } } });
    expect(response).toMatchObject({ text: 'Done.', budgetExceeded: { limit: 'maxInputTokens' } });
  });

  test('the budget, at once, when it reports usage without turns', async () => {
    const harness: AgentHarness = {
      name: 'endless',
      capabilities: { usage: true },
      run: (_request, { onUsage, signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          onUsage({ inputTokens: 70, outputTokens: 0 });
          onUsage({ inputTokens: 90, outputTokens: 20 });
        }),
    };
    const events: RunEvent[] = [];
    const error = await evaluationFailure(
      harnessAdapter({ harness }).evaluate(notebook(), {
        limits: { budget: { maxTotalTokens: 100 } },
        observers: [{ onEvent: (event) => events.push(event) }],
      }),
    );
    expect(error.code).toBe('evaluation-budget-exceeded');
    // Totals are not counted twice.
    expect(error.usage).toEqual({ inputTokens: 90, outputTokens: 20 });
    expect(events.flatMap((event) => (event.type === 'usage-counted' ? [event.usage] : []))).toEqual([
      { inputTokens: 70, outputTokens: 0 },
      { inputTokens: 20, outputTokens: 20 },
    ]);
  });

  test('the idle timeout', async () => {
    const clock = createManualClock();
    const harness: AgentHarness = {
      name: 'silent',
      capabilities: {},
      run: (_request, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason));
          clock.advance(5_000);
        }),
    };
    const run = harnessAdapter({ harness }).evaluate(notebook(), { clock, limits: { idleTimeoutMs: 5_000 } });
    expect((await evaluationFailure(run)).code).toBe('evaluation-idle');
  });

  test('maxRepeatedFailures', async () => {
    const full = noteTool('note', () => ToolResult.error('The shelf is full.'));
    const { model, requests } = scriptedModel([note('a'), note('a'), note('a'), said('Done.')]);
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const error = await evaluationFailure(
      adapter.evaluate(notebook([full]), { limits: { maxRepeatedFailures: 2 } }),
    );
    expect([error.code, error.phase]).toEqual(['evaluation-failures-repeated', 'tool']);
    expect(requests).toHaveLength(2);
    expect(error.conversation.map(({ type }) => type)).toEqual([
      'assistant',
      'tool-result',
      'assistant',
      'tool-result',
    ]);
  });
});

test('what a run took in all is counted beyond what its turns reported', async () => {
  const { model } = scriptedModel([said('Done.', { usage: { inputTokens: 60, outputTokens: 5 } })]);
  const inner = loopHarness({ model });
  const harness: AgentHarness = {
    ...inner,
    capabilities: { ...fullCapabilities, followUps: false },
    run: async (request, options) => ({
      ...(await inner.run(request, { ...options, onAnswer: async () => undefined })),
      usage: { inputTokens: 75, outputTokens: 4, cachedInputTokens: 8 },
    }),
  };
  const events: RunEvent[] = [];
  const response = await harnessAdapter({ harness }).evaluate(notebook(), {
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  expect(response.usage).toEqual({ inputTokens: 75, outputTokens: 5, cachedInputTokens: 8 });
  expect(events.filter(({ type }) => type === 'usage-counted')).toMatchObject([
    { usage: { inputTokens: 60, outputTokens: 5 } },
    { usage: { inputTokens: 15, outputTokens: 0, cachedInputTokens: 8 }, total: response.usage },
  ]);
});
