import { clip, wrap } from './plain-text.ts';

/** Characters that take two columns of a terminal. */
const wide =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303f\uff01-\uff60\uffe0-\uffe6]/gu;
/** Stands before a wide character while widths are counted. */
const filler = '\u0000';

/** {@link clip} by columns of a terminal, of which it may take one more. */
export function clipColumns(text: string, columns: number): string {
  return narrowed(clip(widened(text), columns));
}

/** {@link wrap} by columns of a terminal, of which a line may take one more. */
export function wrapColumns(text: string, columns: number): readonly string[] {
  return wrap(widened(text), columns).map(narrowed);
}

function widened(text: string): string {
  return text.replace(wide, `${filler}$&`);
}

function narrowed(text: string): string {
  return text.replaceAll(filler, '');
}
