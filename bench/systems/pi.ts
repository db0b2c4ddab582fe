import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { createAssistantMessageEventStream } from '@earendil-works/pi-ai';
import { bool, num, obj, str } from '@earendil-works/pi-schema';
import { instructions, toolDescription, toolName } from './count-tool.ts';
import { answerPi, lastTextOf, model, runPiCall } from './pi-script.ts';
import { runSystem } from './run-system.ts';

const parameters = obj({ id: str(), count: num(), flag: bool() });

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
