import { ownMember } from '../../internal/index.ts';
import { quotedText, valueText } from './quoted-param.ts';

/** A compiled template: text with places for params. Immutable. */
export interface TemplateText {
  readonly kind: 'template-text';
  /**
   * The text in canonical form, after dedenting and trimming: `${name}` for a param, `${quoted name}` for one that is quoted,
   * `$$` for a dollar. The same for a function and a text that say the same.
   */
  readonly source: string;
  /** Literal pieces and places, in order. */
  readonly parts: readonly TemplatePart[];
  /** Names used, without duplicates, in order of first use. */
  readonly placeholders: readonly string[];
}

/** A literal piece of a template, or a place where the text of a param goes; quoted when it says so, see `quotedParam()`. */
export type TemplatePart = string | { readonly name: string; readonly isQuoted?: true };

/** The prefix of the name of a quoted param. */
export const quotedPrefix = 'quoted ';

/** Whether something is a compiled template. */
export function isTemplateText(value: unknown): value is TemplateText {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'template-text';
}

/** A template of the given pieces, already dedented. */
export function templateText(parts: readonly TemplatePart[]): TemplateText {
  const names = parts.flatMap((part) => (typeof part === 'string' ? [] : [part.name]));
  return Object.freeze({
    kind: 'template-text',
    source: templateSource(parts),
    parts: Object.freeze([...parts]),
    placeholders: Object.freeze([...new Set(names)]),
  });
}

/** The pieces in canonical form: `${name}` for a place, `${quoted name}` for a quoted one, `$$` for a dollar. */
export function templateSource(parts: readonly TemplatePart[]): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part.replaceAll('$', '$$$$');
      return `\${${part.isQuoted === true ? quotedPrefix : ''}${part.name}}`;
    })
    .join('');
}

/** Names that a template quotes wherever it uses them. */
export function quotedNames({ parts, placeholders }: TemplateText): readonly string[] {
  const isPlain = (name: string): boolean =>
    parts.some((part) => typeof part !== 'string' && part.name === name && part.isQuoted !== true);
  return placeholders.filter((name) => !isPlain(name));
}

/**
 * The text with params put in, trimmed. A param is inserted unchanged (see {@link valueText}): it is neither dedented nor searched
 * for placeholders. A quoted one goes in as a block on lines of its own.
 */
export function fillTemplate(template: TemplateText, params: Readonly<Record<string, unknown>>): string {
  let text = '';
  let isAfterBlock = false;
  for (const part of template.parts) {
    const isQuoted = typeof part !== 'string' && part.isQuoted === true;
    const piece = typeof part === 'string' ? part : pieceOf(part.name, isQuoted, params);
    if (isQuoted || isAfterBlock) {
      // Text beside a block continues lines of its own.
      const next = isQuoted ? piece : piece.replace(/^[ \t]+/, '');
      if (next === '') continue;
      const before = withoutBlanksAtEnd(text);
      const isSeparate = before === '' || before.endsWith('\n') || next.startsWith('\n');
      text = `${before}${isSeparate ? '' : '\n'}${next}`;
    } else text += piece;
    isAfterBlock = isQuoted;
  }
  return template.placeholders.length === 0 ? text : text.trim();
}

/** In one pass from the end: a regular expression for trailing blanks would scan every run of blanks to its end. */
function withoutBlanksAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

function pieceOf(name: string, isQuoted: boolean, params: Readonly<Record<string, unknown>>): string {
  const value = ownMember(params, name);
  return isQuoted ? quotedText(value) : valueText(value);
}
