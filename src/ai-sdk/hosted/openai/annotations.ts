import type { HostedTurn } from '../../../adapter/index.ts';
import type { Citation } from '../../../tool/index.ts';
import { type Fields, hungOn, objectsIn } from '../../fields.ts';

/** A citation without its place in the text. */
type Cited = Citation extends infer One ? (One extends unknown ? Omit<One, 'span'> : never) : never;

/**
 * What the texts of an answer cite. The package passes the provider's own annotations on, in both versions of the interface.
 *
 * @param read what an annotation cites; undefined for one of another kind.
 */
export function annotationsOf(
  turn: HostedTurn,
  read: (annotation: Fields) => Cited | undefined,
): readonly Citation[] {
  return objectsIn(turn.items)
    .filter(({ type }) => type === 'text')
    .flatMap((part) => {
      const base = turn.startOf(part);
      const length = String(part['text']).length;
      return objectsIn(hungOn(part)['annotations']).flatMap((annotation): readonly Citation[] => {
        const cited = read(annotation);
        if (cited === undefined) return [];
        const { start_index: start, end_index: end } = annotation;
        const isSpan = Number.isInteger(start) && Number.isInteger(end) && Number(start) >= 0;
        if (base === undefined || !isSpan || Number(start) >= Number(end) || Number(end) > length)
          return [cited];
        return [{ ...cited, span: [base + Number(start), base + Number(end)] }];
      });
    });
}
