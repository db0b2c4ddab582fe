import { describeError } from '../../error/index.ts';
import { renderJson } from '../../schema/index.ts';
import type { AnyTool, Logger, ToolResult } from '../../tool/index.ts';

/** What rendering needs besides the tool. */
export interface RenderingContext {
  readonly logger: Logger;
  /** Tools that were warned about already. */
  readonly warnedTools: Set<AnyTool>;
}

/**
 * The value of a result as text: what the tool's `render` makes of it, else JSON without nulls in a stable order; text
 * stays as it is, no value is empty text. A renderer that throws or returns no text is logged and JSON takes its place.
 *
 * @see spec TOOLS "Result Rendering Protocol"
 */
export function renderValue(
  tool: AnyTool | undefined,
  result: ToolResult<unknown>,
  context: RenderingContext,
): string {
  const { value } = result;
  if (value === undefined || value === null) return '';
  if (tool === undefined) return renderJson(value);
  if (result.success && tool.render !== undefined) {
    try {
      const text: unknown = tool.render(value);
      if (typeof text === 'string') return text;
      context.logger.warn('A renderer returned no text; the value is shown as JSON.', { tool: tool.name });
    } catch (error) {
      context.logger.warn('A renderer threw; the value is shown as JSON.', {
        tool: tool.name,
        error: describeError(error),
      });
    }
  } else if (result.success && typeof value === 'object' && !context.warnedTools.has(tool)) {
    context.warnedTools.add(tool);
    context.logger.warn('A tool has no renderer; its values are shown as JSON.', { tool: tool.name });
  }
  return typeof value === 'string' ? value : renderJson(value);
}

/**
 * What the model reads of a result: the message, a blank line, the rendered value; one of them alone when the other is
 * empty, the message alone when the value is excluded.
 */
export function toModelText(result: ToolResult<unknown>, rendered: string): string {
  const excluded = result.success && result.excludeValueFromContext;
  if (excluded || rendered === '') return result.message;
  return result.message === '' ? rendered : `${result.message}\n\n${rendered}`;
}
