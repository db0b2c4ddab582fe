import type { Citation, ConversationItem, MediaPart } from 'weakincentives';
import type {
  ConformanceAnswer,
  ConformanceGap,
  ConformanceItem,
  ConformancePeer,
  ConformanceProvider,
  ConformanceRequest,
  ConformanceTurn,
} from 'weakincentives/conformance';
import {
  type HostedToolReading,
  type ModelCallOptions,
  type ModelRequest,
  ModelResponseError,
  ThrottleError,
} from 'weakincentives/provider';
import { type Script, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import type { WebSearchResult } from 'weakincentives/tools';

const gaps: readonly ConformanceGap[] = [
  { feature: 'output-schema', why: 'a script is told of the schema in its instructions' },
  { feature: 'reasoning-replay', why: 'a script makes no items of its own' },
  { feature: 'repeated-call-ids', why: 'the ids of a script are taken as they are' },
  { feature: 'silence', why: 'a script waits for nothing' },
  { feature: 'null-usage', why: 'a script reports numbers' },
  { feature: 'total-usage', why: 'a script reports input and output' },
];

/** The scripted model. `distort` adds a defect. */
export function scriptedPeer(
  name = 'scripted model',
  distort = (script: Script): Script => script,
): ConformancePeer {
  return {
    name,
    gaps,
    connect: async (provider) => ({
      adapter: scriptedAdapter(distort(scriptOf(provider)), { name }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

function scriptOf(provider: ConformanceProvider): Script {
  return async (_conversation, request, options) => {
    const turn = provider.answer(toRequest(request, options));
    return turn.type === 'answer' ? toTurn(turn) : failWith(turn, options, provider);
  };
}

/** The request of a model that uses conversations unchanged. */
export function toRequest(request: ModelRequest, { onDelta }: ModelCallOptions): ConformanceRequest {
  const { instructions, conversation, tools, hostedTools, toolChoice, settings } = request;
  return {
    isStreaming: onDelta !== undefined,
    instructions,
    conversation: conversation.flatMap(toItems),
    tools: tools.map(({ name }) => name),
    hostedTools: hostedTools.map(({ kind }) => kind),
    hasOutputSchema: request.outputSchema !== undefined,
    toolChoice,
    ...(settings.maxOutputTokens === undefined ? {} : { maxOutputTokens: settings.maxOutputTokens }),
  };
}

function toItems(item: ConversationItem): readonly ConformanceItem[] {
  switch (item.type) {
    case 'user':
      return item.content.map((part) =>
        part.type === 'text' ? { type: 'user', text: part.text } : toMedia(part),
      );
    case 'assistant':
      return item.content.flatMap((part): readonly ConformanceItem[] => {
        switch (part.type) {
          case 'text':
            return [{ type: 'assistant', text: part.text }];
          case 'tool-call':
            return [{ ...part, type: 'call' }];
          default:
            return [];
        }
      });
    case 'tool-result':
      return [
        { type: 'result', callId: item.callId, text: item.text, isError: item.isError },
        ...(item.attachments ?? []).map(toMedia),
      ];
    case 'approval':
      return [{ type: 'approval', approvalId: item.approvalId, approved: item.approved }];
  }
}

function toMedia({ mediaType, data }: MediaPart): ConformanceItem {
  return { type: 'media', mediaType, data };
}

function toTurn({
  type: _type,
  searches = [],
  toolCalls,
  uncounted,
  ...said
}: ConformanceAnswer): ScriptedTurn {
  return {
    ...said,
    ...(uncounted === undefined ? {} : { usage: { inputTokens: 0, outputTokens: 0 } }),
    ...(toolCalls === undefined ? {} : { toolCalls }),
    ...(searches.length === 0 ? {} : { hosted: [toReading(searches)] }),
  };
}

function toReading(searches: NonNullable<ConformanceAnswer['searches']>): HostedToolReading {
  const invocations = searches.map(
    ({ invocationId, status, query, sources }): WebSearchResult => ({
      invocationId,
      status,
      action: 'search',
      queries: [query],
      sources,
    }),
  );
  const citations = searches.flatMap(({ cited, sources: [source] }): readonly Citation[] =>
    cited === undefined || source === undefined ? [] : [{ type: 'url', ...source, span: cited }],
  );
  return { toolName: 'web_search', invocations, citations };
}

export async function failWith(
  turn: Exclude<ConformanceTurn, ConformanceAnswer>,
  { onDelta, signal }: ModelCallOptions,
  provider: ConformanceProvider,
): Promise<ScriptedTurn> {
  switch (turn.type) {
    case 'no-answer':
      throw new ThrottleError('That is no answer.', { kind: 'server-error' });
    case 'broken-off':
      await onDelta?.({ type: 'text-delta', text: turn.text });
      throw new ThrottleError('The answer broke off.', { kind: 'server-error' });
    case 'hanging':
      await onDelta?.({ type: 'text-delta', text: turn.text });
      return new Promise((_resolve, reject) => {
        const cutOff = (): void => {
          provider.cutOff();
          reject(signal.reason);
        };
        if (signal.aborted) cutOff();
        else signal.addEventListener('abort', cutOff, { once: true });
      });
    case 'rate-limited':
      throw new ThrottleError('Slow down.', { kind: 'rate-limit', retryAfterMs: turn.retryAfterMs });
    case 'quota-exceeded':
      throw new ThrottleError('Pay.', { kind: 'quota' });
    case 'server-error':
      throw new ThrottleError('Oops.', { kind: 'server-error' });
    case 'context-exceeded':
      throw new ModelResponseError('model-context-exceeded', 'It is too long.');
    case 'bad-request':
      throw new TypeError('What?');
    case 'nonsense':
      // Not a known finish reason.
      return { text: 'Hm.', finishReason: 'nonsense' as 'stop' };
  }
}
