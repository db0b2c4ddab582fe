import { type Fields, type HostedToolCodec, isFields, objectsIn, onlyTexts } from '../../adapter/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { RemoteMcpConfig, RemoteMcpResult } from '../../suite/index.ts';
import { toOutput } from './calls.ts';

/** A remote server in the provider's words. */
export type RemoteMcpWire = {
  type: 'mcp';
  server_label: string;
  server_url: string;
  authorization?: string;
  headers?: { [name: string]: string };
  allowed_tools?: string[];
  require_approval: 'always' | 'never';
};

/** Speaks for `mcp`. Several servers are told apart by their labels. */
export const remoteMcpCodec: HostedToolCodec<RemoteMcpConfig, RemoteMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config }) => ({ tools: [toRemoteMcp(config)] }),
  parseOutput: (turn, { config: { label } }) => ({
    invocations: objectsIn(turn.items)
      .filter((item) => item['server_label'] === label && isInvocation(item))
      .map((item) => toResult(item, label)),
    citations: [],
  }),
};

export function toRemoteMcp({
  label,
  url,
  authorization,
  headers,
  allowedTools,
  approval = 'always',
}: RemoteMcpConfig): RemoteMcpWire {
  return {
    type: 'mcp',
    server_label: label,
    server_url: url,
    ...(authorization === undefined ? {} : { authorization }),
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(allowedTools === undefined ? {} : { allowed_tools: [...allowedTools] }),
    require_approval: approval,
  };
}

/** That the server was asked for its tools is worth telling only when it failed. */
function isInvocation({ type, error }: Fields): boolean {
  return type === 'mcp_call' || (type === 'mcp_list_tools' && error !== undefined && error !== null);
}

/** A call of a tool, or the question for the tools of the server, which goes by the name that the protocol has for it. */
function toResult(item: Fields, server: string): RemoteMcpResult {
  const { type, name, arguments: text, output, error } = item;
  return {
    ...toOutput(item),
    server,
    name: type === 'mcp_list_tools' ? 'tools/list' : String(name),
    arguments: parsed(text),
    ...onlyTexts({ output, error: describeFailure(error) }),
  };
}

function parsed(text: unknown): JsonValue {
  if (typeof text !== 'string' || text === '') return {};
  try {
    // What JSON.parse makes is a JSON value.
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** A text, an error with a message, or what a tool of the protocol gives back when it fails. */
function describeFailure(error: unknown): string | undefined {
  if (!isFields(error)) return typeof error === 'string' ? error : undefined;
  const { message, content, type } = error;
  if (typeof message === 'string') return message;
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length > 0) return texts.join('\n');
  return typeof type === 'string' ? type : undefined;
}
