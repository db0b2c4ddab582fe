/** Records of the library: a resumed run has its own, and not those of runs before it on the session. */
const records: ReadonlySet<string> = new Set([
  'weakincentives.prompt-executions',
  'weakincentives.prompt-renderings',
  'weakincentives.tool-invocations',
  'weakincentives.tool-renderings',
]);

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
  return withoutVolatile(slices.filter(({ name }) => isFirst || !records.has(name)));
}

/** A value without what depends on when it was. */
export function withoutVolatile(value: unknown): unknown {
  const text = JSON.stringify(value, (key, member: unknown) => (volatile.has(key) ? undefined : member));
  return text === undefined ? undefined : JSON.parse(text);
}
