import { PromptValidationError } from '../../../core/error/index.ts';
import type { HostedTool, ToolChoice } from '../../../core/tool/index.ts';

/**
 * The choice for a provider that cannot restrict the tools of a request: the run refuses calls of others. What the provider runs itself it cannot refuse.
 *
 * @param provider for the message.
 * @throws {PromptValidationError} for a hosted tool that is not allowed and would be called all the same.
 * @internal
 */
export function choiceAmongAll(
  choice: Extract<ToolChoice, { readonly allowed: readonly string[] }>,
  hostedTools: readonly HostedTool[],
  provider: string,
): 'auto' | 'required' {
  const other = hostedTools.find(({ name }) => !choice.allowed.includes(name));
  if (other !== undefined) {
    throw new PromptValidationError(
      `toolChoice does not allow the hosted tool "${other.name}", and ${provider} cannot keep the model from using it. Allow it, or take it out of the prompt.`,
      { details: { option: 'toolChoice', tool: other.name, kind: other.kind } },
    );
  }
  return choice.required === true ? 'required' : 'auto';
}
