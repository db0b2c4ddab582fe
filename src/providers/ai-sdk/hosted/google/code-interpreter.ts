import { isRecord } from '../../../../core/internal/index.ts';
import type { CodeInterpreterConfig, CodeInterpreterResult } from '../../../../suite/hosted/index.ts';
import { configuredPaths, type HostedToolCodec, stringFields } from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf } from '../runs.ts';

/** The package accepts earlier calls only under this name. */
const name = 'code_execution';

/** The codec of `code_interpreter`. The provider accepts no options, merges stdout and stderr and reports no exit code. */
export const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { network, ...rest } }) => ({
    tools: [providerTool('google.code_execution', name)],
    // The code never has network access.
    unsupported: configuredPaths({ ...rest, network: network === 'disabled' ? undefined : network }),
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: [],
  }),
};

function toResult({ input, result, isDone }: HostedInvocation): CodeInterpreterResult {
  const { outcome, output } = isRecord(result) ? result : {};
  const failed = isDone && outcome !== 'OUTCOME_OK';
  return {
    status: failed ? 'failed' : isDone ? 'completed' : 'incomplete',
    ...(failed ? stringFields({ errorCode: outcome }) : {}),
    ...stringFields({ code: input['code'], stdout: output }),
    files: [],
  };
}
