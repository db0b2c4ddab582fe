import { Session } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { argumentText, toolName } from '../systems/count-tool.ts';
import { countingAgent } from './counting-agent.ts';
import { runSessions, type SessionModel } from './run-sessions.ts';

const answer = 'done';
let counted = 0;
const template = countingAgent(() => {
  counted += 1;
});

/** Each with a session of its own, and everything switched on. */
await runSessions({
  answer,
  counted: () => counted,
  start: (model) => {
    const session = new Session();
    const run = adapterOf(model)
      .evaluate(template.bind(), { session })
      .then(({ text }) => text);
    return { run, dispose: () => session[Symbol.asyncDispose]() };
  },
});

function adapterOf({ turns, think, passGate }: SessionModel) {
  return scriptedAdapter(async (_conversation, { turn }) => {
    await think();
    if (turn <= turns) return { toolCalls: [{ name: toolName, arguments: argumentText }] };
    await passGate();
    return { text: answer };
  });
}
