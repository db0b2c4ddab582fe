import type { ProviderAdapter } from 'weakincentives';
import {
  type ModelCallOptions,
  type ModelRequest,
  type ModelTurn,
  providerAdapter,
} from 'weakincentives/provider';

/** An adapter with everything that telemetry tells of a model; each turn is what the function returns, or throws. */
export function telemetryModel(
  turnOf: (turn: number, options: ModelCallOptions) => ModelTurn | Promise<ModelTurn>,
): ProviderAdapter {
  return providerAdapter({
    model: {
      name: 'test adapter',
      model: 'test-model',
      provider: 'test.provider',
      settings: { temperature: 0.5, maxOutputTokens: 1000 },
      generate: async ({ turn }: ModelRequest, options) => turnOf(turn, options),
    },
  });
}

/** A final answer. */
export const answer = (text: string): ModelTurn => ({
  content: [{ type: 'text', text }],
  finishReason: 'stop',
});

/** A turn that calls a tool without arguments. */
export const call = (name: string, callId = 'call-1'): ModelTurn => ({
  content: [{ type: 'tool-call', callId, name, arguments: '{}' }],
  finishReason: 'tool-calls',
});
