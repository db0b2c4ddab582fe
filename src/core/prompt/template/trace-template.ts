import { describeError, PromptValidationError } from '../../error/index.ts';
import { quotedStandIn, type RefuseTemplate, standIn, standIns } from './stand-in.ts';
import { type TemplatePart, templateSource } from './template-text.ts';

/** A template function without the types of its placeholders. */
export type TemplateFunction = (placeholders: never) => string;

/** The form of the stand-ins of one run, such that trimming, escaping, changing case, measuring or sorting them can be detected. */
interface TokenStyle {
  token(number: number): string;
  readonly pattern: RegExp;
  /** What quoting makes of a text with such a token in it: it indents every line. */
  readonly quotedPattern?: RegExp;
  numberOf(digits: string): number;
}

const last = 999_999;
const styles: readonly TokenStyle[] = [
  {
    token: (number) => ` \uE000"aZ<${digitsOf(number)}\u2028>&  % `,
    pattern: / \uE000"aZ<(\d{6})\u2028>& {2}% /g,
    quotedPattern: / \uE000"aZ<(\d{6})\n {4}>& {2}% /,
    numberOf: Number,
  },
  {
    // Longer, and numbered from the end.
    token: (number) => `\t\uE001<Yb 'other'\\ ${digitsOf(last - number)} &amp;>\t`,
    pattern: /\t\uE001<Yb 'other'\\ (\d{6}) &amp;>\t/g,
    numberOf: (digits) => last - Number(digits),
  },
];

/**
 * Runs a template function on opaque stand-ins, twice with different ones, and returns its result as a text with
 * `${name}` for params, `${quoted name}` for quoted ones and `$$` for dollars.
 *
 * Refused is a function whose text depends on more than interpolation: one that changes, measures, sorts, compares or
 * drops a stand-in, returns something else the second time, or reads a param without using it.
 *
 * @param names params there are; `undefined`: any.
 */
export function traceTemplate(
  template: TemplateFunction,
  names: ReadonlySet<string> | undefined,
  refuse: RefuseTemplate,
): string {
  const [first = '', second = ''] = styles.map((style) => runOnce(template, names, style, refuse));
  if (first === second) return first;
  return refuse(
    'says something else when it runs a second time; it may only interpolate its placeholders',
    '',
  );
}

function runOnce(
  template: TemplateFunction,
  names: ReadonlySet<string> | undefined,
  style: TokenStyle,
  refuse: RefuseTemplate,
): string {
  const tokens: { readonly name: string; readonly read: number; readonly isQuoted: boolean }[] = [];
  const reads: string[] = [];
  const placeholders = standIns(names, refuse, (name) => {
    const read = reads.push(name) - 1;
    return standIn(name, refuse, (isQuoted) => style.token(tokens.push({ name, read, isQuoted }) - 1));
  });
  const text = run(template, placeholders, refuse);
  const quotedToken = tokens[style.numberOf(style.quotedPattern?.exec(text)?.[1] ?? '-1')];
  if (quotedToken !== undefined) {
    refuse(
      `quotes a text with "${quotedToken.name}" in it; quoted() takes a placeholder alone, as in quoted(p.${quotedToken.name})`,
      quotedToken.name,
    );
  }

  const found = new Set<number>();
  const parts: TemplatePart[] = [];
  let end = 0;
  for (const match of text.matchAll(style.pattern)) {
    const number = style.numberOf(match[1] ?? '');
    const token = tokens[number];
    if (token === undefined) continue;
    found.add(number);
    const { name, isQuoted } = token;
    parts.push(text.slice(end, match.index), isQuoted ? { name, isQuoted } : { name });
    end = match.index + match[0].length;
  }
  parts.push(text.slice(end));

  for (const [number, { name }] of tokens.entries()) {
    if (!found.has(number))
      refuse(`changes, compares or drops "${name}" where it may only interpolate it; ${wayOut}`, name);
  }
  const used = new Set(tokens.map(({ read }) => read));
  for (const [read, name] of reads.entries()) {
    if (used.has(read)) continue;
    refuse(
      `reads "${name}" without putting it into the text; if the text depends on it, use "enabled" or "render"`,
      name,
    );
  }
  return templateSource(parts);
}

/** What to write in the place of a lone placeholder. */
const asText = 'put a placeholder into a text, as in `${p.name}`';
/** What to do where values are needed. */
const wayOut =
  'a text that is computed from the values comes from "render", which gets the params themselves';

function run(template: TemplateFunction, placeholders: object, refuse: RefuseTemplate): string {
  try {
    // `never` is the function's own type for its placeholders, which the caller of the builder has checked.
    const text: unknown = template(placeholders as never);
    if (typeof text === 'string') return text;
    const isLone = quotedStandIn(text) !== undefined;
    const returned = isLone ? 'a placeholder alone' : `the type ${typeof text}`;
    return refuse(`returned ${returned} where a text is expected; ${isLone ? asText : wayOut}`, '');
  } catch (cause) {
    if (PromptValidationError.isInstance(cause)) throw cause;
    return refuse(
      `threw when it ran on placeholders (${describeError(cause)}); it may only interpolate them, and ${wayOut}`,
      '',
      cause,
    );
  }
}

function digitsOf(number: number): string {
  return String(number).padStart(6, '0');
}
