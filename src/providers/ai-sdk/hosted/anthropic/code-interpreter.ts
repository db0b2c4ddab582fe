import { isRecord, present } from '../../../../core/internal/index.ts';
import type { CodeInterpreterConfig, CodeInterpreterResult } from '../../../../suite/hosted/index.ts';
import {
  configuredPaths,
  type HostedToolCodec,
  objectsIn,
  stringFields,
  type WireFields,
} from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';

const name = 'code_execution';

/**
 * The codec of `code_interpreter`: shell commands, and files that the model views or writes, in a container without a network.
 */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { containerId, fileIds, memoryLimit, network } }) => ({
    tools: [providerTool('anthropic.code_execution_20250825', name)],
    ...present({
      request:
        containerId === undefined
          ? undefined
          : { providerOptions: { anthropic: { container: { id: containerId } } } },
    }),
    unsupported: configuredPaths({
      fileIds,
      memoryLimit,
      // The provider never allows network access.
      network: network === 'disabled' ? undefined : network,
    }),
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: [],
  }),
};

function toResult(run: HostedInvocation): CodeInterpreterResult {
  const fields = isRecord(run.result) ? run.result : {};
  const { stdout, stderr, return_code: exitCode, content } = fields;
  return {
    ...toOutput(run),
    ...stringFields({
      code: codeOf(run.input),
      // The content of a file that the model viewed.
      stdout: stdout ?? (typeof content === 'string' ? content : undefined),
      stderr,
    }),
    ...present({ exitCode: typeof exitCode === 'number' ? exitCode : undefined }),
    files: objectsIn(content).flatMap(({ file_id: fileId }) =>
      typeof fileId === 'string' ? [{ fileId }] : [],
    ),
  };
}

/** A shell command, a program, or an operation on a file. */
function codeOf({ type, code, command, path }: WireFields): unknown {
  return type === 'text_editor_code_execution' ? `${String(command)} ${String(path)}` : (code ?? command);
}
