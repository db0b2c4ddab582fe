import { isRecord, present } from '../../../core/internal/index.ts';
import type { WebFetchConfig, WebFetchResult } from '../../../suite/hosted/index.ts';
import { type HostedToolCodec, stringFields, type WireFields } from '../../kit/index.ts';
import { type CitedSource, citationsOf } from './citations.ts';
import { type DomainLists, toDomainLists } from './domain-lists.ts';
import { outcomeOf, type ServerCall, type ServerCallShape, serverCallsOf } from './server-calls.ts';

/** The web fetch tool in the provider's format. */
export type WebFetchWire = DomainLists & {
  type: 'web_fetch_20260318';
  name: 'web_fetch';
  /**
   * Only the model may call the tool. Otherwise the provider also lets code call it, which not every model supports and the
   * config did not request.
   */
  allowed_callers: ['direct'];
  max_uses?: number;
  max_content_tokens?: number;
  citations?: { enabled: boolean };
};

const shape: ServerCallShape = {
  use: 'server_tool_use',
  isAbout: ({ name }) => name === 'web_fetch',
  results: ['web_fetch_tool_result'],
};

/** The codec of `web_fetch`. */
export const webFetchCodec: HostedToolCodec<WebFetchConfig, WebFetchResult> = {
  kind: 'web_fetch',
  serialize: ({ config: { domainFilter, maxUses, maxContentTokens, citations } }) => {
    const { lists, unsupported } = toDomainLists(domainFilter);
    return {
      tools: [
        {
          type: 'web_fetch_20260318',
          name: 'web_fetch',
          allowed_callers: ['direct'],
          ...lists,
          ...present({
            max_uses: maxUses,
            max_content_tokens: maxContentTokens,
            citations: citations === undefined ? undefined : { enabled: citations },
          }),
        } satisfies WebFetchWire,
      ],
      unsupported,
    };
  },
  parseOutput: (turn) => {
    const invocations = serverCallsOf(turn, shape).map(toResult);
    return { invocations, citations: citationsOf(turn, (citation) => sourceOf(citation, invocations)) };
  },
};

function toResult(call: ServerCall): WebFetchResult {
  const fetched = isRecord(call.result?.['content']) ? call.result['content'] : {};
  const page = isRecord(fetched['content']) ? fetched['content'] : {};
  const { data, media_type: mediaType } = isRecord(page['source']) ? page['source'] : {};
  const url = fetched['url'] ?? call.input['url'];
  return {
    ...outcomeOf(call),
    ...stringFields({
      url,
      title: page['title'],
      content: data,
      mediaType,
      retrievedAt: fetched['retrieved_at'],
    }),
  };
}

/** A passage of a page names the page by its title only; when only one page was fetched, it is that page. */
function sourceOf(citation: WireFields, pages: readonly WebFetchResult[]): CitedSource | undefined {
  const { type, document_title: title, file_id: fileId } = citation;
  if (type !== 'char_location' && type !== 'page_location' && type !== 'content_block_location') {
    return undefined;
  }
  if (typeof fileId === 'string') {
    return { type: 'file', fileId, ...present({ filename: typeof title === 'string' ? title : undefined }) };
  }
  const fetched = pages.filter(({ url }) => url !== undefined);
  const page = fetched.find((one) => one.title === title) ?? (fetched.length === 1 ? fetched[0] : undefined);
  return page?.url === undefined ? undefined : { type: 'url', url: page.url, ...stringFields({ title }) };
}
