import type {
  ConformanceAnswer,
  ConformanceFragment,
  ConformanceItem,
  ConformanceRefusal,
  ConformanceRequest,
} from 'weakincentives/conformance';
import { functionCall, message, reasoning, response } from '../openai-responses.ts';
import { toEvents, toServerSentEvents } from '../openai-stream.ts';
import { type Fields, fieldsOf, listOf, textOf, toUncounted } from './fields.ts';
import { eventStream, json, noAnswer, type WireReply } from './wire-server.ts';

/** A request for a response, independent of the wire format. `sent` holds the items that the provider made, as JSON. */
export function readOpenAIRequest(body: Fields, sent: ReadonlySet<string>): ConformanceRequest {
  const tools = listOf(body['tools']);
  const { tool_choice: toolChoice, max_output_tokens: maxOutputTokens } = body;
  const { format } = fieldsOf(body['text']);
  return {
    isStreaming: body['stream'] === true,
    instructions: String(body['instructions']),
    conversation: listOf(body['input']).flatMap((item) => readItem(item, sent)),
    tools: tools.flatMap(({ type, name }) => (type === 'function' ? [String(name)] : [])),
    hostedTools: tools.flatMap(({ type }) => (type === 'function' ? [] : [String(type)])),
    hasOutputSchema: fieldsOf(format)['type'] === 'json_schema',
    ...(typeof maxOutputTokens === 'number' ? { maxOutputTokens } : {}),
    ...(toolChoice === undefined
      ? {}
      : {
          toolChoice:
            typeof toolChoice === 'string'
              ? // One of the values that the kit has, too.
                (toolChoice as 'auto')
              : readChoice(fieldsOf(toolChoice)),
        }),
  };
}

function readChoice({ type, mode, name, tools }: Fields): NonNullable<ConformanceRequest['toolChoice']> {
  if (type !== 'allowed_tools') return { tool: String(name) };
  const allowed = listOf(tools).map((tool) => String(tool['name']));
  return mode === 'required' ? { allowed, required: true } : { allowed };
}

function readItem(item: Fields, sent: ReadonlySet<string>): readonly ConformanceItem[] {
  switch (item['type']) {
    case 'message':
      return item['role'] === 'user'
        ? [{ type: 'user', text: textOf(item['content']) }, ...mediaIn(item['content'])]
        : [{ type: 'assistant', text: textOf(item['content']) }];
    case 'compaction':
      return [{ type: 'compaction', isIntact: sent.has(JSON.stringify(item)) }];
    case 'reasoning':
      return [{ type: 'reasoning', isIntact: sent.has(JSON.stringify(item)) }];
    case 'function_call': {
      const { call_id: callId, name, arguments: text } = item;
      return [{ type: 'call', callId: String(callId), name: String(name), arguments: String(text) }];
    }
    case 'function_call_output':
      return [
        {
          type: 'result',
          callId: String(item['call_id']),
          text: textOf(item['output']),
          ...programOf(item['caller']),
        },
        ...mediaIn(item['output']),
      ];
    case 'mcp_approval_response': {
      const { approval_request_id: approvalId, approve } = item;
      return [{ type: 'approval', approvalId: String(approvalId), approved: approve === true }];
    }
    default:
      return [];
  }
}

function programOf(caller: unknown): { readonly program?: string } {
  const { type, caller_id: program } = fieldsOf(caller);
  return type === 'program' ? { program: String(program) } : {};
}

/** The images of a message, which are `data:` URLs. */
function mediaIn(content: unknown): readonly ConformanceItem[] {
  return listOf(content).flatMap(({ image_url: url }) => {
    const { mediaType, data } =
      /^data:(?<mediaType>[^;]+);base64,(?<data>.*)$/.exec(String(url))?.groups ?? {};
    return mediaType === undefined || data === undefined ? [] : [{ type: 'media', mediaType, data } as const];
  });
}

