import { present } from '../../../../core/internal/index.ts';
import type { HostedMcpConfig, HostedMcpResult } from '../../../../suite/hosted/index.ts';
import { configuredPaths, type HostedToolCodec, objectsIn } from '../../../kit/index.ts';
import { providerMetadataOf } from '../../wire/provider-metadata.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';

/**
 * The codec of `mcp`. Servers are options of the request rather than tools, and are distinguished by their labels. The provider
 * never requests approval, so `approval` must be `'never'`.
 */
export const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => ({
    tools: [],
    request: {
      providerOptions: {
        anthropic: {
          mcpServers: [
            {
              type: 'url',
              name: label,
              url,
              ...present({
                authorizationToken: authorization,
                toolConfiguration: allowedTools === undefined ? undefined : { enabled: true, allowedTools },
              }),
            },
          ],
        },
      },
    },
    unsupported: configuredPaths({ approval: approval === 'never' ? undefined : approval, headers }),
  }),
  parseOutput: (turn, { config: { label } }) => ({
    invocations: invocationsOf(turn, () => true)
      .filter(({ parts }) => parts.some((part) => providerMetadataOf(part)['serverName'] === label))
      .map((run) => toResult(run, label)),
    citations: [],
  }),
};

function toResult(run: HostedInvocation, server: string): HostedMcpResult {
  const text = typeof run.result === 'string' ? run.result : textsOf(run.result);
  return {
    ...toOutput(run),
    server,
    name: run.toolName,
    // The package parsed it from JSON.
    arguments: run.input as HostedMcpResult['arguments'],
    ...present({
      error: run.isDone && run.isError ? text : undefined,
      output: run.isDone && !run.isError ? text : undefined,
    }),
  };
}

function textsOf(content: unknown): string {
  return objectsIn(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}
