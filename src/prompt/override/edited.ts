import { hashOfExamples, hashOfText } from './content-hash.ts';
import type { SectionOverride, TextOverride, ToolOverride } from './prompt-overrides.ts';

/** False for a text that is still the one it was seeded with: leaving it out changes nothing, whatever the code says. */
export function isEditedText(override: TextOverride | undefined): override is TextOverride {
  return override !== undefined && hashOfText(override.text) !== override.hash;
}

/** As for texts. */
export function areEditedExamples(
  override: ToolOverride['examples'],
): override is NonNullable<ToolOverride['examples']> {
  return override !== undefined && hashOfExamples(override.examples) !== override.hash;
}

/** Whether somebody has written anything of it. */
export function isEditedSection({ body, summary, visibility }: SectionOverride): boolean {
  return visibility !== undefined || isEditedText(body) || isEditedText(summary);
}

/** Whether somebody has written anything of it. */
export function isEditedTool({ description, params = {}, examples }: ToolOverride): boolean {
  return isEditedText(description) || Object.values(params).some(isEditedText) || areEditedExamples(examples);
}
