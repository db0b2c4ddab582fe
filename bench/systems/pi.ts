import { Agent, type AgentTool } from '@mariozechner/pi-agent-core';
import {
  type AssistantMessage,
  type Context,
  createAssistantMessageEventStream,
  type Model,
} from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { answerSchema, answerText, instructions, toolDescription, toolName } from './count-tool.ts';
import { runSystem } from './run-system.ts';
import type { Stage } from './stage.ts';

const parameters = Type.Object(
  { id: Type.String(), count: Type.Number(), flag: Type.Boolean() },
  { additionalProperties: false },
);
const model: Model<'bench'> = {
  id: 'scripted',
  name: 'scripted',
  api: 'bench',
  provider: 'bench',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 1_000,
};
const usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

await runSystem((stage) => {
  const count: AgentTool<typeof parameters> = {
    name: toolName,
    label: toolName,
    description: toolDescription,
    parameters,
    execute: async (_callId, input) => {
      const output = await stage.run(input);
      return { content: [{ type: 'text', text: JSON.stringify(output) }], details: output };
    },
  };
  return async () => {
    const agent = new Agent({
      initialState: { systemPrompt: instructions, model, tools: [count] },
      streamFn: (_model, context) => {
        // The least that a provider has to send: the whole message, without pieces of it before.
        const stream = createAssistantMessageEventStream();
        const message = say(stage, context);
        stream.push({
          type: 'done',
          reason: message.stopReason === 'toolUse' ? 'toolUse' : 'stop',
          message,
        });
        return stream;
      },
    });
    await agent.prompt('Begin.');
    const last = agent.state.messages.at(-1);
    const part = last?.role === 'assistant' ? last.content[0] : undefined;
    const text = part?.type === 'text' ? part.text : '';
    answerSchema.parse(JSON.parse(text));
    return text;
  };
});

function say(stage: Stage, { messages }: Context): AssistantMessage {
  const calls = stage.ask();
  if (calls.length > 0) {
    const content = calls.map(
      ({ id, text }) => ({ type: 'toolCall', id, name: toolName, arguments: JSON.parse(text) }) as const,
    );
    return assistantMessage(content, 'toolUse');
  }
  const results = messages.filter((message) => message.role === 'toolResult');
  stage.see({ results: results.length, failures: results.filter(({ isError }) => isError).length });
  return assistantMessage([{ type: 'text', text: answerText }], 'stop');
}

/** Every message is of one shape, as the providers of the package make them. */
function assistantMessage(
  content: AssistantMessage['content'],
  stopReason: AssistantMessage['stopReason'],
): AssistantMessage {
  return {
    role: 'assistant',
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage,
    stopReason,
    timestamp: 0,
  };
}
