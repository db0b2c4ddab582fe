import { isRecord } from '../../../core/internal/index.ts';
import type { WireFields } from '../../kit/index.ts';

/** The metadata of a part of an answer from the provider's package, under any provider name. */
export function providerMetadataOf({ providerMetadata }: WireFields): WireFields {
  return isRecord(providerMetadata)
    ? Object.assign({}, ...Object.values(providerMetadata).filter(isRecord))
    : {};
}
