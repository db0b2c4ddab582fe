import { type Fields, type HostedTurn, isFields, objectsIn, onlyTexts } from '../../../adapter/index.ts';
import type { Citation } from '../../../tool/index.ts';

/**
 * What the texts of an answer cite. The provider breaks its text into pieces so that a citation is about the whole of one.
 *
 * @param read the address of what a source stands for; undefined for one of another kind.
 */
export function citationsOf(
  turn: HostedTurn,
  read: (source: Fields) => string | undefined,
): readonly Citation[] {
  return objectsIn(turn.items)
    .filter(({ type }) => type === 'text')
    .flatMap((part) => {
      const base = turn.startOf(part);
      const end = base === undefined ? undefined : base + String(part['text']).length;
      return objectsIn(part['citations']).flatMap(({ source, citedText }): readonly Citation[] => {
        const url = isFields(source) ? read(source) : undefined;
        if (url === undefined || !isFields(source)) return [];
        const span =
          base === undefined || end === undefined || base === end ? {} : { span: [base, end] as const };
        return [{ type: 'url', url, ...onlyTexts({ title: source['title'], citedText }), ...span }];
      });
    });
}
