import { createServer } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { toEvents, toServerSentEvents } from '../../../test/support/openai-stream.ts';

/** What a provider is asked, as far as this row reads it. */
export interface ProviderRequest {
  readonly stream?: boolean;
  readonly tools?: readonly Readonly<Record<string, unknown>>[];
}

/** Providers on the loopback address: each asks for one call, then answers with what it has read. */
export interface Providers {
  readonly url: string;
  /** The requests of each provider, by the first part of their path. */
  readonly requests: ReadonlyMap<string, readonly ProviderRequest[]>;
  close(): void;
}

const input = { ship: 'Otter' };
const answerText = 'The Otter lies at berth 7.';

export async function startProviders(): Promise<Providers> {
  const requests = new Map<string, ProviderRequest[]>();
  const server = createServer((request, response) => {
    void readText(request).then((text) => {
      const [, provider = ''] = (request.url ?? '').split('/');
      const body = JSON.parse(text) as ProviderRequest;
      const earlier = requests.get(provider) ?? [];
      requests.set(provider, [...earlier, body]);
      const isStream = body.stream === true || request.url?.includes('streamGenerateContent') === true;
      const reply = replies[provider]?.(earlier.length === 0, isStream) ?? '{}';
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      response.end(reply);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Reply = (isFirst: boolean, isStream: boolean) => string;

const replies: Readonly<Record<string, Reply>> = {
  openai: (isFirst, isStream) => {
    const call = {
      type: 'function_call',
      id: 'fc1',
      call_id: 'c1',
      name: 'berth',
      arguments: JSON.stringify(input),
    };
    const message = {
      type: 'message',
      id: 'm1',
      role: 'assistant',
      content: [{ type: 'output_text', text: answerText, annotations: [] }],
    };
    const usage = { input_tokens: 10, output_tokens: 10, total_tokens: 20 };
    const response = {
      id: 'r1',
      object: 'response',
      created_at: 0,
      model: 'gpt-5',
      status: 'completed',
      output: [isFirst ? call : message],
      usage,
    };
    return isStream ? toServerSentEvents(toEvents(response)) : JSON.stringify(response);
  },
  anthropic: (isFirst, isStream) => {
    const block = isFirst
      ? { type: 'tool_use', id: 'c1', name: 'berth', input }
      : { type: 'text', text: answerText };
    const message = {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-5-5',
      content: [block],
      stop_reason: isFirst ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 10, output_tokens: 10 },
    };
    if (!isStream) return JSON.stringify(message);
    const { stop_reason, stop_sequence, usage } = message;
    const start = isFirst
      ? { type: 'tool_use', id: 'c1', name: 'berth', input: {} }
      : { type: 'text', text: '' };
    const delta = isFirst
      ? { type: 'input_json_delta', partial_json: JSON.stringify(input) }
      : { type: 'text_delta', text: answerText };
    return toServerSentEvents([
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: start },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage },
      { type: 'message_stop' },
    ]);
  },
  google: (isFirst, isStream) => {
    const part = isFirst ? { functionCall: { name: 'berth', args: input } } : { text: answerText };
    const body = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    };
    return isStream ? `data: ${JSON.stringify(body)}\n\n` : JSON.stringify(body);
  },
};
