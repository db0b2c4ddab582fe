import { Agent, type AgentTool } from '@mariozechner/pi-agent-core';
import { createAssistantMessageEventStream } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { instructions, toolDescription, toolName } from './count-tool.ts';
import { answerPi, lastTextOf, model, runPiCall } from './pi-script.ts';
import { runSystem } from './run-system.ts';

const parameters = Type.Object(
  { id: Type.String(), count: Type.Number(), flag: Type.Boolean() },
  { additionalProperties: false },
);

await runSystem((stage) => {
  const count: AgentTool<typeof parameters> = {
    name: toolName,
    label: toolName,
    description: toolDescription,
    parameters,
    execute: (_callId, input) => runPiCall(stage, input),
  };
  return async () => {
    const agent = new Agent({
      initialState: { systemPrompt: instructions, model, tools: [count] },
      streamFn: (_model, { messages }) => {
        const stream = createAssistantMessageEventStream();
        stream.push(answerPi(stage, messages));
        return stream;
      },
    });
    await agent.prompt('Begin.');
    return lastTextOf(agent.state.messages);
  };
});
