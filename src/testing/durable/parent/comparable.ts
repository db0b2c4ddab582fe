/** Records of the library. Those of evaluations inside calls, and of runs before, are not repeated. */
const records: ReadonlySet<string> = new Set([
  'weakincentives.prompt-executions',
  'weakincentives.prompt-renderings',
  'weakincentives.tool-invocations',
  'weakincentives.tool-renderings',
]);

/** Counts for feedback, which a run that goes on in a new session begins anew. */
const FEEDBACK = 'weakincentives.feedback';

/** Members that differ from one life to the next: ids, times, and what an attempt had to wait for. */
const volatile: ReadonlySet<string> = new Set([
  ...['eventId', 'evaluationId', 'renderId'],
  ...['startedAtMs', 'durationMs', 'atMs', 'sinceMs', 'exportedAtMs'],
  ...['attempts', 'conflicts'],
]);

interface ExportedSlice {
  readonly name: string;
  readonly items: readonly unknown[];
}

/**
 * The slices of a session as they can be compared: without what depends on when it was, and without records that are not kept.
 *
 * @param isFirst whether the session was used by no run before.
 */
export function comparableSlices(slices: readonly ExportedSlice[], isFirst: boolean): unknown {
  const kept = slices
    .filter(({ name }) => isFirst || !(records.has(name) || name === FEEDBACK))
    .map(({ name, items }) => ({ name, items: records.has(name) ? items.filter(isOfRoot) : items }));
  return withoutVolatile(kept);
}

/** A value without what depends on when it was. */
export function withoutVolatile(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => (volatile.has(key) ? undefined : member));
  return text === undefined ? undefined : JSON.parse(text);
}

function isOfRoot(item: unknown): boolean {
  return !(typeof item === 'object' && item !== null && 'parentCallIds' in item);
}
