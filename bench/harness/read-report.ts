import type { Report } from './row.ts';

/** What a child came to: its report, or why there is none. */
export type ChildOutcome =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly reason: string };

/** Reads the last line of what a program wrote; libraries may have written others. */
export function readReport(output: string): ChildOutcome {
  const line = output.trimEnd().split('\n').at(-1) ?? '';
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return { ok: false, reason: `wrote no report but "${line.slice(0, 80)}"` };
  }
  return isReport(value)
    ? { ok: true, report: value }
    : { ok: false, reason: 'wrote JSON that is no report' };
}

function isReport(value: unknown): value is Report {
  if (!isRecord(value) || !isRecord(value['samples'])) return false;
  const { samples, notes = [], unavailable = '' } = value;
  const areNumbers = (list: unknown) =>
    Array.isArray(list) && list.every((item) => typeof item === 'number' && Number.isFinite(item));
  return (
    Object.values(samples as object).every(areNumbers) &&
    typeof unavailable === 'string' &&
    Array.isArray(notes) &&
    notes.every((note) => typeof note === 'string')
  );
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
