import { isRecord } from '../../../../core/internal/index.ts';
import type { Citation } from '../../../../core/tool/index.ts';
import { type HostedTurn, objectsIn, stringFields, type WireFields } from '../../../kit/index.ts';
import { providerMetadataOf } from '../../wire/provider-metadata.ts';

/**
 * The citations of an answer. The provider splits its text so that a citation applies to a whole part. Earlier packages do
 * not attach citations to text: they report them as sources of the answer, without a position.
 *
 * @param read returns the URL of a source; undefined for a source of another kind.
 */
export function citationsOf(
  turn: HostedTurn,
  read: (source: WireFields) => string | undefined,
): readonly Citation[] {
  const texts = objectsIn(turn.items).filter(({ type }) => type === 'text');
  if (texts.every(({ citations }) => citations === undefined)) return citedSourcesOf(turn, read);
  return texts.flatMap((part) => {
    const base = turn.startOf(part);
    const end = base === undefined ? undefined : base + String(part['text']).length;
    return objectsIn(part['citations']).flatMap(({ source, citedText }): readonly Citation[] => {
      const url = isRecord(source) ? read(source) : undefined;
      if (url === undefined || !isRecord(source)) return [];
      const span =
        base === undefined || end === undefined || base === end ? {} : { span: [base, end] as const };
      return [{ type: 'url', url, ...stringFields({ title: titleOf(source), citedText }), ...span }];
    });
  });
}

/** Sources with a cited passage; the others are search results. */
function citedSourcesOf(
  turn: HostedTurn,
  read: (source: WireFields) => string | undefined,
): readonly Citation[] {
  return objectsIn(turn.items)
    .filter(({ type }) => type === 'source')
    .flatMap((source): readonly Citation[] => {
      const { citedText } = providerMetadataOf(source);
      const url = typeof citedText === 'string' ? read(source) : undefined;
      return url === undefined
        ? []
        : [{ type: 'url', url, ...stringFields({ title: source['title'], citedText }) }];
    });
}

/** The title from the provider; the package invents one for an untitled document. */
export function titleOf(source: WireFields): unknown {
  const cited = providerMetadataOf(source);
  return 'document_title' in cited ? cited['document_title'] : source['title'];
}
