/**
 * Takes the indentation that all lines with text share off every line, then blank space off both ends. Lines of blank
 * space only become empty and count for nothing; `\r\n` and a lone `\r` become `\n`. The first line counts like any other.
 */
export function dedent(text: string): string {
  const lines = text.split(/\r\n?|\n/);
  let margin: string | undefined;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const indentation = /^[ \t]*/.exec(line)?.[0] ?? '';
    margin = margin === undefined ? indentation : sharedPrefix(margin, indentation);
    if (margin === '') break;
  }
  const width = margin?.length ?? 0;
  return lines
    .map((line) => (line.trim() === '' ? '' : line.slice(width)))
    .join('\n')
    .trim();
}

function sharedPrefix(left: string, right: string): string {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length += 1;
  return left.slice(0, length);
}
