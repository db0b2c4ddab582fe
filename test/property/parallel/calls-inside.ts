import type { Prompt, ToolContext } from 'weakincentives';

/** Evaluates a prompt inside a call. @returns what the model read of the calls that it made there. */
export async function callsInside(
  { adapter }: ToolContext,
  prompt: Prompt,
  input: string,
): Promise<readonly string[]> {
  const { conversation } = await adapter.evaluate(prompt, { input });
  return conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
}
