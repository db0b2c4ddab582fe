import {
  convertToModelMessages,
  isStepCount,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai-7';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { aiSdkModel } from '../../systems/ai-sdk.ts';
import { check, edit, look, script } from './case.ts';

const stop = new AbortController();
const tools = {
  look: tool({ description: 'Look.', inputSchema: z.object({}), execute: async () => look() }),
  edit: tool({
    description: 'Edit.',
    inputSchema: z.object({}),
    execute: (_input, { abortSignal }) => edit(abortSignal, () => stop.abort()),
  }),
};
const user = (id: string, text: string): UIMessage => ({ id, role: 'user', parts: [{ type: 'text', text }] });

await cell(async () => {
  const before = [user('1', 'Edit it.')];
  // What is kept of a run that is stopped are its messages (documentation: Stopping streams, "UI Message Streams").
  let kept: UIMessage[] = before;
  const result = streamText({
    model: aiSdkModel(script),
    messages: await convertToModelMessages(before),
    tools,
    stopWhen: isStepCount(20),
    abortSignal: stop.signal,
  });
  const stream = toUIMessageStream({
    stream: result.stream,
    originalMessages: before,
    onEnd: ({ messages }) => {
      kept = messages;
    },
  });
  for await (const _part of stream) {
    // It is read to its end.
  }
  return by(
    'ignoreIncompleteToolCalls',
    await check(async () => {
      // A call without a result is an error of the next request; the page on subagents names the option that leaves it out.
      const messages = await convertToModelMessages([...kept, user('2', 'Continue.')], {
        ignoreIncompleteToolCalls: true,
      });
      const next = streamText({ model: aiSdkModel(script), messages, tools, onError: () => undefined });
      return await next.text;
    }),
  );
});
