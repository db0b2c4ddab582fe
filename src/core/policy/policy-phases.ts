import type { ToolPolicy } from './tool-policy.ts';

/** The policies over a call, by the phases they implement. */
export interface PolicyPhases<out Governing> {
  readonly checking: readonly Governing[];
  readonly checkingChanges: readonly Governing[];
  readonly recording: readonly Governing[];
}

/**
 * Sorts the policies over a call by the phases they implement. Each list keeps their order.
 *
 * @param judging the policies that judge the call.
 * @param recordingOnly policies that judge other calls and depend on this one.
 * @internal
 */
export function toPolicyPhases<Governing extends { readonly policy: ToolPolicy }>(
  judging: readonly Governing[],
  recordingOnly: readonly Governing[],
): PolicyPhases<Governing> {
  return Object.freeze({
    checking: judging.filter(({ policy }) => policy.check !== undefined),
    checkingChanges: judging.filter(({ policy }) => policy.checkChanges !== undefined),
    recording: [...judging, ...recordingOnly].filter(({ policy }) => policy.onResult !== undefined),
  });
}
