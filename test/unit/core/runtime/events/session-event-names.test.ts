import { expect, test } from 'vitest';
import * as root from 'weakincentives';
import * as suite from 'weakincentives/tools';
import { FeedbackStepped } from '../../../../../src/core/runtime/feedback/feedback-progress.ts';

/** The events that the library declares, by the names of their constants. */
const events = new Map(
  Object.entries<unknown>({ ...root, ...suite, FeedbackStepped }).flatMap(([constant, value]) =>
    isEvent(value) ? [[constant, value.name] as const] : [],
  ),
);

function isEvent(value: unknown): value is { readonly kind: 'event'; readonly name: string } {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'event';
}

test('session events have the names of their constants, under weakincentives', () => {
  expect([...events.keys()]).toEqual(
    expect.arrayContaining(['ToolInvoked', 'PromptRendered', 'SetVisibility', 'SetupPlan']),
  );
  for (const [constant, name] of events) {
    const words = constant.replace(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase();
    expect(name).toBe(`weakincentives.${words}`);
  }
});
