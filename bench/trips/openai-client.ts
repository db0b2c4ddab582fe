import type { OpenAIClient } from 'weakincentives/openai';

interface ScriptedFunctionCall {
  readonly callId: string;
  readonly name: string;
  readonly arguments?: unknown;
}

/** A client of the Responses interface whose model makes one call a turn, `times` times, and is then done. */
export function scriptedClient(times: number, call: (turn: number) => ScriptedFunctionCall): OpenAIClient {
  let turn = 0;
  return {
    responses: {
      create: async (): Promise<unknown> => {
        turn += 1;
        return responseOf(turn, turn > times ? undefined : call(turn));
      },
    },
  };
}

function responseOf(turn: number, call: ScriptedFunctionCall | undefined) {
  return {
    id: `resp-${turn}`,
    object: 'response',
    created_at: 1,
    model: 'gpt-5',
    status: 'completed',
    error: null,
    incomplete_details: null,
    output: [
      call === undefined
        ? {
            id: `msg-${turn}`,
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: 'Done.', annotations: [] }],
          }
        : {
            id: `fc-${turn}`,
            type: 'function_call',
            status: 'completed',
            call_id: call.callId,
            name: call.name,
            arguments: call.arguments,
          },
    ],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 110,
    },
  };
}
