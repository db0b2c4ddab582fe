import type { ProviderAdapter } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import type { Script } from '../harness/script.ts';

/** The double for tests of the package. */
export function winkModel(script: Script): ProviderAdapter {
  return scriptedAdapter((conversation) => {
    const results = conversation.filter((item) => item.type === 'tool-result');
    const { calls, text } = script.next(
      results.map((item) => ({ id: item.callId, text: item.text, isError: item.isError })),
      conversation,
    );
    const usage = { inputTokens: script.tokens, outputTokens: 0 };
    if (calls.length === 0) return { text, usage };
    return {
      toolCalls: calls.map((call) => ({ callId: call.id, name: call.name, arguments: call.text })),
      usage,
    };
  });
}
