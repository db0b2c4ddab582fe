import { readUnrounded } from '../../core/internal/index.ts';
import type { RunEvent, ToolInvokedPayload } from '../../core/runtime/index.ts';
import type { ConversationItem } from '../../core/tool/index.ts';
import { each, expectEqual, expectTrue } from './expect.ts';
import type { ConformanceMode } from './peer.ts';
import type { ConformanceItem, ConformanceRequest } from './request.ts';

/** A run that has ended, with any outcome. */
export interface RunToCheck {
  readonly mode: ConformanceMode;
  readonly adapterName: string;
  readonly events: readonly RunEvent[];
  readonly calls: readonly ToolInvokedPayload[];
  readonly conversation: readonly ConversationItem[];
  readonly requests: readonly ConformanceRequest[];
}

/** Checks the invariants of every run. */
export function checkRun(run: RunToCheck): void {
  checkFrame(run);
  checkPieces(run);
  checkCalls(run);
  checkRequests(run);
}

function checkFrame({ events, adapterName }: RunToCheck): void {
  // The run did not begin.
  if (events.length === 0) return;
  const [first] = events;
  const last = events.at(-1);
  expectEqual('the first event', first?.type, 'run-start');
  const adapter = first?.type === 'run-start' ? first.adapter : '';
  expectEqual('the adapter in the first event', adapter, adapterName);
  expectEqual('the last event', last?.type, 'run-end');
  // An answer that was dropped to free context is counted, but its model call does not end with it.
  if (hasDropped(events)) return;
  const ends = events.filter(({ type }) => type === 'model-call-end').length;
  const counted = events.filter(({ type }) => type === 'usage-counted').length;
  // An answer that cannot be used is paid for, too.
  const code = last?.type === 'run-end' ? last.error?.code : undefined;
  const unusable = code === 'evaluation-response-invalid' && counted > ends ? 1 : 0;
  expectEqual('usage events, one per answer', counted, ends + unusable);
}

/** The deltas of an answer concatenate to the answer, each once; deltas of a failed answer are discarded. */
function checkPieces({ events, mode }: RunToCheck): void {
  let streamedText: string | undefined;
  for (const event of events) {
    switch (event.type) {
      case 'model-call-start':
      case 'model-call-retry':
      case 'model-changed':
      case 'answer-restarted':
        streamedText = '';
        break;
      case 'text-delta':
      case 'reasoning-delta':
        expectTrue('deltas are emitted only in streamed mode', mode === 'streamed');
        expectTrue('deltas are emitted only during a model call', streamedText !== undefined);
        if (event.type === 'text-delta') streamedText += event.text;
        break;
      case 'model-call-end':
        if (mode === 'streamed')
          expectEqual('the text of the answer, concatenated from its deltas', streamedText, event.text);
        streamedText = undefined;
        break;
      default:
        break;
    }
  }
}

/** Every call has one result, in the order of the calls, in events, records and conversation. */
function checkCalls({ events, calls, conversation }: RunToCheck): void {
  const requested = events.flatMap((event) => (event.type === 'model-call-end' ? event.toolCalls : []));
  const ids = each(requested, 'callId');
  const ended = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation] : []));
  expectEqual('the calls that ended, by their ids', each(ended, 'callId'), ids);
  expectEqual('the recorded calls, by their ids', each(calls, 'callId'), ids);
  const open: string[] = [];
  for (const item of conversation) {
    if (item.type === 'tool-result') {
      expectEqual('the id of the next result in the conversation', item.callId, open.shift());
      continue;
    }
    expectEqual('the calls without a result', open, []);
    if (item.type === 'assistant') {
      open.push(...item.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])));
    }
  }
  expectEqual('the calls without a result', open, []);
  if (hasDropped(events)) return;
  // In a conversation that began earlier, these are the last ones.
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  const last = calls.length === 0 ? [] : results.slice(-calls.length);
  expectEqual('the results that the model reads', last, each(calls, 'modelText'));
}

/** Every request holds the conversation as it was at that point. */
function checkRequests({ conversation, requests, events }: RunToCheck): void {
  if (hasDropped(events)) return;
  const expected = conversationText(conversation);
  for (const [index, request] of requests.entries()) {
    const sent = requestText(request, conversation);
    expectEqual(`the conversation in request ${index + 1} of the run`, sent, expected.slice(0, sent.length));
    const { instructions } = request;
    expectEqual(
      'the instructions, which do not change during a run',
      instructions,
      requests[0]?.instructions,
    );
  }
}

/** True when results were dropped: the conversation has notes in their place. */
function hasDropped(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => type === 'tool-results-dropped');
}

/**
 * A conversation as one string, so that it can be compared with the beginning of another. The string does not depend on how
 * text was divided into parts.
 */
function conversationText(conversation: readonly ConversationItem[]): string {
  return textOf(conversation.flatMap(toItems), conversation);
}

/** The same for the conversation in a request. */
function requestText(request: ConformanceRequest, conversation: readonly ConversationItem[]): string {
  return textOf(request.conversation, conversation);
}

function toItems(item: ConversationItem): readonly ConformanceItem[] {
  switch (item.type) {
    case 'user':
      return item.content.flatMap((part) =>
        part.type === 'text' ? [{ type: 'user', text: part.text }] : [],
      );
    case 'assistant':
      return item.content.flatMap((part): readonly ConformanceItem[] => {
        if (part.type === 'text') return [{ type: 'assistant', text: part.text }];
        if (part.type !== 'tool-call') return [];
        return [{ type: 'call', callId: part.callId, name: part.name, arguments: part.arguments }];
      });
    case 'tool-result':
      return [{ type: 'result', callId: item.callId, text: item.text }];
    case 'approval':
      return [{ type: 'approval', approvalId: item.approvalId, approved: item.approved }];
  }
}

function textOf(items: readonly ConformanceItem[], conversation: readonly ConversationItem[]): string {
  const malformed = malformedCalls(conversation);
  // Calls are numbered, because an adapter may have to change the ids of another provider's calls.
  const numbers = new Map<string, number>();
  let calls = 0;
  return items
    .map((item) => {
      switch (item.type) {
        case 'assistant':
          return item.text;
        case 'reasoning':
        case 'compaction':
        case 'media':
          return '';
        case 'call': {
          // Malformed JSON may have to be sent back as valid JSON.
          const args = malformed.has(item.callId) ? '…' : normalized(item.arguments);
          calls += 1;
          numbers.set(item.callId, calls);
          return `\n[call ${calls}] ${item.name}(${args})\n`;
        }
        case 'result':
          return `\n[result of call ${numbers.get(item.callId)}] ${item.text}\n`;
        case 'user':
          return `\n[user] ${item.text}\n`;
        case 'approval':
          return `\n[approval ${item.approvalId}] ${item.approved}\n`;
      }
    })
    .join('');
}

function malformedCalls(conversation: readonly ConversationItem[]): ReadonlySet<string> {
  const calls = conversation.flatMap((item) => (item.type === 'assistant' ? item.content : []));
  return new Set(
    calls.flatMap((part) =>
      part.type === 'tool-call' && normalized(part.arguments) === undefined ? [part.callId] : [],
    ),
  );
}

/** JSON without insignificant spaces, an integer that a number does not hold as text; undefined for invalid JSON. */
function normalized(text: string): string | undefined {
  if (text.trim() === '') return '{}';
  const value = readUnrounded(text);
  return value === undefined ? undefined : JSON.stringify(value);
}
