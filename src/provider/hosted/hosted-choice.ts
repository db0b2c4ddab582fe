import { PromptValidationError } from '../../error/index.ts';
import type { HostedTool } from '../../tool/index.ts';

/**
 * What a run ends with whose model shall be made to use a hosted tool that the provider has no choice for.
 *
 * @param provider for the message.
 * @internal
 */
export function refuseHostedChoice(
  { name, hostedKind }: HostedTool,
  provider: string,
): PromptValidationError {
  return new PromptValidationError(
    `The model cannot be made to use the hosted tool "${name}": ${provider} has no choice for the kind "${hostedKind}". Use toolChoice 'auto' or 'required', or ask for it in the instructions.`,
    { details: { option: 'toolChoice', tool: name, kind: hostedKind } },
  );
}
