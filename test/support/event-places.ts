import type { RunEvent } from 'weakincentives';

/** An event without where it happens. */
export type EventPart = Without<RunEvent>;
type Without<Event> = Event extends RunEvent ? Omit<Event, 'evaluationId' | 'path'> : never;

/** An event of the run itself. */
export function here(event: EventPart): RunEvent {
  return { ...event, evaluationId: 'run', path: [] };
}

/** Events without where they happen. */
export function withoutPlaces(events: readonly RunEvent[]): readonly object[] {
  return events.map(({ evaluationId: _id, path: _path, ...event }) => event);
}
