import { describe, expect, test } from 'vitest';
import { type CompletionChecker, CompletionVerdict, type RunEvent, ToolResult } from 'weakincentives';
import { type AgentHarness, harnessAdapter } from 'weakincentives/provider';
import { evaluationFailure } from '../../../support/failure.ts';
import { gate } from '../../../support/gate.ts';
import { fullCapabilities, loopHarness } from '../../../support/harness/loop-harness.ts';
import { counter, notebook, noteTool } from '../../../support/harness/notebook.ts';
import { called, said, scriptedModel } from '../../../support/harness/said.ts';

/** Says no until it was asked this often. */
const patient = (checks: number): CompletionChecker => ({
  name: 'patient',
  check: ({ check, text }) =>
    check < checks ? CompletionVerdict.incomplete(`"${text}" is not all.`) : CompletionVerdict.complete(),
});

describe('a completion checker', () => {
  test('tells the model of the harness what is missing, in the same conversation', async () => {
    const { model, requests } = scriptedModel([said('One.'), said('Two.'), said('Three.')]);
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const events: RunEvent[] = [];
    const response = await adapter.evaluate(notebook(), {
      input: 'Go.',
      completion: patient(3),
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    expect(response.text).toBe('Three.');
    expect(requests).toHaveLength(3);
    // The harness is not told who says it.
    expect(requests[2]?.conversation).toEqual(
      response.conversation
        .slice(0, -1)
        .map((item) => (item.type === 'user' ? { type: item.type, content: item.content } : item)),
    );
    const sources = response.conversation.map((item) => (item.type === 'user' ? item.source : undefined));
    expect(sources).toEqual([undefined, undefined, 'runtime', undefined, 'runtime', undefined]);
    expect(response.conversation.map(({ type }) => type)).toEqual([
      ...['user', 'assistant', 'user', 'assistant', 'user', 'assistant'],
    ]);
    expect(events.filter(({ type }) => type === 'completion-checked')).toMatchObject([
      { turn: 1, check: 1, outcome: 'incomplete', feedback: '"One." is not all.' },
      { turn: 2, check: 2, outcome: 'incomplete', feedback: '"Two." is not all.' },
      { turn: 3, check: 3, outcome: 'complete' },
    ]);
  });

  test('ends the run when it still says no at its last check', async () => {
    const { model, requests } = scriptedModel([said('One.'), said('Two.')]);
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const error = await evaluationFailure(
      adapter.evaluate(notebook(), { completion: patient(9), limits: { maxCompletionChecks: 2 } }),
    );
    expect(error.code).toBe('evaluation-incomplete');
    expect(error.conversation.map(({ type }) => type)).toEqual(['assistant', 'user', 'assistant']);
    expect(requests).toHaveLength(2);
  });

  test('judges an answer by the tool finish, which may be given again', async () => {
    const { model, requests } = scriptedModel([
      called([['finish', { count: 1 }]]),
      called([['finish', { count: 2 }]], { after: 1 }),
    ]);
    const harness = loopHarness({ model, capabilities: { ...fullCapabilities, outputSchema: false } });
    const response = await harnessAdapter({ harness }).evaluate(counter(), { completion: patient(2) });
    expect(response.output).toEqual({ count: 2 });
    expect(requests[1]?.conversation.at(-1)).toEqual({
      type: 'user',
      content: [{ type: 'text', text: '"{"count":1}" is not all.' }],
    });
  });

  test('is asked when no call runs any more', async () => {
    const door = gate();
    const slow = noteTool('note', async () => {
      await door.pass();
      return ToolResult.ok(null, 'Noted.');
    });
    const harness: AgentHarness = {
      name: 'hasty',
      capabilities: { followUps: true },
      run: async ({ tools }, { onAnswer }) => {
        const call = tools.call({ callId: 'c1', name: 'note', arguments: { text: 'a' } });
        call.catch(() => undefined);
        await door.reached;
        const outcome = { text: 'Done.', finishReason: 'stop' } as const;
        await onAnswer(outcome);
        return outcome;
      },
    };
    const events: RunEvent[] = [];
    await harnessAdapter({ harness }).evaluate(notebook([slow]), {
      completion: patient(1),
      observers: [{ onEvent: (event) => events.push(event) }],
    });
    const types = events.map(({ type }) => type);
    expect(types.indexOf('tool-call-end')).toBeLessThan(types.indexOf('completion-checked'));
    expect(types).toContain('tool-call-end');
    door.open();
  });

  test('is not asked about an answer that was cut off', async () => {
    const { model } = scriptedModel([said('One', { finishReason: 'length' })]);
    const adapter = harnessAdapter({ harness: loopHarness({ model }) });
    const response = await adapter.evaluate(notebook(), { completion: patient(9) });
    expect(response).toMatchObject({ text: 'One', finishReason: 'length' });
  });
});
