const fenceStart = /^ {0,3}(?:(`{3,})[^`]*|(~{3,}).*)$/u;
const fenceEnd = /^ {0,3}(`{3,}|~{3,})[ \t]*$/u;
const heading = /^( {0,3})(#{1,6})(?=[ \t]|$)/u;
const underline = /^ {0,3}(?:=+|-+)[ \t]*$/u;
/** A quote or an item of a list: what follows on the next line belongs to it, and an underline there does not make a heading of it. */
const quoteOrItem = /^ {0,3}(?:>|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/u;
const indentedCode = /^(?: {4}|\t)/u;
const maxLevel = 6;

/**
 * The text with its Markdown headings so many levels lower, six at most; one that is underlined is written with `#`. What is in fences is code and stays as it is. A fence that
 * is open at the end is closed, so that it holds nothing of what comes after the text.
 */
export function moveHeadings(text: string, levels: number): string {
  const lines: string[] = [];
  /** Where the paragraph begins that the last line belongs to; undefined: it belongs to none. */
  let paragraph: number | undefined;
  /** What closes the fence that is open; undefined: none is. */
  let fence: string | undefined;
  const marks = (level: number): string => '#'.repeat(Math.min(maxLevel, level + levels));
  for (const line of text.split('\n')) {
    const [, backticks, tildes] = fenceStart.exec(line) ?? [];
    const opened = backticks ?? tildes;
    if (fence !== undefined) {
      lines.push(line);
      if (fenceEnd.exec(line)?.[1]?.startsWith(fence) === true) fence = undefined;
    } else if (paragraph !== undefined && underline.test(line)) {
      const title = lines.splice(paragraph).map((each) => each.trim());
      lines.push(`${marks(line.includes('=') ? 1 : 2)} ${title.join(' ')}`);
      paragraph = undefined;
    } else if (opened !== undefined || line.trim() === '' || heading.test(line) || quoteOrItem.test(line)) {
      fence = opened;
      lines.push(line.replace(heading, (_, blanks: string, level: string) => blanks + marks(level.length)));
      paragraph = undefined;
    } else {
      const isText = paragraph !== undefined || !indentedCode.test(line);
      const at = lines.push(line) - 1;
      paragraph ??= isText ? at : undefined;
    }
  }
  if (fence !== undefined) lines.push(fence);
  return lines.join('\n');
}
