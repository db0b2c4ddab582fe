import type { Citation } from '../../../../core/tool/index.ts';
import {
  annotatedCitations,
  type Cited,
  type HostedTurn,
  objectsIn,
  type WireFields,
} from '../../../kit/index.ts';
import { providerMetadataOf } from '../../wire/provider-metadata.ts';

/**
 * The citations of an answer. The package passes the provider's annotations through, in both versions of the interface.
 *
 * @param read returns what an annotation cites; undefined for one of another kind.
 */
export function annotationsOf(
  turn: HostedTurn,
  read: (annotation: WireFields) => Cited | undefined,
): readonly Citation[] {
  return objectsIn(turn.items)
    .filter(({ type }) => type === 'text')
    .flatMap((part) => annotatedCitations(turn, part, providerMetadataOf(part)['annotations'], read));
}
