import { type OptionRule, rule } from '../../error/index.ts';
import { isRecord, isText } from '../../internal/index.ts';
import type { ToolChoice } from '../../tool/index.ts';

/** What the option `toolChoice` must be. Whether its tools exist is known when the prompt is rendered. */
export const toolChoiceCheck: OptionRule<ToolChoice> = rule(
  isToolChoice,
  "'auto', 'none', 'required', { tool: name }, or { allowed: [name, …], required? } with at least one name",
);

const words: readonly unknown[] = ['auto', 'none', 'required'] satisfies readonly ToolChoice[];

function isToolChoice(value: unknown): boolean {
  if (!isRecord(value)) return words.includes(value);
  const given = Object.keys(value).filter((name) => value[name] !== undefined);
  const { tool, allowed, required } = value;
  if (tool !== undefined) return given.length === 1 && isText(tool);
  return (
    given.every((name) => name === 'allowed' || name === 'required') &&
    Array.isArray(allowed) &&
    allowed.length > 0 &&
    allowed.every(isText) &&
    (required === undefined || typeof required === 'boolean')
  );
}
