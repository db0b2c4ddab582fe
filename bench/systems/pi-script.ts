import { answerSchema, answerText, type CountInput, type CountOutput, toolName } from './count-tool.ts';
import type { Call, Stage } from './stage.ts';

/** What the newest pi and the old one have in common: the model and what it says, and what a call comes to. */
export const model = {
  id: 'scripted',
  name: 'scripted',
  api: 'bench' as const,
  provider: 'bench',
  baseUrl: '',
  reasoning: false,
  input: ['text' as const],
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

type Content =
  | { type: 'text'; text: string }
  | { type: 'toolCall'; id: string; name: string; arguments: Record<string, string | number | boolean> };

/** A result of a call, as both packages hand it to a provider. */
type AnyMessage = { readonly role: string; readonly content?: unknown; readonly isError?: boolean };

/** The least that a provider has to send: the whole message, without pieces of it before. */
export function answerPi(stage: Stage, messages: readonly AnyMessage[]) {
  const calls = stage.ask();
  if (calls.length > 0) return askForCalls(calls);
  const results = messages.filter(({ role }) => role === 'toolResult');
  stage.see({ results: results.length, failures: results.filter(({ isError }) => isError === true).length });
  return sayLast();
}

/** A turn that asks for calls. */
export function askForCalls(calls: readonly Call[]) {
  const content = calls.map(
    ({ id, text }): Content => ({ type: 'toolCall', id, name: toolName, arguments: JSON.parse(text) }),
  );
  return { type: 'done' as const, reason: 'toolUse' as const, message: messageOf(content, 'toolUse') };
}

/** The last turn. */
export function sayLast() {
  const message = messageOf([{ type: 'text', text: answerText }], 'stop');
  return { type: 'done' as const, reason: 'stop' as const, message };
}

/** What the tool of either package does. */
export async function runPiCall(stage: Stage, input: CountInput) {
  const output: CountOutput = await stage.run(input);
  return { content: [{ type: 'text' as const, text: JSON.stringify(output) }], details: output };
}

/** The last text of a conversation, checked. */
export function lastTextOf(messages: readonly AnyMessage[]): string {
  const last = messages.at(-1);
  const [part] = last?.role === 'assistant' ? (last.content as readonly Content[]) : [];
  const text = part?.type === 'text' ? part.text : '';
  answerSchema.parse(JSON.parse(text));
  return text;
}

/** Every message is of one shape, as the providers of the packages make them. */
function messageOf(content: Content[], stopReason: 'toolUse' | 'stop') {
  return {
    role: 'assistant' as const,
    content,
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage,
    stopReason,
    timestamp: 0,
  };
}
