import { isRecord, present } from '../../../../core/internal/index.ts';
import type { HostedMcpConfig, HostedMcpResult } from '../../../../suite/hosted/index.ts';
import {
  describeRemoteFailure,
  type HostedToolCodec,
  parseJsonText,
  stringFields,
  type WireFields,
} from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';

/** The codec of `mcp`. Servers are distinguished by their labels. The package requests no approval by default. */
export const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => ({
    tools: [
      providerTool('openai.mcp', `mcp:${label}`, {
        serverLabel: label,
        serverUrl: url,
        authorization,
        headers,
        allowedTools,
        requireApproval: approval,
      }),
    ],
  }),
  parseOutput: (turn, { config: { label } }) => ({
    invocations: invocationsOf(turn, (toolName) => toolName.startsWith('mcp.')).flatMap((run) => {
      const fields = isRecord(run.result) ? run.result : {};
      return fields['serverLabel'] === label ? [toResult(run, fields, label)] : [];
    }),
    citations: [],
  }),
};

function toResult(run: HostedInvocation, fields: WireFields, server: string): HostedMcpResult {
  const { name, arguments: text, output } = fields;
  const error = describeRemoteFailure(fields['error']);
  const own = toOutput(run);
  return {
    ...own,
    ...present({ status: error === undefined ? undefined : ('failed' as const), error }),
    server,
    name: typeof name === 'string' ? name : run.toolName.replace(/^mcp\./, ''),
    arguments: parseJsonText(text),
    ...stringFields({ output }),
  };
}
