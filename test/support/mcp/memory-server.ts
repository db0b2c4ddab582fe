import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import { InMemoryTransport, Server } from '@modelcontextprotocol/server';
import {
  openToolRuntime,
  promptTemplate,
  section,
  type ToolRuntime,
  type ToolRuntimeOptions,
} from 'weakincentives';
import type { McpSection, McpSectionOptions } from 'weakincentives/mcp';
import { withDefaults } from '../../../src/core/error/index.ts';
import type { ServerTransport } from '../../../src/harness/mcp/client/server-transport.ts';
import { mountSection } from '../../../src/harness/mcp/mount/mount.ts';
import { mountLimitChecks } from '../../../src/harness/mcp/mount/mount-options.ts';
import { loadClientSdk } from '../../../src/harness/mcp/wire/sdk.ts';

/** A tool of a {@link MemoryServer}. */
export interface MemoryTool extends Partial<Omit<Tool, 'name'>> {
  readonly call?: (
    params: Readonly<Record<string, unknown>>,
    context: ServerContext,
  ) => CallToolResult | Promise<CallToolResult>;
}

/** A server of the SDK in the same process, which can end and come back. */
export interface MemoryServer {
  /** What it offers; a test may change it. */
  tools: Record<string, MemoryTool>;
  /** The calls that arrived, in order. */
  readonly calls: readonly { readonly name: string; readonly params: unknown }[];
  /** How often a client has connected to it. */
  readonly starts: number;
  /** The next starts fail. */
  failingStarts: number;
  /** Whether clients may be told of changes. Default: true. */
  canNotify: boolean;
  /** What it does before it lists its tools. Default: nothing. */
  beforeList: () => Promise<void>;
  /** Says that the tools have changed, to a client that is connected; resolves when it has got it. */
  notify(): Promise<void>;
  /** Ends the present connection. */
  crash(): Promise<void>;
  openTransport(): ServerTransport;
}

export const textResult = (text: string): CallToolResult => ({ content: [{ type: 'text', text }] });

export function memoryServer(tools: Record<string, MemoryTool>): MemoryServer {
  const calls: { name: string; params: unknown }[] = [];
  let starts = 0;
  let live: Server | undefined;
  const server: MemoryServer = {
    tools,
    calls,
    get starts() {
      return starts;
    },
    failingStarts: 0,
    canNotify: true,
    beforeList: async () => undefined,
    notify: async () => {
      if (live?.transport !== undefined) await live.sendToolListChanged();
    },
    crash: async () => live?.close(),
    openTransport: () => {
      starts += 1;
      const [client, own] = InMemoryTransport.createLinkedPair();
      const isFailing = server.failingStarts > 0;
      if (isFailing) server.failingStarts -= 1;
      else live = connected(server, calls, own);
      return {
        transport: isFailing
          ? Object.assign(client, { start: () => Promise.reject(new Error('No.')) })
          : client,
        reason: () => (isFailing ? 'could not be started' : undefined),
        isUnauthorized: () => false,
        close: () => client.close(),
      };
    },
  };
  return server;
}

function connected(
  owner: MemoryServer,
  calls: { name: string; params: unknown }[],
  transport: InMemoryTransport,
): Server {
  const capabilities = { tools: { listChanged: owner.canNotify } };
  const server = new Server({ name: 'memory', version: '1.0.0' }, { capabilities });
  server.setRequestHandler('tools/list', async () => {
    await owner.beforeList();
    return {
      tools: Object.entries(owner.tools).map(([name, { call: _call, ...definition }]) => ({
        inputSchema: { type: 'object' as const },
        ...definition,
        name,
      })),
    };
  });
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    calls.push({ name: params.name, params: params.arguments });
    const { call = () => textResult('done') } = owner.tools[params.name] ?? {};
    return call(params.arguments ?? {}, context);
  });
  // It handles what comes before it is connected, too.
  void server.connect(transport);
  return server;
}

/** Options of a mounted server without what every test gives it. */
export type MountedOptions = Partial<Omit<McpSectionOptions, 'server'>>;

/** Mounts a server in memory. */
export async function mountMemory(server: MemoryServer, options: MountedOptions = {}): Promise<McpSection> {
  const sdk = await loadClientSdk();
  const limits = withDefaults(mountLimitChecks, options.limits);
  const given = { title: 'Remote', key: 'remote', server: { command: 'memory' }, ...options };
  return mountSection(sdk, given, limits, () => server.openTransport());
}

/** A loop of one's own on the tools of a section. */
export async function runtimeOf(
  mounted: McpSection,
  options: ToolRuntimeOptions = {},
): Promise<MountedRuntime> {
  const task = section({ title: 'Task', key: 'task', template: 'Use the tools.' });
  const prompt = promptTemplate({ ns: 'test', key: 'mounted', sections: [task, mounted] }).bind();
  const runtime = await openToolRuntime(prompt, options);
  let count = 0;
  return {
    runtime,
    call: async (name, params = {}) => {
      count += 1;
      const output = await runtime.call({ callId: `c${count}`, name, arguments: JSON.stringify(params) });
      return {
        text: output.text,
        isError: output.isError,
        attachments: output.attachments ?? [],
        invocation: output.invocation,
      };
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

/** A runtime whose calls are made by name. */
export interface MountedRuntime extends AsyncDisposable {
  readonly runtime: ToolRuntime<undefined>;
  call(
    name: string,
    params?: Readonly<Record<string, unknown>>,
  ): Promise<
    Pick<Awaited<ReturnType<ToolRuntime['call']>>, 'text' | 'isError' | 'invocation'> & {
      readonly attachments: readonly unknown[];
    }
  >;
}
