import { shorten, startOf } from '../../core/internal/index.ts';

/** Characters of a path, a name or a command that a digest keeps. */
const maxCharacters = 160;

/** Control, format and other invisible characters, and separators of lines. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\s]+/gu;

/** A text of the workspace on one line, without invisible characters and of bounded length. */
export function clean(text: string): string {
  // What is cut is not searched: a manifest may hold one very long text.
  return shorten(
    startOf(text, maxCharacters * 4)
      .replace(invisible, ' ')
      .trim(),
    maxCharacters,
  );
}
