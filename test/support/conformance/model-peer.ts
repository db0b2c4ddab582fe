import type { AssistantPart } from 'weakincentives';
import type {
  ConformanceAnswer,
  ConformanceGap,
  ConformancePeer,
  ConformanceProvider,
} from 'weakincentives/conformance';
import {
  type LanguageModel,
  type ModelCallOptions,
  type ModelRequest,
  type ModelTurn,
  providerAdapter,
} from 'weakincentives/provider';
import { failWith, toRequest } from './scripted-peer.ts';

const why = 'the model is plain';
const gaps: readonly ConformanceGap[] = (
  [
    'reasoning-replay',
    'repeated-call-ids',
    'missing-call-ids',
    'nonsense',
    'web-search',
    'failed-web-search',
    'citations',
    'approvals',
    'silence',
    'null-usage',
    'total-usage',
  ] as const
).map((feature) => ({ feature, why }));

/** Defects of a model of {@link modelPeer}. */
export interface ModelFaults {
  /** Emits a delta. Default: awaits the consumer. */
  readonly tell?: (onDelta: NonNullable<ModelCallOptions['onDelta']>, text: string) => Promise<void>;
  /** The request that the provider gets. Default: unchanged. */
  readonly send?: (request: ModelRequest) => ModelRequest;
  /** Changes an answer. Default: unchanged. May throw. */
  readonly read?: (turn: ModelTurn) => ModelTurn;
}

/** A model that supports schemas and streams its text word by word, with optional defects. */
export function modelPeer(faults: ModelFaults = {}): ConformancePeer {
  return {
    name: 'model',
    gaps,
    connect: async (provider) => ({
      adapter: providerAdapter({ model: modelOfProvider(provider, faults) }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}

/** A model that answers as the provider of a case does. */
export function modelOfProvider(
  provider: ConformanceProvider,
  {
    tell = async (onDelta, text) => onDelta({ type: 'text-delta', text }),
    send = (request) => request,
    read = (turn) => turn,
  }: ModelFaults = {},
): LanguageModel {
  return {
    name: 'model',
    takesOutputSchema: true,
    generate: async (request, options) => {
      const turn = provider.answer(toRequest(send(request), options));
      // A turn that is not an answer rejects.
      if (turn.type !== 'answer') return failWith(turn, options, provider) as never;
      const { onDelta } = options;
      if (onDelta !== undefined) {
        if (turn.reasoning !== undefined) await onDelta({ type: 'reasoning-delta', text: turn.reasoning });
        for (const piece of turn.text?.match(/\S+\s*|\s+/g) ?? []) await tell(onDelta, piece);
      }
      return read(toTurn(turn));
    },
  };
}

function toTurn({
  text,
  reasoning,
  toolCalls = [],
  finishReason,
  uncounted,
  usage = uncounted && { inputTokens: 0, outputTokens: 0 },
}: ConformanceAnswer): ModelTurn {
  const content: readonly AssistantPart[] = [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
    ...(text === undefined ? [] : [{ type: 'text' as const, text }]),
    ...toolCalls.map(({ callId = '', name, arguments: given }) => ({
      type: 'tool-call' as const,
      callId,
      name,
      arguments: given,
    })),
  ];
  return {
    content,
    finishReason: finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    ...(usage === undefined ? {} : { usage }),
  };
}
