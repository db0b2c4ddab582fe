import { compilePattern, type LinearPattern } from '../../../core/filesystem/index.ts';

/** What a schema asks of texts by patterns, read for a search in linear time. */
export interface SchemaPatterns {
  /** Undefined for a pattern that cannot be read. */
  read(source: string): LinearPattern | undefined;
  /** The patterns that cannot be read: with look-around, references back, or too large. */
  readonly unread: readonly string[];
}

/** Most instructions of all patterns of a schema together. */
const maxInstructions = 50_000;

/**
 * Reads the patterns of a stranger's schema with the linear engine.
 *
 * @param sources each once.
 * @see docs/spec/mcp.md §6
 */
export async function readPatterns(sources: readonly string[]): Promise<SchemaPatterns> {
  const known = new Map<string, LinearPattern>();
  let instructions = 0;
  for (const source of sources) {
    if (instructions > maxInstructions) break;
    const pattern = await readPattern(source);
    if (pattern === undefined) continue;
    instructions += pattern.size;
    if (instructions <= maxInstructions) known.set(source, pattern);
  }
  return { read: (source) => known.get(source), unread: sources.filter((source) => !known.has(source)) };
}

async function readPattern(source: string): Promise<LinearPattern | undefined> {
  // What a pattern may be as large as; the engine refuses larger ones, and none needs to be translated.
  if (source.length > maxSourceLength) return undefined;
  try {
    return await compilePattern({ pattern: linearSyntax(source) });
  } catch {
    return undefined;
  }
}

const maxSourceLength = 2000;

/** The characters of `\s`, which are fewer in the syntax of the engine. */
const blanks =
  '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
/** All others, as a part of a class. */
const notBlanks =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';
const anyCharacter = '[\\x{0}-\\x{10ffff}]';
const noCharacter = '[^\\x{0}-\\x{10ffff}]';

const token =
  /\\u\{(?<code>[0-9a-f]{1,6})\}|\\u(?<high>d[89ab][0-9a-f]{2})\\u(?<low>d[c-f][0-9a-f]{2})|\\[ux](?<hex>(?<=u)[0-9a-f]{4}|(?<=x)[0-9a-f]{2})|\\c(?<control>[a-z])|\\[pP]\{(?:Script|sc)=(?<script>\w+)\}|\\(?<escaped>[^])|(?<group>\(\?<(?![=!])[^>]*>)|(?<open>\[\^?\]?)|(?<other>[^])/giu;

/**
 * A regular expression of JSON Schema, which is one of ECMA-262 with Unicode rules, in the syntax of the linear engine. What only one of the two has
 * is left as it is, for the engine to refuse.
 */
export function linearSyntax(source: string): string {
  if (source === '') return '(?:)';
  let isInClass = false;
  return source.replace(token, (text: string, ...rest: unknown[]) => {
    // The last argument of the function are the named groups.
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const { code, control, escaped, group, hex, high, low, open, other, script } = groups;
    if (high !== undefined && low !== undefined)
      return character(0x10000 + ((parseInt(high, 16) - 0xd800) << 10) + (parseInt(low, 16) - 0xdc00));
    if (code !== undefined || hex !== undefined) return character(parseInt(code ?? hex ?? '', 16));
    if (control !== undefined) return character((control.codePointAt(0) ?? 0) % 32);
    if (script !== undefined) return `\\${text.includes('P{') ? 'P' : 'p'}{${script}}`;
    if (escaped !== undefined) return escape(escaped, isInClass);
    // Groups are not asked for by their names.
    if (group !== undefined) return '(';
    if (open !== undefined) {
      if (isInClass) return open === '[' ? '\\[' : inClass(open);
      if (open === '[]') return noCharacter;
      if (open === '[^]') return anyCharacter;
      isInClass = true;
      return open;
    }
    if (isInClass) {
      if (other === ']') isInClass = false;
      return text;
    }
    return other === '.' ? '[^\\n\\r\\x{2028}\\x{2029}]' : text;
  });

  function inClass(text: string): string {
    // A bracket in a class is a character; one that closes ends the class.
    if (text.endsWith(']')) isInClass = false;
    return `\\${text}`;
  }
}

function escape(escaped: string, isInClass: boolean): string {
  switch (escaped) {
    case 's':
      return isInClass ? blanks : `[${blanks}]`;
    case 'S':
      return isInClass ? notBlanks : `[${notBlanks}]`;
    case 'b':
      return isInClass ? '\\x{8}' : '\\b';
    case '0':
      return '\\x{0}';
    default:
      return `\\${escaped}`;
  }
}

function character(codePoint: number): string {
  return `\\x{${codePoint.toString(16)}}`;
}
