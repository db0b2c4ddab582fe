import { isRecord } from '../../../internal/index.ts';
import { type Fields, type HostedTurn, objectsIn, stringFields } from '../../../provider/internal.ts';
import type { Citation } from '../../../tool/index.ts';
import { providerMetadataOf } from '../../wire/provider-metadata.ts';

/**
 * The citations of an answer. The provider breaks its text into pieces so that a citation is about the whole of one. Earlier packages do not
 * hang citations on the text: there they are sources of the answer, without a place.
 *
 * @param read the address of what a source stands for; undefined for one of another kind.
 */
export function citationsOf(
  turn: HostedTurn,
  read: (source: Fields) => string | undefined,
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

/** Sources with a cited passage; the others are what a search has found. */
function citedSourcesOf(turn: HostedTurn, read: (source: Fields) => string | undefined): readonly Citation[] {
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

/** The title that the provider gave, where the package makes one up for a document without. */
export function titleOf(source: Fields): unknown {
  const cited = providerMetadataOf(source);
  return 'document_title' in cited ? cited['document_title'] : source['title'];
}
