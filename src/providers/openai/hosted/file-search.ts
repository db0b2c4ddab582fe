import { present } from '../../../core/internal/index.ts';
import type { FileSearchConfig, FileSearchResult } from '../../../suite/hosted/index.ts';
import { citedFile, type HostedToolCodec, readFileHits, stringsIn } from '../../kit/index.ts';
import { citationsOf, itemsOf, toOutput } from './calls.ts';

/** A filter over file attributes in the provider's format. */
export type FileFilterWire =
  | {
      type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
      key: string;
      value: string | number | boolean | (string | number)[];
    }
  | { type: 'and' | 'or'; filters: FileFilterWire[] };

/** A file search in the provider's format. */
export type FileSearchWire = {
  type: 'file_search';
  vector_store_ids: string[];
  max_num_results?: number;
  ranking_options?: { score_threshold: number };
  filters?: FileFilterWire;
};

/** The codec of `file_search`. It requests the results; without that a response contains only the queries. */
export const fileSearchCodec: HostedToolCodec<FileSearchConfig, FileSearchResult> = {
  kind: 'file_search',
  serialize: ({ config }) => ({ tools: [toFileSearch(config)], include: ['file_search_call.results'] }),
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'file_search_call').map((item) => ({
      ...toOutput(item),
      queries: stringsIn(item['queries']),
      results: readFileHits(item['results']),
    })),
    citations: citationsOf(turn, citedFile),
  }),
};

export function toFileSearch({
  storeIds,
  maxResults,
  scoreThreshold,
  filter,
}: FileSearchConfig): FileSearchWire {
  return {
    type: 'file_search',
    vector_store_ids: [...storeIds],
    ...present({
      max_num_results: maxResults,
      ranking_options: scoreThreshold === undefined ? undefined : { score_threshold: scoreThreshold },
    }),
    // The filter is in the provider's format and is validated by the provider.
    ...present({ filters: filter as FileFilterWire | undefined }),
  };
}
