import {
  annotatedCitations,
  type Cited,
  type Fields,
  type HostedTurn,
  objectsIn,
} from '../../provider/index.ts';
import type { Citation } from '../../tool/index.ts';
import { itemsOf } from './calls.ts';

/**
 * What the texts of a turn cite, in every part of every message.
 *
 * @param read what an annotation cites; undefined for one of another kind.
 */
export function citationsOf(
  turn: HostedTurn,
  read: (annotation: Fields) => Cited | undefined,
): readonly Citation[] {
  return itemsOf(turn, 'message')
    .flatMap(({ content }) => objectsIn(content))
    .flatMap((part) => annotatedCitations(turn, part, part['annotations'], read));
}
