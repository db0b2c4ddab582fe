import { anthropicPeer, thinkingAnthropicPeer } from '../support/conformance/anthropic-peer.ts';
import { runConformance } from '../support/conformance/run-conformance.ts';

runConformance(anthropicPeer, ['malformed-arguments (whole)', 'content-filter', 'approvals']);

runConformance(thinkingAnthropicPeer, [
  'malformed-arguments (whole)',
  'content-filter',
  'approvals',
  'tool-choice',
]);
