import type { EndOfCase } from './end-of-case.ts';
import type { CallInDoubt } from './windows.ts';

/** The end without what some calls left, or would have left: their results, records, texts, files, entries and effects. */
export function withoutCalls(end: EndOfCase, calls: readonly CallInDoubt[]): EndOfCase {
  if (calls.length === 0) return end;
  const callIds = calls.map(({ callId }) => callId);
  const names = (text: string): boolean => callIds.some((callId) => text.includes(callId));
  const entriesWithout = (of: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(of).filter(([path]) => !names(path) && !madeByCalls.has(path)));
  return {
    ...end,
    doubts: [],
    runs: end.runs.map((run) => withoutResults(run, calls, entriesWithout)),
    disk: entriesWithout(end.disk),
    effects: end.effects.filter((line) => !names(line)),
    ledger: Array.isArray(end.ledger) ? end.ledger.filter((entry) => !callIds.includes(String(entry))) : [],
  };
}

/** Directories that exist for files of such calls only. */
const madeByCalls: ReadonlySet<string> = new Set(['mailed', 'booked']);

function withoutResults(
  run: EndOfCase['runs'][number],
  calls: readonly CallInDoubt[],
  entriesWithout: (of: Readonly<Record<string, string>>) => Readonly<Record<string, string>>,
): EndOfCase['runs'][number] {
  const plain = JSON.stringify(run, (key, value: unknown) => {
    if (!Array.isArray(value)) {
      // Files by path.
      return key === 'files' ? entriesWithout(value as Readonly<Record<string, string>>) : value;
    }
    if (key === 'directories') return value.filter((path) => !madeByCalls.has(String(path)));
    return value.filter((item) => !isOf(item, calls));
  });
  // An object, since it was one.
  return JSON.parse(plain) as EndOfCase['runs'][number];
}

/** Whether an item of a conversation or a slice is of one of the calls, but for the call of the model itself. */
function isOf(item: unknown, calls: readonly CallInDoubt[]): boolean {
  if (typeof item !== 'object' || item === null) return false;
  const { callId, type, text, policyName, tool } = item as Readonly<Record<string, unknown>>;
  if (type === 'tool-call') return false;
  return calls.some(
    (call) =>
      call.callId === callId ||
      (policyName !== undefined && tool === call.toolName) ||
      (call.toolName === 'mail' && text === 'mailed bob'),
  );
}
