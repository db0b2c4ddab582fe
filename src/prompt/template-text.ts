import { renderJson } from '../schema/index.ts';

/** A compiled template: text with places for params. Immutable. */
export interface TemplateText {
  readonly kind: 'template-text';
  /**
   * The text in canonical form, after dedenting and trimming: `${name}` for a param, `$$` for a dollar. The same for a
   * function and a text that say the same.
   */
  readonly source: string;
  /** Literal pieces and places, in order. */
  readonly parts: readonly TemplatePart[];
  /** Names used, without duplicates, in order of first use. */
  readonly placeholders: readonly string[];
}

/** A literal piece of a template, or a place where the text of a param goes. */
export type TemplatePart = string | { readonly name: string };

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

/** The pieces in canonical form: `${name}` for a place, `$$` for a dollar. */
export function templateSource(parts: readonly TemplatePart[]): string {
  return parts
    .map((part) => (typeof part === 'string' ? part.replaceAll('$', '$$$$') : `\${${part.name}}`))
    .join('');
}

/**
 * The text with params put in, trimmed. A param goes in as it is: it is neither dedented nor looked at for placeholders. Text as such, nothing for
 * null and undefined, numbers and booleans as JavaScript prints them, everything else as JSON.
 */
export function fillTemplate(template: TemplateText, params: Readonly<Record<string, unknown>>): string {
  let text = '';
  for (const part of template.parts)
    text += typeof part === 'string' ? part : valueText(ownValue(params, part.name));
  return template.placeholders.length === 0 ? text : text.trim();
}

function ownValue(params: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(params, name) ? params[name] : undefined;
}

function valueText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'undefined':
      return '';
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    default:
      return value === null ? '' : renderJson(value);
  }
}
