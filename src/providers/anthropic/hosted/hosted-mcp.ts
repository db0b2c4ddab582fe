import { present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { HostedMcpConfig, HostedMcpResult } from '../../../suite/hosted/index.ts';
import { configuredPaths, type HostedToolCodec, objectsIn, type WireFields } from '../../kit/index.ts';
import { outcomeOf, type ServerCall, serverCallsOf } from './server-calls.ts';

/** The tools of a remote server in the provider's format. */
export type McpToolsetWire = {
  type: 'mcp_toolset';
  mcp_server_name: string;
  default_config?: { enabled: boolean };
  configs?: { [name: string]: { enabled: boolean } };
};

/** A remote server in the provider's format. */
export type McpServerWire = { type: 'url'; url: string; name: string; authorization_token?: string };

/** The beta feature for toolsets; without it the provider rejects a request with servers. */
export const mcpBeta = 'mcp-client-2025-11-20';

/** The codec of `mcp`. The provider never requests approval, so a server with approvals is an error. */
export const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => ({
    tools: [
      { type: 'mcp_toolset', mcp_server_name: label, ...toConfigs(allowedTools) } satisfies McpToolsetWire,
    ],
    request: {
      mcp_servers: [
        {
          type: 'url',
          url,
          name: label,
          ...present({ authorization_token: authorization }),
        } satisfies McpServerWire,
      ],
    },
    headers: { 'anthropic-beta': mcpBeta },
    unsupported: configuredPaths({ approval: approval === 'never' ? undefined : approval, headers }),
  }),
  parseOutput: (turn, { config: { label } }) => ({
    invocations: serverCallsOf(turn, {
      use: 'mcp_tool_use',
      isAbout: ({ server_name: server }) => server === label,
      // A result alone does not identify its server.
      results: [],
    }).map((call) => toResult(call, label)),
    citations: [],
  }),
};

function toConfigs(
  allowed: readonly string[] | undefined,
): Pick<McpToolsetWire, 'default_config' | 'configs'> {
  if (allowed === undefined) return {};
  return {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowed.map((name) => [name, { enabled: true }])),
  };
}

function toResult(call: ServerCall, server: string): HostedMcpResult {
  const outcome = outcomeOf(call);
  const text = textOf(call.result);
  const hasFailed = outcome.status === 'failed';
  return {
    ...outcome,
    server,
    name: call.name ?? '',
    // It was parsed from JSON.
    arguments: call.input as JsonObject,
    ...present({ error: hasFailed ? text : undefined, output: hasFailed ? undefined : text }),
  };
}

function textOf(result: WireFields | undefined): string | undefined {
  const content = result?.['content'];
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  return objectsIn(content)
    .map(({ text }) => text)
    .filter((text) => typeof text === 'string')
    .join('\n');
}
