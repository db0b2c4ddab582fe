import { isRecord } from '../../../../core/internal/index.ts';
import type { FileSearchConfig, FileSearchResult } from '../../../../suite/hosted/index.ts';
import { citedFile, type HostedToolCodec, readFileHits, stringsIn } from '../../../kit/index.ts';
import { providerTool } from '../provider-tool.ts';
import { type HostedInvocation, invocationsOf, toOutput } from '../runs.ts';
import { annotationsOf } from './annotations.ts';

const name = 'file_search';

/**
 * The codec of `file_search`. The package does not request the found passages unless its option `include` holds
 * `file_search_call.results`, so the codec sets it.
 */
export const fileSearchCodec: HostedToolCodec<FileSearchConfig, FileSearchResult> = {
  kind: 'file_search',
  serialize: ({ config: { storeIds, maxResults, scoreThreshold, filter } }) => ({
    tools: [
      providerTool('openai.file_search', name, {
        vectorStoreIds: storeIds,
        maxNumResults: maxResults,
        ranking: scoreThreshold === undefined ? undefined : { scoreThreshold },
        filters: filter,
      }),
    ],
    request: { providerOptions: { openai: { include: ['file_search_call.results'] } } },
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, (toolName) => toolName === name).map(toResult),
    citations: annotationsOf(turn, citedFile),
  }),
};

function toResult(run: HostedInvocation): FileSearchResult {
  const { queries, results } = isRecord(run.result) ? run.result : {};
  return { ...toOutput(run), queries: stringsIn(queries), results: readFileHits(results) };
}
