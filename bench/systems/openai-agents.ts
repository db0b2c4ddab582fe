import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  run,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents';
import {
  answerSchema,
  answerText,
  inputSchema,
  instructions,
  toolDescription,
  toolName,
} from './count-tool.ts';
import { runSystem } from './run-system.ts';
import type { Stage } from './stage.ts';

/** Above any number of turns that is measured. */
const maxTurns = 1_000_000;

setTracingDisabled(true);

await runSystem((stage) => {
  const count = tool({
    name: toolName,
    description: toolDescription,
    parameters: inputSchema,
    strict: true,
    execute: (input) => stage.run(input),
  });
  const model: Model = {
    getResponse: async (request) => respond(stage, request),
    getStreamedResponse: () => {
      throw new Error('Nobody streams here.');
    },
  };
  const agent = new Agent({ name: 'bench', instructions, model, tools: [count] });
  return async () => {
    const { finalOutput = '' } = await run(agent, 'Begin.', { maxTurns });
    answerSchema.parse(JSON.parse(finalOutput));
    return finalOutput;
  };
});

function respond(stage: Stage, { input }: ModelRequest): ModelResponse {
  const calls = stage.ask();
  if (calls.length > 0) {
    return {
      usage: new Usage(),
      output: calls.map(({ id, text }) => ({
        type: 'function_call' as const,
        callId: id,
        name: toolName,
        status: 'completed' as const,
        arguments: text,
      })),
    };
  }
  const results =
    typeof input === 'string' ? [] : input.filter((item) => item.type === 'function_call_result');
  // A failed call is reported as text.
  const failures = results.filter((item) => JSON.stringify(item).includes('An error occurred'));
  stage.see({ results: results.length, failures: failures.length });
  return {
    usage: new Usage(),
    output: [
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: answerText }],
      },
    ],
  };
}
