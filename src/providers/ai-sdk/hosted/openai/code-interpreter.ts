import { isRecord, present } from '../../../../core/internal/index.ts';
import type { JsonValue } from '../../../../core/schema/index.ts';
import type { CodeInterpreterConfig, CodeInterpreterResult } from '../../../../suite/hosted/index.ts';
import {
  citedContainerFile,
  configuredPaths,
  type HostedToolCodec,
  readCodeOutputs,
  stringFields,
} from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';
import { annotationsOf } from './annotations.ts';

const name = 'code_interpreter';

/** The codec of `code_interpreter`. The provider merges stdout and stderr and reports no exit code. */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config }) => {
    const { containerId, fileIds, memoryLimit, network } = config;
    return {
      tools: [providerTool('openai.code_interpreter', name, { container: toContainer(config) })],
      // An existing container has fixed files, memory and network.
      unsupported: containerId === undefined ? [] : configuredPaths({ fileIds, memoryLimit, network }),
    };
  },
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: annotationsOf(turn, citedContainerFile),
  }),
};

function toContainer({ containerId, fileIds, memoryLimit, network }: CodeInterpreterConfig): JsonValue {
  if (containerId !== undefined) return containerId;
  return {
    ...present({
      fileIds,
      memoryLimit,
      networkPolicy:
        network === undefined
          ? undefined
          : network === 'disabled'
            ? { type: 'disabled' }
            : { type: 'allowlist', allowedDomains: network.allowedDomains },
    }),
  };
}

function toResult(run: HostedInvocation): CodeInterpreterResult {
  const { code, containerId } = run.input;
  const { outputs } = isRecord(run.result) ? run.result : {};
  return { ...toOutput(run), ...stringFields({ code, containerId }), ...readCodeOutputs(outputs) };
}

/**
 * The same for the package of AI SDK 6, which does not send the limits of containers to the provider and does not report
 * that.
 */
export const codeInterpreterCodecV3: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  ...codeInterpreterCodec,
  serialize: (tool, model) => {
    const { memoryLimit, network } = tool.config;
    const { unsupported = [], ...wire } = codeInterpreterCodec.serialize(tool, model);
    return {
      ...wire,
      unsupported: [...new Set([...unsupported, ...configuredPaths({ memoryLimit, network })])],
    };
  },
};
