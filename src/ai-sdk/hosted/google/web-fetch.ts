import { isRecord } from '../../../internal/index.ts';
import {
  configuredPaths,
  type Fields,
  type HostedToolCodec,
  stringFields,
} from '../../../provider/internal.ts';
import type { WebFetchConfig, WebFetchResult } from '../../../suite/index.ts';
import { domainsIn, providerTool } from '../provider-tool.ts';
import { citationsOf, groundingOf } from './grounding.ts';

const succeeded = 'URL_RETRIEVAL_STATUS_SUCCESS';

/** Speaks for `web_fetch`. The provider takes no options for it, cites by itself, and does not show what a page holds. */
export const webFetchCodec: HostedToolCodec<WebFetchConfig, WebFetchResult> = {
  kind: 'web_fetch',
  serialize: ({ config: { domainFilter, citations, ...rest } }) => ({
    tools: [providerTool('google.url_context', 'url_context')],
    unsupported: configuredPaths({
      domainFilter: domainsIn(domainFilter),
      ...rest,
      citations: citations === false ? citations : undefined,
    }),
  }),
  parseOutput: (turn) => {
    const { pages } = groundingOf(turn);
    const fetched = new Set(pages.map(({ retrievedUrl }) => retrievedUrl));
    return {
      invocations: pages.map(toResult),
      citations: citationsOf(turn, ({ web }) => {
        const { uri: url, title } = isRecord(web) ? web : {};
        return typeof url === 'string' && fetched.has(url)
          ? { type: 'url', url, ...stringFields({ title }) }
          : undefined;
      }),
    };
  },
};

function toResult({ retrievedUrl: url, urlRetrievalStatus: status }: Fields): WebFetchResult {
  return status === succeeded
    ? { status: 'completed', ...stringFields({ url }) }
    : { status: 'failed', ...stringFields({ url, errorCode: status }) };
}
