import { present } from '../../../core/internal/index.ts';
import type { CodeInterpreterConfig, CodeInterpreterResult } from '../../../suite/hosted/index.ts';
import {
  citedContainerFile,
  configuredPaths,
  type HostedToolCodec,
  readCodeOutputs,
  stringFields,
  type WireFields,
} from '../../kit/index.ts';
import { citationsOf, itemsOf, toOutput } from './calls.ts';

/** A code interpreter in the provider's format. */
export type CodeInterpreterWire = {
  type: 'code_interpreter';
  container:
    | string
    | {
        type: 'auto';
        file_ids?: string[];
        memory_limit?: '1g' | '4g' | '16g' | '64g';
        network_policy?: { type: 'disabled' } | { type: 'allowlist'; allowed_domains: string[] };
      };
};

/** The codec of `code_interpreter`. The provider merges stdout and stderr and reports no exit code. */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config }) => {
    const { containerId, fileIds, memoryLimit, network } = config;
    return {
      tools: [toCodeInterpreter(config)],
      include: ['code_interpreter_call.outputs'],
      // An existing container has fixed files, memory and network.
      unsupported: containerId === undefined ? [] : configuredPaths({ fileIds, memoryLimit, network }),
    };
  },
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'code_interpreter_call').map(toResult),
    citations: citationsOf(turn, citedContainerFile),
  }),
};

export function toCodeInterpreter({
  containerId,
  fileIds,
  memoryLimit,
  network,
}: CodeInterpreterConfig): CodeInterpreterWire {
  if (containerId !== undefined) return { type: 'code_interpreter', container: containerId };
  return {
    type: 'code_interpreter',
    container: {
      type: 'auto',
      ...present({
        file_ids: fileIds === undefined ? undefined : [...fileIds],
        memory_limit: memoryLimit,
        network_policy: network === undefined ? undefined : toNetworkPolicy(network),
      }),
    },
  };
}

function toNetworkPolicy(
  network: NonNullable<CodeInterpreterConfig['network']>,
): { type: 'disabled' } | { type: 'allowlist'; allowed_domains: string[] } {
  return network === 'disabled'
    ? { type: 'disabled' }
    : { type: 'allowlist', allowed_domains: [...network.allowedDomains] };
}

function toResult(item: WireFields): CodeInterpreterResult {
  const { code, container_id: containerId } = item;
  return { ...toOutput(item), ...stringFields({ code, containerId }), ...readCodeOutputs(item['outputs']) };
}
