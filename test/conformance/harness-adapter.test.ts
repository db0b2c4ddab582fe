import { harnessPeer } from '../support/conformance/harness-peer.ts';
import { runConformance } from '../support/conformance/run-conformance.ts';

runConformance(harnessPeer(), [
  ...(['reasoning-replay', 'missing-call-ids', 'repeated-call-ids'] as const),
  ...(['silence', 'zero-usage', 'null-usage', 'total-usage'] as const),
]);
