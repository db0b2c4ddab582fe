import type {
  ConformanceAnswer,
  ConformanceFragment,
  ConformanceItem,
  ConformanceRefusal,
  ConformanceRequest,
} from 'weakincentives/conformance';
import {
  type AnthropicMessage,
  type Block,
  message,
  serverToolUse,
  text,
  thinking,
  toolUse,
} from '../anthropic-messages.ts';
import { toEvents } from '../anthropic-stream.ts';
import { type Fields, fieldsOf, listOf, textOf, toUncounted } from './fields.ts';
import { eventStream, json, noAnswer, type WireReply } from './wire-server.ts';

/** A request for a message, independent of the wire format. `sent` holds the blocks that the provider made, as JSON. */
export function readAnthropicRequest(body: Fields, sent: ReadonlySet<string>): ConformanceRequest {
  const tools = listOf(body['tools']);
  const isOwn = ({ type }: Fields): boolean => type === undefined || type === 'custom';
  const { format } = fieldsOf(body['output_config']);
  const choice = fieldsOf(body['tool_choice']);
  return {
    isStreaming: body['stream'] === true,
    instructions: textOf(body['system']),
    conversation: listOf(body['messages']).flatMap(({ role, content }) =>
      typeof content === 'string'
        ? [{ type: role === 'user' ? 'user' : 'assistant', text: content } as const]
        : listOf(content).flatMap((block) => readBlock(block, role === 'user', sent)),
    ),
    tools: tools.filter(isOwn).map(({ name }) => String(name)),
    hostedTools: tools.filter((it) => !isOwn(it)).map(({ type }) => kindOf(String(type))),
    maxOutputTokens: Number(body['max_tokens']),
    hasOutputSchema: fieldsOf(format)['type'] === 'json_schema',
    ...(choice['type'] === undefined ? {} : { toolChoice: readChoice(choice) }),
  };
}

function readBlock(given: Fields, isUser: boolean, sent: ReadonlySet<string>): readonly ConformanceItem[] {
  const { cache_control: _marked, ...block } = given;
  switch (block['type']) {
    case 'text':
      return [{ type: isUser ? 'user' : 'assistant', text: String(block['text']) }];
    case 'image': {
      const { media_type: mediaType, data } = fieldsOf(block['source']);
      return [{ type: 'media', mediaType: String(mediaType), data: String(data) }];
    }
    case 'compaction':
      return [{ type: 'compaction', isIntact: sent.has(JSON.stringify(block)) }];
    case 'thinking':
      return [{ type: 'reasoning', isIntact: sent.has(JSON.stringify(block)) }];
    case 'tool_use': {
      const { id, name, input } = block;
      return [{ type: 'call', callId: String(id), name: String(name), arguments: JSON.stringify(input) }];
    }
    case 'tool_result': {
      const { tool_use_id: callId, content, is_error: isError } = block;
      return [
        { type: 'result', callId: String(callId), text: textOf(content), isError: isError === true },
        ...listOf(content).flatMap((part) =>
          readBlock(part, true, sent).filter(({ type }) => type === 'media'),
        ),
      ];
    }
    default:
      return [];
  }
}

function kindOf(type: string): string {
  return type === 'mcp_toolset' ? 'mcp' : type.replace(/_\d{8}$/, '');
}

function readChoice({ type, name }: Fields): NonNullable<ConformanceRequest['toolChoice']> {
  if (type === 'tool') return { tool: String(name) };
  if (type === 'any') return 'required';
  return type === 'none' ? 'none' : 'auto';
}

const stopReasons: Readonly<Record<string, string>> = {
  length: 'max_tokens',
  'context-window': 'model_context_window_exceeded',
  refusal: 'refusal',
  paused: 'pause_turn',
};

/** The message of an answer. `number` is unique among the answers of one provider. */
export function toAnthropicMessage(
  answer: ConformanceAnswer,
  number: number,
  isSealed = true,
): AnthropicMessage {
  const { asksClient = false, compaction, searches = [], toolCalls = [], finishReason, usage } = answer;
  const content = [
    ...(compaction === undefined ? [] : [toSummary(compaction.text, isSealed)]),
    ...(answer.reasoning === undefined ? [] : [thinking(answer.reasoning)]),
    ...searches.flatMap((search, index) => toSearch(search, `srvtoolu_${number}_${index}`)),
    ...(answer.text === undefined ? [] : toTexts(answer, answer.text)),
    ...toolCalls.map(({ callId, name, arguments: given }) => ({
      ...toolUse(callId ?? '', name, parsed(given)),
      ...(callId === undefined ? { id: undefined } : {}),
    })),
    ...(asksClient ? [{ ...toolUse('toolu_click', 'left_click', {}), toolset_name: 'computer' }] : []),
  ];
  const isPause = compaction !== undefined && finishReason === 'paused';
  const reason = isPause ? 'compaction' : stopReasons[String(finishReason)];
  return message(content, {
    id: `msg_${number}`,
    ...(reason === undefined ? {} : { stop_reason: reason }),
    ...(usage === undefined ? {} : { usage: withSummary(toUsage(usage), compaction?.usage) }),
    ...(answer.uncounted === undefined ? {} : { usage: toUncounted(answer.uncounted, toUsage({})) }),
  });
}

