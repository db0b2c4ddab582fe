import { assertArgument, describeError, PromptValidationError } from '../../error/index.ts';
import type { ToolCallPart } from '../../runtime/index.ts';
import type { ToolRuntimeCall } from './tool-runtime-types.ts';

/**
 * A call of a loop outside of the library, as a part of what a model said.
 *
 * @throws {PromptValidationError} for a call that is not an object, and arguments that are not JSON.
 */
export function toCallPart(call: ToolRuntimeCall): ToolCallPart {
  assertArgument('A call', 'it', call, 'object');
  const { callId, name, arguments: given, isComplete } = call;
  const part = { type: 'tool-call', callId, name, arguments: toText(given) } as const;
  return isComplete === undefined ? part : { ...part, isComplete };
}

function toText(given: ToolRuntimeCall['arguments']): string {
  if (typeof given === 'string') return given;
  try {
    return JSON.stringify(given);
  } catch (cause) {
    throw new PromptValidationError(`The arguments of a call are not JSON: ${describeError(cause)}`, {
      cause,
    });
  }
}
