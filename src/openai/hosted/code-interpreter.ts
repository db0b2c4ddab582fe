import { type Fields, type HostedToolCodec, objectsIn, onlyTexts } from '../../provider/index.ts';
import type { CodeInterpreterConfig, CodeInterpreterResult } from '../../suite/index.ts';
import { itemsOf, toOutput } from './calls.ts';
import { citationsOf } from './citations.ts';

/** A code interpreter in the provider's words. */
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

/** Speaks for `code_interpreter`. The provider merges both streams, and tells no exit code. */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config }) => ({
    tools: [toCodeInterpreter(config)],
    include: ['code_interpreter_call.outputs'],
    unsupported: unsupportedIn(config),
  }),
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'code_interpreter_call').map(toResult),
    citations: citationsOf(turn, ({ type, file_id: fileId, filename }) =>
      (type === 'container_file_citation' || type === 'file_path') && typeof fileId === 'string'
        ? { type: 'file', fileId, ...onlyTexts({ filename }) }
        : undefined,
    ),
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
      ...(fileIds === undefined ? {} : { file_ids: [...fileIds] }),
      ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
      ...(network === undefined ? {} : { network_policy: toNetworkPolicy(network) }),
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

/** A container that exists has its files, memory and network already. */
function unsupportedIn({ containerId, ...made }: CodeInterpreterConfig): readonly string[] {
  const { fileIds, memoryLimit, network } = made;
  return containerId === undefined
    ? []
    : Object.entries({ fileIds, memoryLimit, network }).flatMap(([key, value]) =>
        value === undefined ? [] : [key],
      );
}

function toResult(item: Fields): CodeInterpreterResult {
  const { code, container_id: containerId } = item;
  const outputs = objectsIn(item['outputs']);
  const logs = outputs.flatMap(({ logs: text }) => (typeof text === 'string' ? [text] : []));
  return {
    ...toOutput(item),
    ...onlyTexts({ code, containerId }),
    ...(logs.length === 0 ? {} : { stdout: logs.join('') }),
    files: outputs.flatMap(({ type, url }) => (type === 'image' && typeof url === 'string' ? [{ url }] : [])),
  };
}
