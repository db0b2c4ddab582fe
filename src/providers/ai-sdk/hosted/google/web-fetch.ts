import { isRecord } from '../../../../core/internal/index.ts';
import type { WebFetchConfig, WebFetchResult } from '../../../../suite/hosted/index.ts';
import { configuredPaths, type HostedToolCodec, stringFields, type WireFields } from '../../../kit/index.ts';
import { domainsIn, providerTool } from '../provider-tool.ts';
import { citationsOf, groundingOf } from './grounding.ts';

const succeeded = 'URL_RETRIEVAL_STATUS_SUCCESS';

/** The codec of `web_fetch`. The provider accepts no options, always cites, and does not return the content of a page. */
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

function toResult({ retrievedUrl: url, urlRetrievalStatus: status }: WireFields): WebFetchResult {
  return status === succeeded
    ? { status: 'completed', ...stringFields({ url }) }
    : { status: 'failed', ...stringFields({ url, errorCode: status }) };
}
