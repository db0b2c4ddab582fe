import { describe, expect, it } from 'vitest';
import {
  type CompletionChecker,
  CompletionVerdict,
  hostedTool,
  promptTemplate,
  section,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { act } from '../../../support/act.ts';
import { promptWith } from '../../../support/nested-setup.ts';
import { runCalls } from '../../../support/run-calls.ts';
import { spansNamed, tracedRuns, treesOf } from '../../../support/span-trees.ts';
import { answer, telemetryModel } from '../../../support/telemetry-model.ts';

const work = act('work', () => undefined);

describe('a step', () => {
  it('has rejected answers, and the model call after one is a repair', async () => {
    const traced = tracedRuns();
    const template = promptTemplate({
      ns: 'test',
      key: 'task',
      sections: [section({ title: 'Task', key: 'task', template: 'Count.' })],
      output: z.object({ count: z.number() }),
    });
    const adapter = telemetryModel((turn) => answer(turn === 1 ? 'None.' : '{"count":3}'));
    await adapter.evaluate(template.bind(), { observers: [traced.observer] });
    const trees = treesOf(traced.spans());
    expect(trees[0]?.children?.[0]?.events).toEqual([['wink.output.rejected', { repair: 1 }]]);
    expect(spansNamed(trees, 'chat test-model').map(({ attributes }) => attributes['wink.purpose'])).toEqual([
      undefined,
      'output-repair',
    ]);
    expect(trees[0]?.attributes['gen_ai.output.type']).toBe('json');
  });

  it('has what checkers said, and which limits were passed', async () => {
    const traced = tracedRuns();
    const adapter = telemetryModel((turn) => ({
      ...answer('Done.'),
      usage: { inputTokens: turn === 1 ? 10 : 190, outputTokens: 1 },
    }));
    let checks = 0;
    const completion: CompletionChecker = {
      name: 'patience',
      check: () => {
        checks += 1;
        return checks === 1
          ? CompletionVerdict.incomplete('The secret is 42.')
          : CompletionVerdict.complete();
      },
    };
    await adapter.evaluate(promptWith('task', []), {
      completion,
      limits: { budget: { maxInputTokens: 150 } },
      observers: [traced.observer],
    });
    const trees = treesOf(traced.spans());
    expect(trees[0]?.children?.map(({ events }) => events)).toEqual([
      [['wink.completion.checked', { checker: 'patience', check: 1, outcome: 'incomplete' }]],
      [
        ['wink.budget.exceeded', { limit: 'maxInputTokens', value: 200, maximum: 150 }],
        ['wink.completion.checked', { checker: 'patience', check: 2, outcome: 'complete' }],
      ],
    ]);
    expect(JSON.stringify(trees)).not.toContain('secret');
  });

  it('has tools that the provider ran, without a duration', async () => {
    const traced = tracedRuns();
    const search = hostedTool({ kind: 'web_search', name: 'web', description: 'Searches.', config: {} });
    const adapter = scriptedAdapter([
      {
        text: 'Found.',
        hosted: [{ toolName: 'web', invocations: [{ status: 'completed' }], citations: [] }],
      },
    ]);
    const template = promptTemplate({
      ns: 'test',
      key: 'task',
      sections: [section({ title: 'Task', key: 'task', template: 'Search.', hostedTools: [search] })],
    });
    await adapter.evaluate(template.bind(), { observers: [traced.observer] });
    expect(spansNamed(treesOf(traced.spans()), 'execute_tool web')).toEqual([
      {
        name: 'execute_tool web',
        kind: 'INTERNAL',
        attributes: {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': 'web',
          'gen_ai.tool.type': 'extension',
        },
      },
    ]);
  });
});

describe('an observer that is twice in a list', () => {
  it('leaves no span open', async () => {
    const traced = tracedRuns();
    const { observer } = traced;
    await runCalls({ tools: [work], calls: [{ name: 'work' }], observers: [observer, observer] });
    expect(traced.spans()).toHaveLength(traced.begun());
  });
});
