import { Readable, Writable } from 'node:stream';
import {
  agent,
  type McpServer,
  ndJsonStream,
  type PromptRequest,
  RequestError,
} from '@agentclientprotocol/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { AgentScript } from '../acp/agent-script.ts';

/** An agent that speaks the Agent Client Protocol, and whose model is the script in its environment. */
const script: AgentScript = JSON.parse(process.env['SCRIPT'] ?? '{}');
const clients = new Map<string, Client>();
let serverName = '';
let prompts = 0;
let lastText = '';
let cancel: () => void = () => undefined;

async function connect(server: McpServer): Promise<void> {
  const client = new Client({ name: 'agent', version: '1.0.0' });
  if ('type' in server) {
    const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
    await client.connect(
      new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers } }),
    );
  } else {
    const env = Object.fromEntries(server.env.map(({ name, value }) => [name, value]));
    const { args, command } = server;
    await client.connect(new StdioClientTransport({ command, args, env }));
  }
  serverName = server.name;
  clients.set(server.name, client);
}

const textOf = (prompt: PromptRequest['prompt']): string =>
  prompt.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('|');

const app = agent({ name: 'scripted' })
  .onRequest('initialize', () => ({
    protocolVersion: script.protocolVersion ?? 1,
    agentCapabilities: {
      mcpCapabilities: { http: script.http === true },
      promptCapabilities: { image: script.takesImages === true },
    },
  }))
  .onRequest('session/new', async ({ params }) => {
    if (script.needsLogin === true) throw RequestError.authRequired();
    if (script.startsNever === true) await new Promise(() => undefined);
    for (const server of params.mcpServers) await connect(server);
    return { sessionId: 'session-1' };
  })
  .onNotification('session/cancel', () => cancel())
  .onRequest('session/prompt', async ({ client, params }) => {
    const { sessionId } = params;
    const say = (text: string): Promise<void> =>
      client.notify('session/update', {
        sessionId,
        update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } },
      });
    const mayCall = async (
      call: { readonly title: string; readonly kind: 'other' | 'execute' } | undefined,
    ): Promise<boolean> => {
      const { outcome } = await client.request('session/request_permission', {
        sessionId,
        toolCall: { toolCallId: 'call', ...(call === undefined ? {} : { ...call, rawInput: {} }) },
        options: [
          { optionId: 'always', name: 'Always', kind: 'allow_always' },
          { optionId: 'once', name: 'Once', kind: 'allow_once' },
          { optionId: 'no', name: 'No', kind: 'reject_once' },
        ],
      });
      return outcome.outcome === 'selected' && outcome.optionId === 'once';
    };
    const cancelled = new Promise<'cancelled'>((resolve) => {
      cancel = () => (script.ignoresCancel === true ? undefined : resolve('cancelled'));
    });
    const steps = script.prompts[prompts] ?? [];
    prompts += 1;
    const perform = async (): Promise<'end_turn' | 'refusal'> => {
      for (const step of steps) {
        switch (step.kind) {
          case 'say':
            await say(step.text);
            break;
          case 'say-last':
            await say(lastText);
            break;
          case 'say-prompt':
            await say(textOf(params.prompt));
            break;
          case 'say-environment':
            await say(JSON.stringify({ names: Object.keys(process.env).sort(), folder: process.cwd() }));
            break;
          case 'think':
            await client.notify('session/update', {
              sessionId,
              update: { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: step.text } },
            });
            break;
          case 'cost':
            await client.notify('session/update', {
              sessionId,
              update: {
                sessionUpdate: 'usage_update',
                used: 1,
                size: 2,
                cost: { amount: step.amount, currency: 'USD' },
              },
            });
            break;
          case 'own': {
            const call = { title: step.title.replaceAll('SERVER', serverName), kind: 'execute' } as const;
            lastText = (await mayCall(call)) ? 'allowed' : 'rejected';
            break;
          }
          case 'announce': {
            const title = step.title.replaceAll('SERVER', serverName);
            const update = {
              sessionUpdate: 'tool_call',
              toolCallId: 'call',
              title,
              kind: 'execute',
              rawInput:
                step.tool === undefined
                  ? { command: 'wget example.org' }
                  : { server: serverName, tool: step.tool, arguments: {} },
            } as const;
            await client.notify('session/update', { sessionId, update });
            break;
          }
          case 'end-call': {
            const update = {
              sessionUpdate: 'tool_call_update',
              toolCallId: 'call',
              status: 'completed',
            } as const;
            await client.notify('session/update', { sessionId, update });
            break;
          }
          case 'ask-by-id':
            lastText = (await mayCall(undefined)) ? 'allowed' : 'rejected';
            break;
          case 'list': {
            const { tools = [] } = (await clients.get(serverName)?.listTools()) ?? {};
            lastText = tools.map(({ name }) => name).join(' ');
            break;
          }
          case 'call': {
            const results = await Promise.all(
              step.calls.map(async ({ args = {}, name }) => {
                const title = `${serverName}_${name}`;
                if (!(await mayCall({ title, kind: 'other' }))) return 'rejected';
                await client.notify('session/update', {
                  sessionId,
                  update: { sessionUpdate: 'tool_call', toolCallId: title, title, kind: 'other' },
                });
                const result = await clients.get(serverName)?.callTool({ name, arguments: args });
                const [block] = result?.content ?? [];
                return `${result?.isError === true ? 'failed: ' : ''}${block?.type === 'text' ? block.text : ''}`;
              }),
            );
            lastText = results.join('\n');
            break;
          }
          case 'exit':
            process.stderr.write('the agent has a problem\n');
            process.exit(step.code);
            break;
          case 'refuse':
            return 'refusal';
        }
      }
      return 'end_turn';
    };
    return { stopReason: await Promise.race([perform(), cancelled]) };
  });

const connection = app.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as never),
);
void connection.closed.then(() => process.exit(0));
