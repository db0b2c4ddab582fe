import { quotedPrefix, type TemplatePart, type TemplateText, templateText } from './template-text.ts';

/** Everything a dollar can start; an empty last group is a dollar that starts nothing. */
const dollar = /\$(?:(?<escaped>\$)|\{(?<braced>[^}]*)\}|(?<plain>[A-Za-z0-9_]+)|)/g;

/**
 * Compiles a text with `$name` / `${name}` / `${quoted name}` for params and `$$` for a dollar: dedents, trims, splits.
 *
 * @param refuse called with a message when a dollar starts neither; must throw.
 */
export function parseTemplate(text: string, refuse: (problem: string, name: string) => never): TemplateText {
  const source = dedent(text);
  const parts: TemplatePart[] = [];
  let literal = '';
  let end = 0;
  for (const match of source.matchAll(dollar)) {
    literal += source.slice(end, match.index);
    end = match.index + match[0].length;
    const name = match.groups?.['braced'] ?? match.groups?.['plain'];
    if (match.groups?.['escaped'] !== undefined) {
      literal += '$';
    } else if (name === undefined) {
      refuse(
        `has a lone "$" before ${JSON.stringify(source.slice(end, end + 12))}; write $$ for a dollar`,
        '$',
      );
    } else {
      if (literal !== '') parts.push(literal);
      literal = '';
      parts.push(placeOf(name));
    }
  }
  literal += source.slice(end);
  if (literal !== '') parts.push(literal);
  return templateText(parts);
}

function placeOf(written: string): TemplatePart {
  return written.startsWith(quotedPrefix)
    ? Object.freeze({ name: written.slice(quotedPrefix.length), isQuoted: true })
    : Object.freeze({ name: written });
}

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
