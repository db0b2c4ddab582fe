import type { ToolInvokedPayload } from '../../core/runtime/index.ts';
import { attributesOf, shortList } from './attributes.ts';
import type { AttributeNames } from './names.ts';
import type { OtelAttributes } from './otel-api.ts';

/**
 * Whether a call is an error of the tool. A denied or rejected call is not: nothing went wrong, and the model reads why.
 *
 * @see docs/spec/telemetry.md §4
 */
export function isCallError({ outcome }: Pick<ToolInvokedPayload, 'outcome'>): boolean {
  return outcome === 'rolled-back' || outcome === 'aborted';
}

/** What the span of a call gets when the call is settled. */
export function callEndAttributes(invocation: ToolInvokedPayload, names: AttributeNames): OtelAttributes {
  const { outcome, reason, attempts, policy, conflicts, residualEffects, changes } = invocation;
  return attributesOf({
    'wink.call.outcome': outcome,
    'wink.call.reason': reason,
    'wink.call.attempts': attempts,
    'wink.call.policy': policy,
    'wink.call.conflicts': shortList(conflicts),
    'wink.call.residual_effects': shortList(residualEffects),
    'wink.files.changed': shortList(changes.map(({ path }) => path)),
    [names.errorType]: isCallError(invocation) ? (reason ?? '_OTHER') : undefined,
  });
}
