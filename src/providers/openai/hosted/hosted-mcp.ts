import { present } from '../../../core/internal/index.ts';
import type { HostedMcpConfig, HostedMcpResult } from '../../../suite/hosted/index.ts';
import {
  describeRemoteFailure,
  type HostedToolCodec,
  objectsIn,
  parseJsonText,
  stringFields,
  type WireFields,
} from '../../kit/index.ts';
import { toOutput } from './calls.ts';

/** A remote server in the provider's format. */
export type HostedMcpWire = {
  type: 'mcp';
  server_label: string;
  server_url: string;
  authorization?: string;
  headers?: { [name: string]: string };
  allowed_tools?: string[];
  require_approval: 'always' | 'never';
};

/** The codec of `mcp`. Servers are distinguished by their labels. */
export const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config }) => ({ tools: [toHostedMcp(config)] }),
  parseOutput: (turn, { config: { label } }) => ({
    invocations: objectsIn(turn.items)
      .filter((item) => item['server_label'] === label && isInvocation(item))
      .map((item) => toResult(item, label)),
    citations: [],
  }),
};

export function toHostedMcp({
  label,
  url,
  authorization,
  headers,
  allowedTools,
  approval = 'always',
}: HostedMcpConfig): HostedMcpWire {
  return {
    type: 'mcp',
    server_label: label,
    server_url: url,
    ...present({
      authorization,
      headers: headers === undefined ? undefined : { ...headers },
      allowed_tools: allowedTools === undefined ? undefined : [...allowedTools],
    }),
    require_approval: approval,
  };
}

/** A request for the server's list of tools is reported only when it failed. */
function isInvocation({ type, error }: WireFields): boolean {
  return type === 'mcp_call' || (type === 'mcp_list_tools' && error !== undefined && error !== null);
}

/** A tool call, or the request for the server's tools, named `tools/list` as in the protocol. */
function toResult(item: WireFields, server: string): HostedMcpResult {
  const { type, name, arguments: text, output, error } = item;
  return {
    ...toOutput(item),
    server,
    name: type === 'mcp_list_tools' ? 'tools/list' : String(name),
    arguments: parseJsonText(text),
    ...stringFields({ output, error: describeRemoteFailure(error) }),
  };
}
