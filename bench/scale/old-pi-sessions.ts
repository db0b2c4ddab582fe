import { Agent, type AgentTool } from '@mariozechner/pi-agent-core';
import { type AssistantMessageEventStream, createAssistantMessageEventStream } from '@mariozechner/pi-ai';
import { Type } from 'typebox';
import { answerText, instructions, toolDescription, toolName } from '../systems/count-tool.ts';
import { lastTextOf, model } from '../systems/pi-script.ts';
import { countOne, piTurns } from './pi-turns.ts';
import { runSessions } from './run-sessions.ts';

const parameters = Type.Object(
  { id: Type.String(), count: Type.Number(), flag: Type.Boolean() },
  { additionalProperties: false },
);

let counted = 0;
const count: AgentTool<typeof parameters> = {
  name: toolName,
  label: toolName,
  description: toolDescription,
  parameters,
  execute: async (_callId, input) => {
    counted += 1;
    return countOne(input);
  },
};

await runSessions({
  answer: answerText,
  counted: () => counted,
  start: (session) => {
    const next = piTurns(session);
    const agent = new Agent({
      initialState: { systemPrompt: instructions, model, tools: [count] },
      streamFn: (): AssistantMessageEventStream => {
        const stream = createAssistantMessageEventStream();
        void next().then((event) => stream.push(event));
        return stream;
      },
    });
    return {
      run: agent.prompt('Begin.').then(() => lastTextOf(agent.state.messages)),
      dispose: () => Promise.resolve(),
    };
  },
});
