import {
  answerSchema,
  answerText,
  type CountInput,
  inputSchema,
  instructions,
  outputSchema,
  toolName,
} from './count-tool.ts';
import { runSystem } from './run-system.ts';
import type { Call } from './stage.ts';

type Message =
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly calls: readonly NamedCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string; readonly isError: boolean };

type NamedCall = Call & { readonly name: string };

await runSystem((stage) => {
  const tools = new Map([[toolName, (input: CountInput) => stage.run(input)]]);

  const ask = async (messages: readonly Message[]) => {
    const calls = stage.ask().map(({ id, text }): NamedCall => ({ id, text, name: toolName }));
    if (calls.length > 0) return { text: '', calls };
    const results = messages.filter((message) => message.role === 'tool');
    stage.see({ results: results.length, failures: results.filter(({ isError }) => isError).length });
    return { text: answerText, calls };
  };

  const runCall = async ({ id, name, text }: NamedCall): Promise<Message> => {
    try {
      const run = tools.get(name);
      if (run === undefined) throw new Error(`There is no tool ${name}.`);
      const output = outputSchema.parse(await run(inputSchema.parse(JSON.parse(text))));
      return { role: 'tool', callId: id, text: JSON.stringify(output), isError: false };
    } catch (error) {
      return { role: 'tool', callId: id, text: String(error), isError: true };
    }
  };

  return async () => {
    const messages: Message[] = [{ role: 'user', text: instructions }];
    while (true) {
      const { text, calls } = await ask(messages);
      messages.push({ role: 'assistant', text, calls });
      if (calls.length === 0) {
        answerSchema.parse(JSON.parse(text));
        return text;
      }
      messages.push(...(await Promise.all(calls.map(runCall))));
    }
  };
});
