import { isRecord } from '../../../../core/internal/index.ts';
import type { FileSearchConfig, FileSearchHit, FileSearchResult } from '../../../../suite/hosted/index.ts';
import {
  configuredPaths,
  type HostedToolCodec,
  stringFields,
  stringsIn,
  type WireFields,
} from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { citationsOf, groundingOf } from './grounding.ts';

/**
 * The codec of `file_search`. The provider's filter is a string: `filter: { metadataFilter: 'author = "Ada"' }`. All searches
 * of an answer are reported as one; a file is identified by its URI or, without one, by its title.
 */
export const fileSearchCodec: HostedToolCodec<FileSearchConfig, FileSearchResult> = {
  kind: 'file_search',
  serialize: ({ config: { storeIds, maxResults, scoreThreshold, filter } }) => {
    const { metadataFilter, ...foreign } = filter ?? {};
    const isText = metadataFilter === undefined || typeof metadataFilter === 'string';
    return {
      tools: [
        providerTool('google.file_search', 'file_search', {
          fileSearchStoreNames: storeIds,
          topK: maxResults,
          metadataFilter: isText ? metadataFilter : undefined,
        }),
      ],
      unsupported: [
        ...configuredPaths({ scoreThreshold, 'filter.metadataFilter': isText ? undefined : metadataFilter }),
        ...Object.keys(foreign).map((key) => `filter.${key}`),
      ],
    };
  },
  parseOutput: (turn) => {
    const { queries: metadata, chunks } = groundingOf(turn);
    const results = chunks.flatMap(toHit);
    const queries = stringsIn(metadata['retrievalQueries']);
    return {
      invocations: queries.length + results.length === 0 ? [] : [{ status: 'completed', queries, results }],
      citations: citationsOf(turn, (chunk) => {
        const [hit] = toHit(chunk);
        return hit === undefined ? undefined : { type: 'file', fileId: hit.fileId, filename: hit.filename };
      }),
    };
  },
};

function toHit({ retrievedContext }: WireFields): readonly FileSearchHit[] {
  const { uri, title, text } = isRecord(retrievedContext) ? retrievedContext : {};
  const fileId = uri ?? title;
  if (typeof fileId !== 'string') return [];
  return [{ fileId, filename: typeof title === 'string' ? title : fileId, ...stringFields({ text }) }];
}
