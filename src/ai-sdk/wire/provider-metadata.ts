import { isRecord } from '../../internal/index.ts';
import { type Fields } from '../../provider/index.ts';

/** What a provider's package hung on a piece of an answer, by whatever name that it gives to itself. */
export function hungOn({ providerMetadata }: Fields): Fields {
  return isRecord(providerMetadata)
    ? Object.assign({}, ...Object.values(providerMetadata).filter(isRecord))
    : {};
}
