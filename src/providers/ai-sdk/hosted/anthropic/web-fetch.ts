import { isRecord } from '../../../../core/internal/index.ts';
import type { WebFetchConfig, WebFetchResult } from '../../../../suite/hosted/index.ts';
import { type HostedToolCodec, type HostedTurn, stringFields } from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';
import { citationsOf } from './citations.ts';
import { toDomains } from './domains.ts';

const name = 'web_fetch';

/** The codec of `web_fetch`, in its basic version: later versions may run code on their own. */
export const webFetchCodec: HostedToolCodec<WebFetchConfig, WebFetchResult> = {
  kind: 'web_fetch',
  serialize: ({ config: { domainFilter, maxUses, maxContentTokens, citations } }) => {
    const { domains, unsupported } = toDomains(domainFilter);
    return {
      tools: [
        providerTool('anthropic.web_fetch_20250910', name, {
          maxUses,
          ...domains,
          citations: citations === undefined ? undefined : { enabled: citations },
          maxContentTokens,
        }),
      ],
      unsupported,
    };
  },
  parseOutput: (turn) => {
    const invocations = invocationsOf(turn, (toolName) => toolName === name).map(toResult);
    return { invocations, citations: citationsIn(turn, invocations) };
  },
};

/**
 * A citation identifies its document by title, or by URL for an untitled page. When only one page was fetched, a citation
 * with another title or none refers to that page.
 */
function citationsIn(turn: HostedTurn, pages: readonly WebFetchResult[]): ReturnType<typeof citationsOf> {
  const all = new Set(pages.flatMap(({ url }) => (url === undefined ? [] : [url])));
  return citationsOf(turn, ({ sourceType, title }) => {
    if (sourceType !== 'document') return undefined;
    const urls = new Set(
      pages
        .filter((page) => page.url !== undefined && (page.title ?? page.url) === title)
        .map(({ url }) => url),
    );
    const named = urls.size === 0 ? all : urls;
    return named.size === 1 ? [...named][0] : undefined;
  });
}

function toResult(run: HostedInvocation): WebFetchResult {
  const { url, retrievedAt, content } = isRecord(run.result) ? run.result : {};
  const { title, source } = isRecord(content) ? content : {};
  const { data, mediaType } = isRecord(source) ? source : {};
  return {
    ...toOutput(run),
    ...stringFields({ url: url ?? run.input['url'], title, content: data, mediaType, retrievedAt }),
  };
}
