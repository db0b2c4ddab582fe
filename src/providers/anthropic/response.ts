import { ModelResponseError } from '../../core/error/index.ts';
import { isRecord, present } from '../../core/internal/index.ts';
import type { ModelTurn } from '../../core/runtime/index.ts';
import type { SchemaProjection } from '../../core/schema/index.ts';
import { type AssistantPart, parsedArguments } from '../../core/tool/index.ts';
import {
  DistinctCallIds,
  fieldsIn,
  type HostedToolRegistry,
  isCompactedMessage,
  messagesFinishReason,
  messagesUsage,
  objectsIn,
  readMessageDiagnosis,
  stringFields,
  typedCallParts,
  unansweredItem,
  type WireFields,
} from '../kit/index.ts';
import type { PreparedAnthropicRequest } from './request.ts';
import { isHosted, isServerUse, isThinking, type MessageEnd } from './wire.ts';

/**
 * Reads the turn from a message. Every block, known or not, is kept unchanged to be sent back in the next request, except
 * those that the provider would reject.
 *
 * @throws {ModelResponseError} when it is not a message.
 */
export function readMessage(
  message: unknown,
  provider: string,
  prepared: PreparedAnthropicRequest,
  registry: HostedToolRegistry,
): ModelTurn {
  if (!isRecord(message)) throw invalid('it is not an object');
  if (!Array.isArray(message['content'])) throw invalid('it has no content');
  const received = objectsIn(message['content']);
  const reason = message['stop_reason'];
  const isCut = isCutOff(reason);
  const goesOn = reason === 'max_tokens';
  const callIds = new DistinctCallIds(prepared.asked);
  const blocks = withDistinctCalls(isCut ? withoutCutEnd(received, goesOn) : received, callIds);
  const text = new TurnText(blocks, prepared.answerSchema);
  // Blocks are sequential: only the last one can be truncated, and it is kept only when the model continues.
  const cutBlock = goesOn && received.at(-1)?.['type'] === 'tool_use' ? blocks.at(-1) : undefined;
  const parts = blocks.flatMap((block) =>
    toParts(block, text, { prepared, callIds, isComplete: isCut ? block !== cutBlock : undefined }),
  );
  const content = [...parts, ...refusalOf(message, text)];
  const usage = messagesUsage(message['usage']);
  const end = endOf(message);
  const hosted = registry.read(prepared.hostedTools, {
    items: [...received, ...end],
    text: text.whole,
    startOf: (part) => text.startOf(part),
  });
  return {
    content,
    finishReason: messagesFinishReason(
      reason,
      blocks.some(({ type }) => type === 'tool_use'),
    ),
    ...present({
      usage,
      hosted: hosted.length === 0 ? undefined : hosted,
      isCompacted: isCompactedMessage(message) ? true : undefined,
      cache: readMessageDiagnosis(message['diagnostics'], isCompared(prepared)),
    }),
    raw: {
      provider,
      items: [...blocks.map(withObjectInput), ...end],
      ...(prepared.keepsResponseId === true ? stringFields({ responseId: message['id'] }) : undefined),
    },
    ...stringFields({
      responseId: message['id'],
      responseModel: message['model'],
      serviceTier: fieldsIn(message['usage'])['service_tier'],
    }),
  };
}

/** Whether a request names an answer to be compared with. */
function isCompared({ body }: PreparedAnthropicRequest): boolean {
  return typeof body.diagnostics?.previous_message_id === 'string';
}

/** @param isComplete whether the block is complete; undefined in a message that is not truncated. */
function toParts(
  block: WireFields,
  text: TurnText,
  {
    prepared: { toolSchemas, typed },
    callIds,
    isComplete,
  }: {
    readonly prepared: PreparedAnthropicRequest;
    readonly callIds: DistinctCallIds;
    readonly isComplete: boolean | undefined;
  },
): readonly AssistantPart[] {
  switch (block['type']) {
    case 'text':
      return text.partsOf(block);
    case 'thinking': {
      const { thinking } = block;
      return typeof thinking === 'string' && thinking !== '' ? [{ type: 'reasoning', text: thinking }] : [];
    }
    case 'tool_use': {
      const { id, name, input = {}, toolset_name: toolset } = block;
      if (typeof toolset === 'string') throw unansweredItem(`tool_use of ${toolset}`);
      if (typeof id !== 'string' || typeof name !== 'string')
        throw invalid('it has a tool_use without a name');
      const asked = typed?.readCalls(block);
      if (asked !== undefined) return typedCallParts(asked, id, callIds, isComplete);
      // Malformed JSON input is a string; running the call reports the error.
      const written = typeof input === 'string' ? input : JSON.stringify(input);
      const call = {
        type: 'tool-call',
        callId: id,
        name,
        ...parsedArguments(toolSchemas.get(name)?.unwrap(written) ?? written),
      } as const;
      return [isComplete === undefined ? call : { ...call, isComplete }];
    }
    default:
      return [];
  }
}

