import { describe, expect, it } from 'vitest';
import { longJob, runLongJob } from '../../../../../examples/shared/long-job.ts';

describe('A job of 2,000 turns in a window of 32,000 tokens', () => {
  it('ends with the right answer when the conversation is compacted', async () => {
    const figures = await runLongJob({
      context: { compact: { atInputTokens: 24_000, toInputTokens: 12_000 } },
    });
    expect(figures.end).toBe('right');
    expect(figures.maxTokens).toBeLessThanOrEqual(24_000);
    expect(figures.cacheable).toBeGreaterThanOrEqual(0.98);
    expect(figures.rewrites).toBeLessThanOrEqual(30);
  });

  it('exceeds the window without anything', async () => {
    const figures = await runLongJob({});
    expect(figures.end).toBe('evaluation-context-exceeded');
    expect(figures.requests).toBe(190);
  });

  it('exceeds it with results dropped, since calls alone fill it', async () => {
    const figures = await runLongJob({ context: { overflow: 'drop-tool-results' } });
    expect(figures).toMatchObject({ end: 'evaluation-context-exceeded', requests: 420 });
  });

  it('ends with a wrong answer in a window of turns', async () => {
    const figures = await runLongJob({ context: { maxTurns: 100 } });
    expect(figures.end).toBe('wrong');
    expect(longJob.answer).not.toBe(figures.text);
  });
});