/** The response of an answer. `number` is unique among the answers of one provider. */
export function toOpenAIResponse(
  answer: ConformanceAnswer,
  number: number,
): Fields & { readonly output: readonly Fields[] } {
  const { searches = [], toolCalls = [], approvalRequests = [], compaction, finishReason, usage } = answer;
  const output = [
    ...(compaction === undefined
      ? []
      : [{ type: 'compaction', id: `cmp_${number}`, encrypted_content: `secret of ${compaction.text}` }]),
    ...(answer.reasoning === undefined ? [] : [reasoning(`rs_${number}`, answer.reasoning)]),
    ...searches.map(({ invocationId, query, status, sources }) => ({
      id: `${invocationId}_${number}`,
      type: 'web_search_call',
      status,
      action: {
        type: 'search',
        query,
        queries: [query],
        sources: sources.map(({ url }) => ({ type: 'url', url })),
      },
    })),
    ...(answer.text === undefined ? [] : [toMessage(answer, answer.text, number)]),
    ...toolCalls.map(({ callId, name, arguments: text, isCutOff = false, program }, index) =>
      functionCall(callId ?? '', name, text, {
        id: `fc_${number}_${index}`,
        status: isCutOff ? 'incomplete' : 'completed',
        ...(callId === undefined ? { call_id: undefined } : {}),
        ...(program === undefined ? {} : { caller: { type: 'program', caller_id: program } }),
      }),
    ),
    ...approvalRequests.map(({ approvalId, toolName, name, arguments: text }) => ({
      id: approvalId,
      type: 'mcp_approval_request',
      server_label: toolName,
      name,
      arguments: text,
    })),
    ...(answer.asksClient === true ? [shellCall(number)] : []),
  ];
  const reason = { length: 'max_output_tokens', 'content-filter': 'content_filter' }[String(finishReason)];
  return {
    ...response(output, {
      id: `resp_${number}`,
      ...(reason === undefined ? {} : { status: 'incomplete', incomplete_details: { reason } }),
      usage:
        answer.uncounted !== undefined
          ? toUncounted(answer.uncounted, toUsage({}))
          : usage === undefined
            ? null
            : toUsage(usage),
    }),
    output,
  };
}

function shellCall(number: number): Fields {
  const action = { commands: ['ls'], timeout_ms: null, max_output_length: null };
  const id = `sh_${number}`;
  return { id, type: 'shell_call', call_id: id, status: 'completed', environment: { type: 'local' }, action };
}

function toMessage({ searches = [], finishReason }: ConformanceAnswer, text: string, number: number): Fields {
  const annotations = searches.flatMap(({ cited, sources: [source] }) =>
    cited === undefined
      ? []
      : [{ type: 'url_citation', start_index: cited[0], end_index: cited[1], ...source }],
  );
  const content =
    finishReason === 'refusal'
      ? { type: 'refusal', refusal: text }
      : { type: 'output_text', text, annotations };
  return message(text, { id: `msg_${number}`, content: [content] });
}

function toUsage(usage: NonNullable<ConformanceAnswer['usage']>): Fields {
  const { inputTokens = 0, outputTokens = 0 } = usage;
  return {
    input_tokens: inputTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedInputTokens ?? 0,
      cache_write_tokens: usage.cacheWriteInputTokens ?? 0,
    },
    output_tokens: outputTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens ?? 0 },
    total_tokens: inputTokens + outputTokens,
  };
}

/** An answer that ends early. */
export function toOpenAIFragment(fragment: ConformanceFragment, isStreaming: boolean): WireReply {
  if (fragment.type === 'no-answer') {
    const { end: _end, ...cut } = toOpenAIFragment({ type: 'broken-off', text: fragment.text }, isStreaming);
    return noAnswer(fragment.body, cut);
  }
  const { text } = fragment;
  const end = fragment.type === 'hanging' ? 'open' : 'broken';
  const toolCall = fragment.type === 'hanging' ? undefined : fragment.toolCall;
  const whole = toOpenAIResponse(
    { type: 'answer', text, ...(toolCall === undefined ? {} : { toolCalls: [toolCall] }) },
    0,
  );
  if (!isStreaming) {
    const body = JSON.stringify(whole);
    return { ...json(whole), body: end === 'open' ? '' : body.slice(0, body.length / 2), end };
  }
  const events = toEvents(whole);
  const last =
    toolCall === undefined ? 'response.output_text.delta' : 'response.function_call_arguments.delta';
  const said = events.filter(({ type: name }) => name === last);
  // After the text, or after all but the last delta of the arguments.
  const stop = events.indexOf(said.at(toolCall === undefined ? -1 : -2) ?? { type: '' });
  const begun = toServerSentEvents(events.slice(0, stop + 1));
  return eventStream(end === 'broken' ? `${begun}event: response.outp` : begun, end);
}

/** An error response. */
export function toOpenAIRefusal(turn: ConformanceRefusal, isStreaming: boolean): WireReply {
  const error = (status: number, why: string, code: string | null, headers = {}): WireReply =>
    json({ error: { message: why, type: 'error', code, param: null } }, { status, headers });
  switch (turn.type) {
    case 'rate-limited': {
      const { retryAfterMs } = turn;
      const wait = retryAfterMs === undefined ? {} : { 'retry-after': String(retryAfterMs / 1_000) };
      return error(429, 'Slow down.', 'rate_limit_exceeded', wait);
    }
    case 'quota-exceeded':
      return error(429, 'Pay.', 'insufficient_quota');
    case 'server-error':
      return error(500, 'Oops.', null);
    case 'context-exceeded':
      return error(400, 'Too long.', 'context_length_exceeded');
    case 'bad-request':
      return error(400, 'What?', 'invalid_value');
    case 'nonsense': {
      const nonsense = { object: 'weather', forecast: 'rain' };
      if (!isStreaming) return json(nonsense);
      return eventStream(
        toServerSentEvents([{ type: 'response.completed', response: { ...nonsense, output: 'rain' } }]),
      );
    }
  }
}
