import type { Citation } from '../../../core/tool/index.ts';
import { objectsIn, type WireFields } from '../wire/fields.ts';
import type { HostedTurn } from './hosted-tool-codec.ts';

/** A citation without its place in the text. */
export type Cited = Citation extends infer One ? (One extends unknown ? Omit<One, 'span'> : never) : never;

/**
 * What a piece of text cites, read from annotations in the form of OpenAI's Responses API.
 *
 * @param part the piece of text; the turn finds its position by the identity of this object.
 * @param read returns what an annotation cites; undefined for an annotation of another kind.
 * @internal
 */
export function annotatedCitations(
  turn: HostedTurn,
  part: WireFields,
  list: unknown,
  read: (annotation: WireFields) => Cited | undefined,
): readonly Citation[] {
  const { text } = part;
  const annotations = objectsIn(list);
  const base = turn.startOf(part);
  const findSpan = base === undefined || typeof text !== 'string' ? noSpan : spanReader(text, annotations);
  return annotations.flatMap((annotation): readonly Citation[] => {
    const cited = read(annotation);
    if (cited === undefined) return [];
    const span = findSpan(annotation);
    if (span === undefined || base === undefined) return [cited];
    return [{ ...cited, span: [base + span[0], base + span[1]] }];
  });
}

type Span = readonly [start: number, end: number];

const noSpan = (): undefined => undefined;

/**
 * Reads the range of an annotation in a text: start inclusive, end exclusive. The provider does not document the unit. It
 * matters after a character outside the basic plane, such as an emoji: code points are assumed when more annotations then
 * start and end at a link, otherwise UTF-16 code units.
 */
function spanReader(
  text: string,
  annotations: readonly WireFields[],
): (annotation: WireFields) => Span | undefined {
  const inUnits = (annotation: WireFields): Span | undefined => readSpan(annotation, text.length);
  if (!/[\uD800-\uDBFF]/.test(text)) return inUnits;
  const starts = codePointStarts(text);
  const inCodePoints = (annotation: WireFields): Span | undefined => {
    const [start, end] = readSpan(annotation, starts.length - 1) ?? [];
    const units = start === undefined || end === undefined ? [] : [starts[start], starts[end]];
    return units[0] === undefined || units[1] === undefined ? undefined : [units[0], units[1]];
  };
  const linksAmong = (read: typeof inUnits): number =>
    annotations.map(read).filter((span) => span !== undefined && isLink(text.slice(...span))).length;
  return linksAmong(inCodePoints) > linksAmong(inUnits) ? inCodePoints : inUnits;
}

function readSpan({ start_index: start, end_index: end }: WireFields, length: number): Span | undefined {
  const isSpan =
    Number.isInteger(start) && Number.isInteger(end) && 0 <= Number(start) && Number(start) < Number(end);
  return isSpan && Number(end) <= length ? [Number(start), Number(end)] : undefined;
}

/** The offset of each code point, followed by the length of the text. */
function codePointStarts(text: string): readonly number[] {
  const starts = [0];
  let at = 0;
  for (const character of text) starts.push((at += character.length));
  return starts;
}

/** The forms in which the provider writes a citation: a Markdown link, with or without brackets, and the URL of a file. */
function isLink(passage: string): boolean {
  return (
    (passage.startsWith('([') && passage.endsWith('))')) ||
    (passage.startsWith('[') && passage.endsWith(')') && !passage.endsWith('))')) ||
    /^sandbox:[^\s()]+$/.test(passage)
  );
}
