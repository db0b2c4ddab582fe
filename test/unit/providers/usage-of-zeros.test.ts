import { describe, expect, it } from 'vitest';
import { BudgetTracker, PromptEvaluationError, type RunEvent, ToolResult, tool } from 'weakincentives';
import { promptOf } from '../../support/openai-runs.ts';
import { pipedFetch } from '../../support/piped-fetch.ts';
import { providerFormats } from '../../support/provider-formats.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

const page = tool({
  name: 'page',
  description: 'Shows a page.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'some words of a page '.repeat(150)),
});
const prompt = promptOf({ tools: [page] });
const prices = { inputPerMillion: 1_000, outputPerMillion: 1_000 };

describe.each(providerFormats)('counts that say nothing: $name', (format) => {
  it.each([
    ['zeros', format.usage(0, 0, 0)],
    ['zeros and a total', format.usage(0, 0, 1_234)],
    ['no input', format.usage(0, 12, 12)],
  ])('%s are estimated, said once, and in no event', async (_name, usage) => {
    for (const streaming of [true, false]) {
      const events: RunEvent[] = [];
      const logger = recordingLogger();
      const budget = new BudgetTracker({ maxTotalTokens: 4_000, prices });
      const { fetch, requests } = pipedFetch((request, number) => {
        const turn = {
          text: 'I read.',
          calls: [{ id: `call0000${number}`, name: 'page', arguments: {} }],
          usage,
        };
        request.send(streaming ? format.stream(turn).join('') : JSON.stringify(format.whole(turn)));
        request.close();
      });
      const error: unknown = await format
        .adapter(fetch)
        .evaluate(prompt, {
          input: 'Go',
          streaming,
          logger,
          limits: { budget, maxTurns: 25 },
          observers: [{ onEvent: (event) => void events.push(event) }],
        })
        .catch((thrown: unknown) => thrown);
      expect(PromptEvaluationError.isInstance(error) && error.phase).toBe('budget');
      expect(requests.length).toBeLessThan(10);
      expect(budget.estimatedUsage.inputTokens).toBeGreaterThan(1_000);
      expect(budget.uncountedTurns).toBe(requests.length);
      expect(budget.cost).toBeGreaterThan(1);
      for (const event of events) {
        if (event.type === 'usage-counted') expect(event.usage.inputTokens).toBeUndefined();
        if (event.type === 'model-call-end') expect(event.usage?.inputTokens).toBeUndefined();
      }
      const warnings = logger.lines.filter(({ message }) => message.startsWith('A model did not report'));
      expect(warnings).toHaveLength(1);
    }
  });
});
