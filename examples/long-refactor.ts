// A job of 2,000 turns in a window of 32,000 tokens: with an exact digest of the state it ends right, with less it does not.
import assert from 'node:assert/strict';
import type { EvaluateOptions } from 'weakincentives';
import { longJob, runLongJob } from './shared/long-job.ts';

const ways: readonly (readonly [name: string, options: Pick<EvaluateOptions, 'context'>])[] = [
  ['nothing', {}],
  ['overflow: drop-tool-results', { context: { overflow: 'drop-tool-results' } }],
  ['maxTurns: 100', { context: { maxTurns: 100 } }],
  ['compact: 24,000 to 12,000', { context: { compact: { atInputTokens: 24_000, toInputTokens: 12_000 } } }],
];

console.log(
  'context                      ends                         requests  most tokens  cacheable  uncached',
);
const ends: string[] = [];
for (const [name, options] of ways) {
  const figures = await runLongJob(options);
  ends.push(figures.end);
  const { cacheable, end, maxTokens, requests, uncachedBytes } = figures;
  console.log(
    [
      name.padEnd(29),
      end.padEnd(29),
      String(requests).padStart(8),
      maxTokens.toLocaleString('en-US').padStart(13),
      `${(100 * cacheable).toFixed(1)} %`.padStart(11),
      `${(uncachedBytes / 1e6).toFixed(2)} MB`.padStart(10),
    ].join(''),
  );
  if (name.startsWith('compact')) {
    assert.equal(figures.text, longJob.answer);
    assert.ok(maxTokens <= 24_000 && cacheable >= 0.98 && figures.rewrites <= 30);
  }
}

// A window of turns has forgotten the rule, and the sum of what left it.
assert.deepEqual(ends, ['evaluation-context-exceeded', 'evaluation-context-exceeded', 'wrong', 'right']);
