import { isRecord } from '../../internal/index.ts';
import { type Fields } from '../../provider/internal.ts';

/** What a provider's package says about a piece of an answer beyond the fields of the AI SDK, under whatever name it gives itself. */
export function providerMetadataOf({ providerMetadata }: Fields): Fields {
  return isRecord(providerMetadata)
    ? Object.assign({}, ...Object.values(providerMetadata).filter(isRecord))
    : {};
}
