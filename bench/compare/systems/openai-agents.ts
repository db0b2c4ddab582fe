import { type Model, type ModelRequest, type ModelResponse, setTracingDisabled, Usage } from '@openai/agents';
import type { Script, SeenResult } from '../harness/script.ts';

// Traces go to OpenAI.
setTracingDisabled(true);

/** A model of one's own by the interface of the package (documentation: Models, "Custom model providers"). */
export function openaiAgentsModel(script: Script): Model {
  return {
    getResponse: async (request) => answer(script, request),
    getStreamedResponse: () => {
      throw new Error('No script streams.');
    },
  };
}

function answer(script: Script, { input }: ModelRequest): ModelResponse {
  const { calls, text } = script.next(resultsOf(input), input);
  const usage = new Usage({
    requests: 1,
    inputTokens: script.tokens,
    outputTokens: 0,
    totalTokens: script.tokens,
  });
  if (calls.length > 0) {
    return {
      usage,
      output: calls.map((call) => ({
        type: 'function_call',
        callId: call.id,
        name: call.name,
        status: 'completed',
        arguments: call.text,
      })),
    };
  }
  return {
    usage,
    output: [
      { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
    ],
  };
}

function resultsOf(input: ModelRequest['input']): readonly SeenResult[] {
  if (typeof input === 'string') return [];
  return input.flatMap((item) => {
    if (item.type !== 'function_call_result') return [];
    const { output } = item;
    const text = typeof output === 'string' ? output : JSON.stringify(output);
    return [{ id: item.callId, text }];
  });
}
