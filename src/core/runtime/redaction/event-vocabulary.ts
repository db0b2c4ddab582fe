import type { ThrottleKind } from '../../error/index.ts';
import type { ToolCallFailureReason, UserItem } from '../../tool/index.ts';

/** Fields of events that hold only values from the library's own vocabulary, or ids that say which event is of which evaluation. */
const wordFields: ReadonlySet<string> = new Set([
  'about',
  'code',
  'effects',
  'entry',
  'evaluationId',
  'finishReason',
  'found',
  'kind',
  'limit',
  'once',
  'op',
  'outcome',
  'phase',
  'severity',
  'type',
  'why',
]);

/** The library's values of fields named `reason`, next to reasons from callers. The compiler requires every one here. */
const reasons = {
  'rate-limit': true,
  quota: true,
  timeout: true,
  'server-error': true,
  'unknown-tool': true,
  'cut-off': true,
  'no-handler': true,
  'invalid-arguments': true,
  'effects-exceeded': true,
  'not-allowed': true,
  denied: true,
  'not-approved': true,
  'policy-failed': true,
  'failed-result': true,
  validation: true,
  threw: true,
  'not-a-result': true,
  'invalid-output': true,
  'result-too-large': true,
  'dispose-failed': true,
  conflict: true,
  'commit-failed': true,
  'sections-opened': true,
  'sections-not-opened': true,
  aborted: true,
  deadline: true,
  interrupted: true,
  budget: true,
  idle: true,
  'in-doubt': true,
  'once-busy': true,
  'once-differs': true,
  'interrupted-repeatedly': true,
  suspended: true,
} satisfies Readonly<Record<ThrottleKind | ToolCallFailureReason, true>>;

/** The library's values of fields named `source`, next to those of citations. The compiler requires every one here. */
const sources = { digest: true, runtime: true } satisfies Readonly<
  Record<NonNullable<UserItem['source']>, true>
>;

/** Fields of events that hold values of others: their keys are not the library's either. */
const dataFields: ReadonlySet<string> = new Set([
  'details',
  'inputSchema',
  'output',
  'params',
  'update',
  'value',
]);

/** True for a value that programs switch on; it stays unchanged whatever a redaction would do to such a string. */
export function isVocabularyValue(field: string, value: string): boolean {
  return (
    wordFields.has(field) ||
    (field === 'reason' && Object.hasOwn(reasons, value)) ||
    (field === 'source' && Object.hasOwn(sources, value))
  );
}

/** True for a field whose value comes from outside the library. */
export function isDataField(field: string): boolean {
  return dataFields.has(field);
}
