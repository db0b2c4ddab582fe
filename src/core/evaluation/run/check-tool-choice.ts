import { PromptValidationError } from '../../error/index.ts';
import { quotedList } from '../../internal/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import type { VisiblePrompt } from '../../runtime/index.ts';
import type { ToolChoice } from '../../tool/index.ts';

/** The names of the tools that a choice allows; undefined: all are. */
export function allowedTools(choice: ToolChoice): ReadonlySet<string> | undefined {
  return typeof choice === 'string' || !('allowed' in choice) ? undefined : new Set(choice.allowed);
}

/** @throws {PromptValidationError} for a tool that is allowed and that the model does not get, with what it could be. */
export function checkToolChoice(
  choice: ToolChoice,
  display: Pick<VisiblePrompt, 'offered' | 'rendered' | 'tools'>,
  { name: promptName, '~toolNames': toolNames }: Pick<Prompt, 'name' | '~toolNames'>,
): void {
  const { hostedTools } = display.rendered;
  for (const tool of allowedTools(choice) ?? []) {
    if (display.offered(tool) !== undefined || hostedTools.some(({ name }) => name === tool)) continue;
    const names = [...display.tools, ...hostedTools].map(({ name }) => name);
    throw new PromptValidationError(
      toolNames.has(tool)
        ? `toolChoice: "${tool}" cannot be allowed, because its section is not open: the model does not get the tool in its first turn. Show the section in full, or leave the name out.`
        : `toolChoice: "${tool}" cannot be allowed, because the prompt "${promptName}" has no such tool. Its tools are ${quotedList(names) || 'none'}.`,
      { details: { option: 'toolChoice', tool } },
    );
  }
}
