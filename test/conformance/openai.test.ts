import { openaiPeer } from '../support/conformance/openai-peer.ts';
import { runConformance } from '../support/conformance/run-conformance.ts';

runConformance(openaiPeer, ['context-window', 'paused']);
