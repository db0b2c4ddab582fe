import { defineEvent, defineSlice, type EventDefinition, type RunEvent, type Slice } from 'weakincentives';
import { z } from 'zod';
import type { ManualClock } from '../../../../support/manual-clock.ts';

/** A slice for tests that look at what calls have kept. */
export const Noted: EventDefinition<{ text: string }, { text: string }> = defineEvent({
  name: 'noted',
  schema: z.object({ text: z.string() }),
});
export const Notes: Slice<{ text: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ text: z.string() }),
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});

/** Lets every wait before a model is asked again pass at once. */
export const passingWaits =
  (clock: ManualClock): ((event: RunEvent) => void) =>
  (event: RunEvent) => {
    if (event.type !== 'model-call-retry') return;
    // The wait begins right behind the event.
    void Promise.resolve().then(() => clock.advance(event.delayMs));
  };
