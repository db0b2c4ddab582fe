import type { RunEvent, ToolInvokedPayload } from '../../runtime/index.ts';
import type { ConversationItem } from '../../tool/index.ts';
import { conversationText, requestText } from './conversation-text.ts';
import { expectEqual, expectTrue } from './expect.ts';
import type { ConformanceMode } from './peer.ts';
import type { ConformanceRequest } from './request.ts';

/** A run that is over, whatever it came to. */
export interface RunToCheck {
  readonly mode: ConformanceMode;
  readonly adapterName: string;
  readonly events: readonly RunEvent[];
  readonly calls: readonly ToolInvokedPayload[];
  readonly conversation: readonly ConversationItem[];
  readonly requests: readonly ConformanceRequest[];
}

/** What is true of every run. */
export function checkRun(run: RunToCheck): void {
  checkFrame(run);
  checkPieces(run);
  checkCalls(run);
  checkRequests(run);
}

function checkFrame({ events, adapterName }: RunToCheck): void {
  // Then the run did not begin.
  if (events.length === 0) return;
  const [first] = events;
  const last = events.at(-1);
  expectEqual('the first event', first?.type, 'run-start');
  expectEqual(
    'the adapter in the first event',
    first?.type === 'run-start' ? first.adapter : '',
    adapterName,
  );
  expectEqual('the last event', last?.type, 'run-end');
  // An answer that only made room is counted, and told no further.
  if (hasDropped(events)) return;
  const ends = events.filter(({ type }) => type === 'model-call-end').length;
  expectEqual(
    'usage events, one per answer',
    events.filter(({ type }) => type === 'usage-counted').length,
    ends,
  );
}

/** The pieces of an answer make the answer, each once, and those of an answer that failed are void. */
function checkPieces({ events, mode }: RunToCheck): void {
  let told: string | undefined;
  for (const event of events) {
    switch (event.type) {
      case 'model-call-start':
      case 'model-call-retry':
        told = '';
        break;
      case 'text-delta':
      case 'reasoning-delta':
        expectTrue('pieces are told only of an answer that streams', mode === 'streamed');
        expectTrue('pieces are told only while the model answers', told !== undefined);
        if (event.type === 'text-delta') told += event.text;
        break;
      case 'model-call-end':
        if (mode === 'streamed')
          expectEqual('the text of the answer, put together from its pieces', told, event.text);
        told = undefined;
        break;
      default:
        break;
    }
  }
}

/** Every call is answered once, in the order of the calls, in events, records and conversation. */
function checkCalls({ events, calls, conversation }: RunToCheck): void {
  const asked = events.flatMap((event) => (event.type === 'model-call-end' ? event.toolCalls : []));
  const ids = asked.map(({ callId }) => callId);
  const ended = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation] : []));
  expectEqual(
    'the calls that ended, by their ids',
    ended.map(({ callId }) => callId),
    ids,
  );
  expectEqual(
    'the calls on record, by their ids',
    calls.map(({ callId }) => callId),
    ids,
  );
  const open: string[] = [];
  for (const item of conversation) {
    if (item.type === 'tool-result') {
      expectEqual('the id of the next result in the conversation', item.callId, open.shift());
      continue;
    }
    expectEqual('the calls that were left without a result', open, []);
    if (item.type === 'assistant') {
      open.push(...item.content.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])));
    }
  }
  expectEqual('the calls that were left without a result', open, []);
  if (hasDropped(events)) return;
  // In a conversation that began earlier these come last.
  const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
  expectEqual(
    'what the model reads of the calls',
    calls.length === 0 ? [] : results.slice(-calls.length),
    calls.map(({ modelText }) => modelText),
  );
}

/** What the provider was sent is what the conversation says, at every request. */
function checkRequests({ conversation, requests, events }: RunToCheck): void {
  if (hasDropped(events)) return;
  const said = conversationText(conversation);
  for (const [index, request] of requests.entries()) {
    const sent = requestText(request, conversation);
    expectEqual(
      `the conversation in request ${index + 1} of the run, as far as it went`,
      sent,
      said.slice(0, sent.length),
    );
    expectEqual('the instructions, which stay as they are', request.instructions, requests[0]?.instructions);
  }
}

/** Then the conversation has notes where the calls had results. */
function hasDropped(events: readonly RunEvent[]): boolean {
  return events.some(({ type }) => type === 'tool-results-dropped');
}
