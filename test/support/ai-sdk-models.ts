import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import type { LanguageModelV3CallOptions } from 'ai-sdk-provider-v3';
import type { AiSdkModel } from 'weakincentives/ai-sdk';
import type { AiSdkVersion } from '../../src/providers/ai-sdk/wire/call-options.ts';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

/** Content of one answer. */
export interface ModelAnswer {
  readonly content: readonly Part[];
  /** Default: `stop`, or `tool-calls` when there are any of the caller's. */
  readonly unified?: string;
  readonly raw?: string;
  readonly usage?: object;
  readonly warnings?: readonly object[];
  readonly providerMetadata?: object;
  readonly structuredOutputText?: string;
  readonly response?: { readonly id?: string; readonly modelId?: string };
}

export const usage = {
  inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
  outputTokens: { total: 12, text: 8, reasoning: 4 },
};

/** A model that records its calls and which answers from a list, in both modes; the last answer is given again. */
export interface AnsweringModel {
  readonly model: AiSdkModel;
  readonly calls: readonly (LanguageModelV4CallOptions & LanguageModelV3CallOptions)[];
}

export function answeringModel(
  version: AiSdkVersion,
  answers: readonly (ModelAnswer | Error)[],
  provider = 'somebody.chat',
): AnsweringModel {
  const calls: (LanguageModelV4CallOptions & LanguageModelV3CallOptions)[] = [];
  const next = (options: unknown): ModelAnswer => {
    // Only looked at, whichever version it is.
    calls.push(options as LanguageModelV4CallOptions & LanguageModelV3CallOptions);
    const answer = answers[Math.min(calls.length, answers.length) - 1];
    if (answer instanceof Error || answer === undefined) throw answer ?? new Error('No answer is left.');
    return answer;
  };
  const Model = version === 'v4' ? MockLanguageModelV4 : MockLanguageModelV3;
  const model = new Model({
    provider,
    modelId: 'model-1',
    doGenerate: async (options: unknown) => {
      const answer = next(options);
      const { content, warnings = [], providerMetadata, structuredOutputText, response } = answer;
      return {
        content,
        finishReason: finishReasonOf(answer),
        usage: answer.usage ?? usage,
        warnings,
        ...(providerMetadata === undefined ? {} : { providerMetadata }),
        ...(structuredOutputText === undefined ? {} : { structuredOutputText }),
        ...(response === undefined ? {} : { response }),
      } as never;
    },
    doStream: async (options: unknown) => ({ stream: streamOf(toPieces(next(options))) }) as never,
  });
  return { model, calls };
}

/** An answer as the pieces of a stream; texts come in two of them. */
export function toPieces(answer: ModelAnswer): readonly Part[] {
  const { content, warnings = [], providerMetadata, response } = answer;
  return [
    { type: 'stream-start', warnings },
    ...(response === undefined ? [] : [{ type: 'response-metadata', ...response }]),
    ...content.flatMap((part, index): readonly Part[] => {
      const { type, text, providerMetadata: hung, ...more } = part;
      if (type !== 'text' && type !== 'reasoning') return [part];
      const id = String(index);
      const middle = Math.ceil(String(text).length / 2);
      return [
        { type: `${type}-start`, id },
        { type: `${type}-delta`, id, delta: String(text).slice(0, middle) },
        { type: `${type}-delta`, id, delta: String(text).slice(middle) },
        { type: `${type}-end`, id, ...(hung === undefined ? {} : { providerMetadata: hung }), ...more },
      ];
    }),
    {
      type: 'finish',
      finishReason: finishReasonOf(answer),
      usage: answer.usage ?? usage,
      ...(providerMetadata === undefined ? {} : { providerMetadata }),
    },
  ];
}

export function streamOf(pieces: readonly unknown[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });
}

function finishReasonOf({ content, unified, raw }: ModelAnswer): {
  unified: string;
  raw: string | undefined;
} {
  const hasCalls = content.some(
    ({ type, providerExecuted }) => type === 'tool-call' && providerExecuted !== true,
  );
  return { unified: unified ?? (hasCalls ? 'tool-calls' : 'stop'), raw };
}

export const text = (value: string, more: object = {}): Part => ({ type: 'text', text: value, ...more });

export const reasoning = (value: string, more: object = {}): Part => ({
  type: 'reasoning',
  text: value,
  ...more,
});

export const call = (toolCallId: string, toolName: string, input: unknown, more: object = {}): Part => ({
  type: 'tool-call',
  toolCallId,
  toolName,
  input: typeof input === 'string' ? input : JSON.stringify(input),
  ...more,
});
