import type { ThrottleKind } from '../../error/index.ts';
import type { ToolCallFailureReason } from '../events/tool-invoked.ts';

/** Fields of events that hold nothing but words of the library. */
const wordFields: ReadonlySet<string> = new Set([
  'about',
  'code',
  'finishReason',
  'kind',
  'limit',
  'outcome',
  'phase',
  'severity',
  'type',
]);

/** What stands in fields named `reason`, beside reasons that others give. The compiler wants every word here. */
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
} satisfies Readonly<Record<ThrottleKind | ToolCallFailureReason, true>>;

/** Fields of events that hold values of others: their keys are not the library's either. */
const dataFields: ReadonlySet<string> = new Set([
  'details',
  'inputSchema',
  'output',
  'params',
  'update',
  'value',
]);

/** True for a word that tells programs what an event says; it stays as it is whatever a redaction makes of such a text. */
export function isOwnWord(field: string, value: string): boolean {
  return wordFields.has(field) || (field === 'reason' && Object.hasOwn(reasons, value));
}

/** True for a field whose value is somebody else's. */
export function isDataField(field: string): boolean {
  return dataFields.has(field);
}