/** True when the message may end in the middle of a block. */
function isCutOff(reason: unknown): boolean {
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' || reason === 'refusal';
}

/**
 * The blocks without hosted calls that have no result: they cannot get one, and the provider rejects a conversation
 * with an unanswered call. Thinking at the end is rejected, too. A truncated call at the end is removed unless the model
 * continues, in which case it gets a result.
 */
function withoutCutEnd(blocks: readonly WireFields[], goesOn: boolean): readonly WireFields[] {
  const answered = new Set(blocks.map((block) => block['tool_use_id']));
  const kept = blocks.filter(
    (block, index) =>
      !(block['type'] === 'tool_use' && index === blocks.length - 1 && !goesOn) &&
      !(isServerUse(block) && !answered.has(block['id'])),
  );
  const last = kept.findLastIndex((block) => !isThinking(block));
  return kept.slice(0, last + 1);
}

/** Call ids must be present and unique. */
function withDistinctCalls(blocks: readonly WireFields[], ids: DistinctCallIds): readonly WireFields[] {
  return blocks.map((block) => {
    if (block['type'] !== 'tool_use') return block;
    const id = ids.take(block['id']);
    return id === block['id'] ? block : { ...block, id };
  });
}

/** The provider does not accept an input that is not an object. */
function withObjectInput(block: WireFields): WireFields {
  const { type, input } = block;
  const isUse = type === 'tool_use' || isServerUse(block);
  return isUse && input !== undefined && !isRecord(input) ? { ...block, input: {} } : block;
}

/** The reason of a refusal, where the model did not give one. */
function refusalOf(
  { stop_reason: reason, stop_details: details }: WireFields,
  text: TurnText,
): readonly AssistantPart[] {
  if (reason !== 'refusal' || text.whole !== '' || !isRecord(details)) return [];
  const { explanation, category } = details;
  const stated = [explanation, category].find((it) => typeof it === 'string' && it !== '');
  return typeof stated === 'string' ? [{ type: 'text', text: stated }] : [];
}

function endOf({ stop_reason: reason, container }: WireFields): readonly MessageEnd[] {
  const isPaused = messagesFinishReason(reason, false) === 'paused';
  const id = isRecord(container) ? container['id'] : undefined;
  if (!isPaused && typeof id !== 'string') return [];
  return [
    {
      type: 'message_end',
      ...present({
        stop_reason: isPaused ? String(reason) : undefined,
        container: typeof id === 'string' ? { id } : undefined,
      }),
    },
  ];
}

function invalid(why: string): ModelResponseError {
  return new ModelResponseError('model-response-invalid', `It is not a message: ${why}.`);
}

/**
 * The text of one message. An answer with a schema is the text after the last hosted call, as a value of that schema;
 * commentary before it is not part of the answer. Otherwise all text is the answer.
 */
class TurnText {
  /** The text of the turn. */
  readonly whole: string;
  readonly #starts = new Map<unknown, number>();
  readonly #parts = new Map<unknown, AssistantPart>();

  constructor(blocks: readonly WireFields[], answerSchema: SchemaProjection | undefined) {
    const isFinal = !blocks.some(({ type }) => type === 'tool_use');
    const answer = isFinal ? answerSchema : undefined;
    const lastHosted = answer === undefined ? -1 : blocks.findLastIndex(isHosted);
    let text = '';
    let lastBlock: WireFields | undefined;
    for (const [index, block] of blocks.entries()) {
      if (block['type'] !== 'text' || typeof block['text'] !== 'string' || block['text'] === '') continue;
      if (index < lastHosted) {
        this.#parts.set(block, { type: 'reasoning', text: block['text'] });
        continue;
      }
      this.#parts.set(block, { type: 'text', text: block['text'] });
      this.#starts.set(block, text.length);
      text += block['text'];
      lastBlock = block;
    }
    this.whole = answer?.unwrap(text) ?? text;
    if (this.whole === text) return;
    // Offsets are no longer valid.
    for (const block of this.#starts.keys()) this.#parts.delete(block);
    this.#starts.clear();
    this.#parts.set(lastBlock, { type: 'text', text: this.whole });
  }

  partsOf(block: WireFields): readonly AssistantPart[] {
    const part = this.#parts.get(block);
    return part === undefined ? [] : [part];
  }

  /** The offset of a block's text in the text of the turn; undefined for a block that is not part of it. */
  startOf(block: unknown): number | undefined {
    return this.#starts.get(block);
  }
}
