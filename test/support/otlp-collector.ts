import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as a collector gets it. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
  /** 2 is an error. */
  readonly status: number | undefined;
}

/** A collector of OpenTelemetry on this machine, which takes JSON. */
export interface OtlpCollector extends AsyncDisposable {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  /** Names of the metrics that were sent. */
  readonly metrics: ReadonlySet<string>;
  /** Headers of the requests. */
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Resource {
  readonly resource: { readonly attributes: readonly Attribute[] };
}

/** The bodies of requests, as far as they are read here. */
interface Body {
  readonly resourceSpans?: readonly (Resource & {
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  })[];
  readonly resourceMetrics?: readonly (Resource & {
    readonly scopeMetrics: readonly { readonly metrics: readonly { readonly name: string }[] }[];
  })[];
}

interface SentSpan extends Omit<CollectedSpan, 'attributes' | 'resource' | 'status'> {
  readonly attributes: readonly Attribute[];
  readonly status: { readonly code?: number };
}

/** Opens a collector that answers each request with this status. */
export async function openOtlpCollector(status = 200): Promise<OtlpCollector> {
  const spans: CollectedSpan[] = [];
  const metrics = new Set<string>();
  const headers: NodeJS.Dict<string | string[]>[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      headers.push(request.headers);
      const body: Body = JSON.parse(Buffer.concat(parts).toString());
      for (const { resource, scopeSpans } of body.resourceSpans ?? []) {
        const shared = valuesOf(resource.attributes);
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          const attributes = valuesOf(span.attributes);
          spans.push({ ...span, attributes, resource: shared, status: span.status.code });
        }
      }
      for (const { scopeMetrics } of body.resourceMetrics ?? []) {
        for (const { name } of scopeMetrics.flatMap((scope) => scope.metrics)) metrics.add(name);
      }
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    metrics,
    headers,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function valuesOf(attributes: readonly Attribute[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
