import { expect } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import { evaluationFailure } from '../failure.ts';
import { workshop } from './workshop.ts';

/** Aborts a run whose model calls `hang`, once it hangs: nothing of the call is left. */
export async function expectAborted(adapter: ProviderAdapter): Promise<void> {
  const shop = workshop();
  const controller = new AbortController();
  const { signal } = controller;
  const run = adapter.evaluate(shop.prompt, { input: 'Go.', observers: shop.observers, signal });
  await shop.hangs;
  controller.abort();
  const error = await evaluationFailure(run);
  expect([error.code, error.phase]).toEqual(['evaluation-aborted', 'tool']);
  expect(shop.outcomes()).toEqual([['hang', 'aborted']]);
  expect(await shop.text('hung.md')).toBeUndefined();
}
