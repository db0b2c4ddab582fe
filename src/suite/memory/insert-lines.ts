import { textWindow } from '../../core/filesystem/index.ts';
import { byteOrderMark } from '../../core/internal/index.ts';

/**
 * A text with whole lines put behind the line of this number, with the line end that is more frequent in it. A final newline of what is
 * inserted does not begin another line; whether the text ends with one stays as it is, unless the lines are put behind all others.
 *
 * @param line from 0, the start.
 * @returns how many lines there are when there is no line of this number.
 */
export function insertLines(
  text: string,
  line: number,
  given: string,
): string | { readonly totalLines: number } {
  if (text === '' && line === 0) return given;
  const { window } = textWindow('', text, { offset: Math.max(line, 0) });
  const { totalLines } = window;
  if (line < 0 || line > totalLines) return { totalLines };
  const ending = endingOf(text);
  const start = Math.max(text.length - window.text.length, text.startsWith(byteOrderMark) ? 1 : 0);
  const [before, after] = [text.slice(0, start), text.slice(start)];
  const isClosed = given.endsWith('\n');
  const lines = given.replace(/\r?\n$/u, '').replace(/\r?\n/gu, ending);
  if (after !== '' || before.endsWith('\n')) return `${before}${lines}${ending}${after}`;
  return `${before}${ending}${lines}${isClosed ? ending : ''}`;
}

function endingOf(text: string): '\n' | '\r\n' {
  const both = text.split('\r\n').length - 1;
  return both * 2 > text.split('\n').length - 1 ? '\r\n' : '\n';
}