/** @param isSealed whether the block has what only the provider reads; the package of the AI SDK does not send that back. */
function toSummary(content: string | null, isSealed: boolean): Block {
  const sealed = content === null ? null : `secret of ${content}`;
  return { type: 'compaction', content, ...(isSealed ? { encrypted_content: sealed } : {}) };
}

/** The tokens of a summary are no part of the totals. */
function withSummary(counts: Fields, summary: ConformanceAnswer['usage']): Fields {
  if (summary === undefined) return counts;
  const iterations = [
    { type: 'compaction', ...toUsage(summary) },
    { type: 'message', ...counts },
  ];
  return { ...counts, iterations };
}

function toSearch(
  { query, status, sources }: NonNullable<ConformanceAnswer['searches']>[number],
  id: string,
): readonly Block[] {
  const found = sources.map((source) => ({
    type: 'web_search_result',
    ...source,
    encrypted_content: `secret of ${source.url}`,
    page_age: null,
  }));
  const failed = { type: 'web_search_tool_result_error', error_code: 'unavailable' };
  return [
    serverToolUse(id, 'web_search', { query }),
    { type: 'web_search_tool_result', tool_use_id: id, content: status === 'failed' ? failed : found },
  ];
}

/** The text, with a separate block for each cited passage. */
function toTexts({ searches = [] }: ConformanceAnswer, whole: string): readonly Block[] {
  const blocks: Block[] = [];
  let at = 0;
  for (const { cited, sources } of searches) {
    const [source] = sources;
    if (cited === undefined || source === undefined) continue;
    const citation = {
      type: 'web_search_result_location',
      ...source,
      encrypted_index: 'secret',
      cited_text: 'They are ripe.',
    };
    blocks.push(text(whole.slice(at, cited[0])), text(whole.slice(...cited), [citation]));
    at = cited[1];
  }
  return [...blocks, text(whole.slice(at))].filter((block) => block['text'] !== '');
}

function toUsage(usage: NonNullable<ConformanceAnswer['usage']>): Fields {
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0, cacheWriteInputTokens = 0 } = usage;
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteInputTokens,
    cache_read_input_tokens: cachedInputTokens,
    cache_creation_input_tokens: cacheWriteInputTokens,
    output_tokens: outputTokens,
    output_tokens_details: { thinking_tokens: usage.reasoningTokens ?? 0 },
  };
}

/** The input of a call. Invalid JSON stays a string, which only a stream can send. */
function parsed(given: string): unknown {
  if (given === '') return {};
  try {
    return JSON.parse(given);
  } catch {
    return given;
  }
}

export function toAnthropicEvents(events: ReturnType<typeof toEvents>): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** An answer that ends early. */
export function toAnthropicFragment(fragment: ConformanceFragment, isStreaming: boolean): WireReply {
  if (fragment.type === 'no-answer') {
    const { end: _end, ...cut } = toAnthropicFragment(
      { type: 'broken-off', text: fragment.text },
      isStreaming,
    );
    return noAnswer(fragment.body, cut);
  }
  const end = fragment.type === 'hanging' ? 'open' : 'broken';
  const toolCall = fragment.type === 'hanging' ? undefined : fragment.toolCall;
  const whole = toAnthropicMessage(
    { type: 'answer', text: fragment.text, ...(toolCall === undefined ? {} : { toolCalls: [toolCall] }) },
    0,
  );
  if (!isStreaming) {
    const body = JSON.stringify(whole);
    return { ...json(whole), body: end === 'open' ? '' : body.slice(0, body.length / 2), end };
  }
  const events = toEvents(whole);
  const last = toolCall === undefined ? 'text_delta' : 'input_json_delta';
  const said = events.filter(({ delta }) => fieldsOf(delta)['type'] === last);
  // After the text, or after all but the last delta of the arguments.
  const stop = events.indexOf(said.at(toolCall === undefined ? -1 : -2) ?? { type: '' });
  const begun = toAnthropicEvents(events.slice(0, stop + 1));
  return eventStream(end === 'broken' ? `${begun}event: content_blo` : begun, end);
}

/** An error response. */
export function toAnthropicRefusal(turn: ConformanceRefusal, isStreaming: boolean): WireReply {
  const error = (status: number, type: string, why: string, headers = {}): WireReply =>
    json({ type: 'error', error: { type, message: why }, request_id: 'req_1' }, { status, headers });
  switch (turn.type) {
    case 'rate-limited': {
      const { retryAfterMs } = turn;
      const wait = retryAfterMs === undefined ? {} : { 'retry-after': String(retryAfterMs / 1_000) };
      return error(429, 'rate_limit_error', 'Slow down.', wait);
    }
    case 'quota-exceeded':
      return error(402, 'billing_error', 'Pay.');
    case 'server-error':
      return error(529, 'overloaded_error', 'Overloaded.');
    case 'context-exceeded':
      return error(400, 'invalid_request_error', 'prompt is too long: 200001 tokens > 200000 maximum');
    case 'bad-request':
      return error(400, 'invalid_request_error', 'What?');
    case 'nonsense':
      if (!isStreaming) return json({ type: 'weather', forecast: 'rain' });
      return eventStream(
        toAnthropicEvents([{ type: 'weather', forecast: 'rain' }, { type: 'message_stop' }]),
      );
  }
}
