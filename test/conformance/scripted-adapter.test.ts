import { runConformance } from '../support/conformance/run-conformance.ts';
import { scriptedPeer } from '../support/conformance/scripted-peer.ts';

runConformance(scriptedPeer(), [
  ...(['output-schema', 'reasoning-replay', 'repeated-call-ids'] as const),
  ...(['silence', 'null-usage', 'total-usage'] as const),
]);
