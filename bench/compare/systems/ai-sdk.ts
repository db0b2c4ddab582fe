import { convertArrayToReadableStream, MockLanguageModelV4 } from 'ai-7/test';
import type { Script, SeenResult } from '../harness/script.ts';

/** What this file reads in a prompt. */
type PromptMessage = {
  readonly role: string;
  readonly content:
    | string
    | readonly {
        readonly type: string;
        readonly toolCallId?: string;
        readonly output?: { readonly type: string; readonly value?: unknown; readonly reason?: string };
      }[];
};

/** The mock model of the package (documentation: AI SDK Core, Testing), which Mastra takes as well. */
export function aiSdkModel(script: Script): MockLanguageModelV4 {
  const answer = (prompt: readonly PromptMessage[]) => {
    const { calls, text } = script.next(resultsOf(prompt), prompt);
    const usage = {
      inputTokens: { total: script.tokens, noCache: script.tokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 0, text: 0, reasoning: 0 },
    };
    const finishReason = {
      unified: calls.length > 0 ? ('tool-calls' as const) : ('stop' as const),
      raw: undefined,
    };
    const toolCalls = calls.map((call) => ({
      type: 'tool-call' as const,
      toolCallId: call.id,
      toolName: call.name,
      input: call.text,
    }));
    return { toolCalls, text, usage, finishReason };
  };
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const { toolCalls, text, usage, finishReason } = answer(prompt);
      const content = toolCalls.length > 0 ? toolCalls : [{ type: 'text' as const, text }];
      return { content, finishReason, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      const { toolCalls, text, usage, finishReason } = answer(prompt);
      const words = [
        { type: 'text-start' as const, id: 'text' },
        { type: 'text-delta' as const, id: 'text', delta: text },
        { type: 'text-end' as const, id: 'text' },
      ];
      return {
        stream: convertArrayToReadableStream([
          { type: 'stream-start' as const, warnings: [] },
          ...(toolCalls.length > 0 ? toolCalls : words),
          { type: 'finish' as const, finishReason, usage },
        ]),
      };
    },
  });
}

function resultsOf(prompt: readonly PromptMessage[]): readonly SeenResult[] {
  return prompt
    .flatMap(({ role, content }) => (role === 'tool' && typeof content !== 'string' ? content : []))
    .filter(({ type }) => type === 'tool-result')
    .map(({ toolCallId = '', output }) => ({
      id: toolCallId,
      text:
        typeof output?.value === 'string'
          ? output.value
          : JSON.stringify(output?.value ?? output?.reason ?? ''),
      isError: output?.type.startsWith('error') === true,
    }));
}
