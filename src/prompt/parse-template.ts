import { dedent } from './dedent.ts';
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
