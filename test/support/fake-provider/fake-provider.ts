import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readChat, streamChat, wholeChat } from './chat.ts';
import type { Fields } from './fields.ts';
import { readMessages, streamMessages, wholeMessage } from './messages.ts';
import { readResponses, streamResponse, wholeResponse } from './responses.ts';
import { nextTurn, type OfferedTool, type Progress, type ScriptStep, type Turn } from './script.ts';

/** One request to the model. */
export interface ProviderRequest {
  readonly path: string;
  readonly body: Fields;
  readonly tools: readonly string[];
}

/** A provider on 127.0.0.1 whose model follows a script. */
export interface FakeProvider extends AsyncDisposable {
  /** Without a path: `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The requests to the model so far. */
  readonly requests: readonly ProviderRequest[];
}

/** One interface of providers. */
interface Wire {
  readonly path: string;
  read(body: Fields): { readonly tools: readonly OfferedTool[]; readonly progress: Progress };
  stream(model: unknown, turn: Turn): readonly Fields[];
  whole(model: unknown, turn: Turn): Fields;
  /** What a stream ends with. Default: nothing. */
  readonly end?: string;
  /** Whether each event has its type as its name. */
  readonly namesEvents: boolean;
}

const wires: readonly Wire[] = [
  {
    path: '/v1/messages',
    read: readMessages,
    stream: streamMessages,
    whole: wholeMessage,
    namesEvents: true,
  },
  {
    path: '/v1/responses',
    read: readResponses,
    stream: streamResponse,
    whole: wholeResponse,
    namesEvents: true,
  },
  {
    path: '/v1/chat/completions',
    read: readChat,
    stream: streamChat,
    whole: wholeChat,
    end: 'data: [DONE]\n\n',
    namesEvents: false,
  },
];

/** Starts a provider that speaks the Messages, Responses and Chat interfaces. */
export async function startFakeProvider(steps: readonly ScriptStep[]): Promise<FakeProvider> {
  const requests: ProviderRequest[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname;
    const body: Fields = JSON.parse((await textOf(request)) || '{}');
    const wire = wires.find((each) => each.path === path);
    if (wire === undefined || request.method !== 'POST') {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end('{"error":{"type":"not_found_error","message":"There is nothing here."}}');
      return;
    }
    const { tools, progress } = wire.read(body);
    requests.push({ path, body, tools: tools.map(({ name }) => name) });
    const turn = nextTurn(steps, tools, progress);
    if (body['stream'] !== true) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(wire.whole(body['model'], turn)));
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const event of wire.stream(body['model'], turn)) {
      const name = wire.namesEvents ? `event: ${String(event['type'])}\n` : '';
      response.write(`${name}data: ${JSON.stringify(event)}\n\n`);
    }
    response.end(wire.end);
  }
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  // A server that listens on a port has an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
