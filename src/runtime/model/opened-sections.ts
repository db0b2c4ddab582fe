import { openSections, type SectionsOpenedValue, type ShownSection } from '../../prompt/index.ts';
import type { AnyTool, ToolResult } from '../../tool/index.ts';

/** The sections that a call showed by opening them; undefined for a call that opened none. */
export function sectionsShownBy(
  tool: AnyTool | undefined,
  { success, value }: ToolResult<unknown>,
): readonly ShownSection[] | undefined {
  // What its handler yields.
  return tool === openSections && success ? (value as SectionsOpenedValue).shown : undefined;
}
