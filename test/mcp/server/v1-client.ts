import { fileURLToPath, pathToFileURL } from 'node:url';

/** What the tests use of a client of `@modelcontextprotocol/sdk` 1.x, which is no dependency of the project. */
export interface V1Client {
  connect(transport: V1Transport): Promise<void>;
  close(): Promise<void>;
  getServerVersion(): { readonly name: string; readonly version: string } | undefined;
  getInstructions(): string | undefined;
  listTools(): Promise<{
    readonly tools: readonly { readonly name: string; readonly annotations?: object }[];
  }>;
  callTool(
    params: { readonly name: string; readonly arguments?: object },
    schema?: undefined,
    options?: {
      readonly signal?: AbortSignal;
      readonly onprogress?: (progress: { readonly message?: string }) => void;
    },
  ): Promise<{
    readonly content: readonly { readonly type: string; readonly text?: string }[];
    readonly isError?: boolean;
  }>;
  setRequestHandler(
    schema: unknown,
    handler: (request: { readonly params: { readonly message: string } }) => unknown,
  ): void;
  setNotificationHandler(schema: unknown, handler: () => void): void;
}

/** A transport of that client. */
export interface V1Transport {
  close(): Promise<void>;
  /** Of a child process. */
  readonly stderr?: NodeJS.ReadableStream | null;
  /** Of streamable HTTP. */
  readonly sessionId?: string;
  terminateSession?(): Promise<void>;
}

interface V1Sdk {
  readonly Client: new (
    info: { readonly name: string; readonly version: string },
    options?: { readonly capabilities?: object },
  ) => V1Client;
  readonly StdioClientTransport: new (options: {
    readonly command: string;
    readonly args: readonly string[];
    readonly stderr: 'pipe';
  }) => V1Transport;
  readonly StreamableHTTPClientTransport: new (
    url: URL,
    options?: { readonly requestInit?: RequestInit },
  ) => V1Transport;
  readonly ElicitRequestSchema: unknown;
  readonly ToolListChangedNotificationSchema: unknown;
}

const folder = fileURLToPath(
  new URL('../../peers/mcp/node_modules/@modelcontextprotocol/sdk/dist/esm/', import.meta.url),
);

/** The installed SDK of version 1. */
export async function loadV1Sdk(): Promise<V1Sdk> {
  const parts = ['client/index.js', 'client/stdio.js', 'client/streamableHttp.js', 'types.js'];
  const modules: readonly object[] = await Promise.all(
    parts.map((part) => import(/* @vite-ignore */ pathToFileURL(`${folder}${part}`).href)),
  );
  // The modules of that version export these.
  return Object.assign({}, ...modules) as V1Sdk;
}
