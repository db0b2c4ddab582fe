import { answerText, toolName } from './count-tool.ts';
import type { Stage } from './stage.ts';

/** What this file needs to know of a prompt, in every version of the SDK. */
type PromptMessage = {
  readonly role: string;
  readonly content:
    | string
    | readonly { readonly type: string; readonly output?: { readonly type: string } }[];
};

type ToolCallContent = {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: string;
};

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 0, text: 0, reasoning: 0 },
};

/** The answer of a model of the AI SDK, the same in versions 6 and 7. */
export function answerAiSdk(stage: Stage, prompt: readonly PromptMessage[]) {
  const calls = stage.ask();
  if (calls.length > 0) {
    const content = calls.map(
      ({ id, text }): ToolCallContent => ({ type: 'tool-call', toolCallId: id, toolName, input: text }),
    );
    const finishReason = { unified: 'tool-calls', raw: undefined } as const;
    return { content, finishReason, usage, warnings: [] };
  }
  const results = prompt
    .flatMap(({ role, content }) => (role === 'tool' && typeof content !== 'string' ? content : []))
    .filter(({ type }) => type === 'tool-result');
  const failures = results.filter(({ output }) => output?.type.startsWith('error') === true);
  stage.see({ results: results.length, failures: failures.length });
  const content: { type: 'text'; text: string }[] = [{ type: 'text', text: answerText }];
  return { content, finishReason: { unified: 'stop', raw: undefined } as const, usage, warnings: [] };
}
