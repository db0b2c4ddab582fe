import { cutLine } from '../../core/internal/index.ts';
import type { RecordedAttempt, RecordedCall } from '../../record/index.ts';
import { timesRun } from './phases.ts';
import { visible } from './visible.ts';
import { many } from './words.ts';

/**
 * One or two sentences that say what became of a call.
 *
 * @param isLast whether `attempt` is the last one at the call.
 */
export function callLead(call: RecordedCall, attempt: RecordedAttempt | undefined, isLast: boolean): string {
  if (call.outcome === undefined && isLast)
    return call.run.outcome === 'suspended'
      ? 'It waits for the answer to a question, its own or one of a call before it.'
      : 'It had not ended when the record did.';
  if (attempt?.isSuspended === true)
    return 'It asked a person, and the run ended with the question. The next attempt continued with the answer.';
  if (attempt?.outcome === 'superseded') {
    const by = attempt.conflicts.flatMap((conflict) => conflict.by);
    const who = by.length === 0 ? '' : ` by ${[...new Set(by)].join(', ')}`;
    return visible(
      `What it had read was changed${who} before it could commit. It ran again on the new state.`,
    );
  }
  const files = attempt?.files.length ?? 0;
  const undone =
    files === 0 ? '' : ` ${many(files, 'file')} it had changed ${files === 1 ? 'is' : 'are'} as before.`;
  switch (call.outcome) {
    case 'committed': {
      const again =
        timesRun(call) > 1 ? `Landed in attempt ${attempt?.number ?? call.attempts.length}. ` : '';
      return visible(`${again}${cutLine(call.message ?? '', 300)}`);
    }
    case 'denied':
      return visible(
        `${call.policy ?? 'The approver'} refused it ${files > 0 || (attempt?.writes.length ?? 0) > 0 ? 'after it ran, for what it changed' : 'before it ran'}.`,
      );
    case 'rejected':
      return call.reason === 'invalid-arguments'
        ? 'The arguments do not fit the schema; the model got the reasons.'
        : visible(cutLine(call.message ?? 'It never started.', 300));
    case 'aborted':
      return `${(call.reason && failures[call.reason]) ?? 'The run ended before it was committed.'}${undone}`;
    default:
      return `${(call.reason && failures[call.reason]) ?? 'It was rolled back.'}${undone}`;
  }
}

const failures: { readonly [Reason in NonNullable<RecordedCall['reason']>]?: string } = {
  threw: 'The handler threw.',
  'failed-result': 'The handler returned a failure.',
  timeout: 'The time limit of the tool passed.',
  conflict: 'What it had read changed in every attempt.',
  'commit-failed': 'Its changes did not fit the present state.',
  'policy-failed': 'A policy threw.',
  'interrupted-repeatedly': 'It is not made again: the process ended repeatedly while it ran.',
  'in-doubt': 'It began before the run was interrupted: it may have taken effect.',
};

/** What else there is to say of an attempt beside its number, where the run was resumed. */
export function attemptNote(call: RecordedCall, attempt: RecordedAttempt): string {
  const at = call.attempts.indexOf(attempt);
  if (attempt.isSuspended === true) return ' · asked a person';
  if (attempt.life < (call.attempts[at + 1]?.life ?? attempt.life)) return ' · before the process ended';
  if (attempt.life === (call.attempts[at - 1]?.life ?? attempt.life)) return '';
  return attempt.outcome === 'committed' ? ' · landed after resume' : ' · after resume';
}
