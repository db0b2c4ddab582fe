import { isRecord } from '../../../internal/index.ts';
import {
  configuredPaths,
  type Fields,
  type HostedToolCodec,
  objectsIn,
  stringFields,
} from '../../../provider/internal.ts';
import type { CodeInterpreterConfig, CodeInterpreterResult } from '../../../suite/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedRun, runsOf, toOutput } from '../runs.ts';

const name = 'code_execution';

/**
 * Speaks for `code_interpreter`: shell commands, and files that the model looks at or writes, in a container without a network.
 */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { containerId, fileIds, memoryLimit, network } }) => ({
    tools: [providerTool('anthropic.code_execution_20250825', name)],
    ...(containerId === undefined
      ? {}
      : { request: { providerOptions: { anthropic: { container: { id: containerId } } } } }),
    unsupported: configuredPaths({
      fileIds,
      memoryLimit,
      // There is none to be had.
      network: network === 'disabled' ? undefined : network,
    }),
  }),
  parseOutput: (turn) => ({
    invocations: runsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: [],
  }),
};

function toResult(run: HostedRun): CodeInterpreterResult {
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
    ...(typeof exitCode === 'number' ? { exitCode } : {}),
    files: objectsIn(content).flatMap(({ file_id: fileId }) =>
      typeof fileId === 'string' ? [{ fileId }] : [],
    ),
  };
}

/** A command of the shell, a program, or what is done to a file. */
function codeOf({ type, code, command, path }: Fields): unknown {
  return type === 'text_editor_code_execution' ? `${String(command)} ${String(path)}` : (code ?? command);
}
