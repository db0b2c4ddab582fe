import { isRecord } from '../../../../core/internal/index.ts';
import type { Citation } from '../../../../core/tool/index.ts';
import { type HostedTurn, objectsIn, type WireFields } from '../../../kit/index.ts';
import { providerMetadataOf } from '../../wire/provider-metadata.ts';

/** The grounding metadata of an answer, one object for all of it. */
export interface Grounding {
  readonly queries: WireFields;
  /** The sources; supports refer to them by index. */
  readonly chunks: readonly WireFields[];
  readonly supports: readonly WireFields[];
  /** The pages that were fetched. */
  readonly pages: readonly WireFields[];
}

export function groundingOf({ items }: HostedTurn): Grounding {
  const finish = objectsIn(items).find(({ type }) => type === 'finish');
  const { groundingMetadata, urlContextMetadata } = finish === undefined ? {} : providerMetadataOf(finish);
  const metadata = isRecord(groundingMetadata) ? groundingMetadata : {};
  return {
    queries: metadata,
    chunks: objectsIn(metadata['groundingChunks']),
    supports: objectsIn(metadata['groundingSupports']),
    pages: isRecord(urlContextMetadata) ? objectsIn(urlContextMetadata['urlMetadata']) : [],
  };
}

type Source = Citation extends infer One
  ? One extends unknown
    ? Omit<One, 'span' | 'citedText'>
    : never
  : never;

/**
 * The sources of an answer's text.
 *
 * @param read returns the source of a chunk; undefined for a chunk of another kind.
 */
export function citationsOf(
  turn: HostedTurn,
  read: (chunk: WireFields) => Source | undefined,
): readonly Citation[] {
  const { chunks, supports } = groundingOf(turn);
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const span = isRecord(segment) ? spanOf(segment, turn.text) : undefined;
    const places: readonly unknown[] = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : [];
    return places.flatMap((place): readonly Citation[] => {
      const chunk = typeof place === 'number' ? chunks[place] : undefined;
      const source = chunk === undefined ? undefined : read(chunk);
      if (source === undefined) return [];
      return [span === undefined ? source : { ...source, span }];
    });
  });
}

/**
 * The position of a passage. The provider counts bytes of a part of its answer without naming the part; it also sends the
 * passage itself, so a position is used only if the passage is there.
 */
function spanOf({ startIndex, endIndex, text: passage }: WireFields, text: string): Citation['span'] {
  if (typeof passage !== 'string' || passage === '') return undefined;
  const start = unitOf(text, typeof startIndex === 'number' ? startIndex : 0);
  const end = start + passage.length;
  const isBytes = typeof endIndex === 'number' && unitOf(text, endIndex) === end;
  if (isBytes && text.startsWith(passage, start)) return [start, end];
  const only = text.indexOf(passage);
  return only !== -1 && only === text.lastIndexOf(passage) ? [only, only + passage.length] : undefined;
}

/** Converts an offset in the UTF-8 bytes of a string to an offset in UTF-16 code units. */
function unitOf(text: string, byte: number): number {
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    if (bytes >= byte) break;
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += character.length;
  }
  return units;
}
