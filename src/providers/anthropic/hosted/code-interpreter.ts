import { isRecord, present } from '../../../core/internal/index.ts';
import type {
  CodeInterpreterConfig,
  CodeInterpreterFile,
  CodeInterpreterResult,
} from '../../../suite/hosted/index.ts';
import {
  configuredPaths,
  type HostedToolCodec,
  objectsIn,
  stringFields,
  stringsIn,
  type WireFields,
} from '../../kit/index.ts';
import { outcomeOf, type ServerCall, type ServerCallShape, serverCallsOf } from './server-calls.ts';

/** The requested tool and the tools that the model gets for it. */
const names: readonly unknown[] = ['code_execution', 'bash_code_execution', 'text_editor_code_execution'];

/** The code execution tool in the provider's format. */
export type CodeExecutionWire = { type: 'code_execution_20260521'; name: 'code_execution' };

const shape: ServerCallShape = {
  use: 'server_tool_use',
  isAbout: ({ name }) => names.includes(name),
  results: names.map((name) => `${String(name)}_tool_result`),
};

/** The kind `code_interpreter`. The provider's container has no network access, and one size. */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { containerId, fileIds, memoryLimit, network } }) => ({
    tools: [{ type: 'code_execution_20260521', name: 'code_execution' } satisfies CodeExecutionWire],
    ...present({ request: containerId === undefined ? undefined : { container: containerId } }),
    unsupported: configuredPaths({
      fileIds,
      memoryLimit,
      // The provider never allows network access.
      network: network === 'disabled' ? undefined : network,
    }),
  }),
  parseOutput: (turn) => {
    const end = objectsIn(turn.items).find(({ type }) => type === 'message_end');
    const container = isRecord(end?.['container']) ? end['container'] : {};
    const containerId = stringFields({ containerId: container['id'] });
    return {
      invocations: serverCallsOf(turn, shape).map((call) => ({ ...toResult(call), ...containerId })),
      citations: [],
    };
  },
};

function toResult(call: ServerCall): CodeInterpreterResult {
  const content = call.result?.['content'];
  const result = isRecord(content) ? content : {};
  const { stdout, stderr, return_code: exitCode } = result;
  return {
    ...outcomeOf(call),
    ...stringFields({ code: codeOf(call), stdout: stdout ?? shownOf(result), stderr }),
    ...present({ exitCode: typeof exitCode === 'number' ? exitCode : undefined }),
    files: objectsIn(result['content']).flatMap(({ file_id: fileId }): readonly CodeInterpreterFile[] =>
      typeof fileId === 'string' ? [{ fileId }] : [],
    ),
  };
}

/** The command or the program; for the editor, its command and the path. */
function codeOf({ name, input }: ServerCall): unknown {
  const { code, command, path } = input;
  if (name !== 'text_editor_code_execution') return code ?? command;
  return stringsIn([command, path]).join(' ');
}

/** The content of a file from the editor. */
function shownOf({ type, content, lines }: WireFields): unknown {
  if (typeof type !== 'string' || !type.startsWith('text_editor_')) return undefined;
  return content ?? (Array.isArray(lines) ? stringsIn(lines).join('\n') : undefined);
}
