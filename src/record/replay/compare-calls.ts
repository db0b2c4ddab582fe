import type { PolicyAnswer } from '../../core/runtime/index.ts';
import type { RecordedAttempt, RecordedCall } from '../fold/run-record.ts';
import { describeDifference, firstDifference } from './json-difference.ts';
import type { CallDifference, ReplayedCall } from './replay-report.ts';
import type { ReplayedSlices } from './replayed-slices.ts';

/** What calls are compared by. */
export interface Comparison {
  readonly source: ReplayedCall['source'];
  /** Decides which slices are compared. */
  readonly slices: Pick<ReplayedSlices, 'isCompared'>;
}

/** What of a call is not as the record has it. How often it was tried does not count: that depends on timing alone. */
export function compareCalls(
  recorded: RecordedCall,
  now: RecordedCall,
  { source, slices }: Comparison,
): readonly CallDifference[] {
  const differences: CallDifference[] = [];
  const compare = (part: CallDifference['part'], left: unknown, right: unknown, what: string): void => {
    const found = firstDifference(left, right);
    if (found !== undefined) differences.push({ part, text: `${what}${describeDifference(found)}.` });
  };
  // A call that is answered for is asked itself what was asked inside it.
  const hasOwn = source !== 'recorded' || recorded.inner.length === 0;
  if (endOf(recorded) !== endOf(now))
    differences.push({ part: 'outcome', text: `It was ${endOf(recorded)}, and is ${endOf(now)} now.` });
  compare(
    'policy',
    decisionsOf(recorded, hasOwn),
    decisionsOf(now, hasOwn),
    'The decisions of policies differ',
  );
  // The changes of a call that failed are dropped, and a handler that is answered for need not make them.
  if (recorded.outcome === 'committed' && now.outcome === 'committed')
    compare('changes', changesOf(recorded, slices), changesOf(now, slices), 'The changes differ');
  compare('text', recorded.modelText, now.modelText, 'The text for the model differs');
  return differences;
}

/** How a call ended, and why. */
export function endOf({ outcome, reason, policy }: RecordedCall): string {
  const why = reason === undefined ? '' : ` (${reason}${policy === undefined ? '' : ` by ${policy}`})`;
  return `${outcome ?? 'not ended'}${why}`;
}

/** What policies decided, without those that allow. */
function decisionsOf({ attempts, approvals }: RecordedCall, hasOwnApprovals: boolean): unknown {
  const answers: readonly PolicyAnswer[] = attempts.at(-1)?.policies ?? [];
  return {
    decisions: answers.filter(({ outcome }) => outcome !== 'allow'),
    approvals: hasOwnApprovals ? approvals : [],
  };
}

function changesOf({ attempts }: RecordedCall, slices: Comparison['slices']): unknown {
  const attempt: RecordedAttempt | undefined = attempts.at(-1);
  if (attempt === undefined) return {};
  return {
    files: attempt.files
      .map(({ path, kind, entry, after }) => ({ path, kind, entry, after: after?.hash }))
      .sort((left, right) => (left.path < right.path ? -1 : 1)),
    writes: comparedOf(attempt.writes, slices),
    log: comparedOf(attempt.log, slices),
  };
}

/** The steps on slices that are compared, by slice: the order of those on different slices is not part of the outcome. */
function comparedOf<T extends { readonly slice: string }>(
  steps: readonly T[],
  slices: Comparison['slices'],
): readonly T[] {
  return steps
    .filter(({ slice }) => slices.isCompared(slice))
    .sort((left, right) => left.slice.localeCompare(right.slice, 'en'));
}
