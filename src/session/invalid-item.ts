import { describeError, SchemaError, SnapshotError } from '../error/index.ts';

/** The error for an item that cannot be exported, or come back from an export. */
export function invalidItem(slice: string, index: number, cause: unknown): SnapshotError {
  const issues = SchemaError.isInstance(cause) ? cause.details['issues'] : undefined;
  return new SnapshotError(
    'snapshot-item-invalid',
    `Item ${index} of slice ${slice}: ${describeError(cause)}`,
    {
      cause,
      details: { slice, index, ...(issues === undefined ? {} : { issues }) },
    },
  );
}
