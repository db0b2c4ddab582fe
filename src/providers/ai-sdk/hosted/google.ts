import { isRecord } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
import type {
  CodeInterpreterConfig,
  CodeInterpreterResult,
  FileSearchConfig,
  FileSearchHit,
  FileSearchResult,
  WebFetchConfig,
  WebFetchResult,
  WebSearchConfig,
  WebSearchResult,
  WebSearchSource,
} from '../../../suite/hosted/index.ts';
import {
  type Cited,
  configuredPaths,
  fieldsIn,
  type HostedToolCodec,
  type HostedToolCodecTable,
  type HostedTurn,
  objectsIn,
  stringFields,
  stringsIn,
  type WireFields,
} from '../../kit/index.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import { invocationsOf } from './invocations.ts';
import { domainLists, providerTool } from './provider-tool.ts';

/** The codec of `web_search`. The provider accepts no options, and reports all searches of an answer as one. */
const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config: { domainFilter, allowLiveAccess = true, filterByCode, ...rest } }) => ({
    tools: [providerTool({ type: 'google.google_search', name: 'google_search' })],
    unsupported: configuredPaths({
      domainFilter: domainLists(domainFilter),
      ...rest,
      allowLiveAccess: allowLiveAccess ? undefined : false,
      filterByCode: filterByCode || undefined,
    }),
  }),
  parseOutput: (turn) => {
    const { queries: metadata, chunks, pages } = groundingOf(turn);
    // Fetched pages are not search results.
    const fetched = new Set(pages.map(({ retrievedUrl }) => retrievedUrl));
    const found = chunks.flatMap((chunk) => toSource(chunk, fetched));
    const queries = stringsIn(metadata['webSearchQueries']);
    return {
      invocations:
        queries.length + found.length === 0
          ? []
          : [{ status: 'completed', action: 'search', queries, sources: found }],
      citations: citationsOf(turn, (chunk) => {
        const [source] = toSource(chunk, fetched);
        return source === undefined ? undefined : { type: 'url', ...source };
      }),
    };
  },
};

function toSource({ web }: WireFields, fetched: ReadonlySet<unknown>): readonly WebSearchSource[] {
  const { uri: url, title } = fieldsIn(web);
  return typeof url === 'string' && !fetched.has(url) ? [{ url, ...stringFields({ title }) }] : [];
}

/** The codec of `web_fetch`. The provider accepts no options, always cites, and does not return the content of a page. */
const webFetchCodec: HostedToolCodec<WebFetchConfig, WebFetchResult> = {
  kind: 'web_fetch',
  serialize: ({ config: { domainFilter, citations, filterByCode, ...rest } }) => ({
    tools: [providerTool({ type: 'google.url_context', name: 'url_context' })],
    unsupported: configuredPaths({
      domainFilter: domainLists(domainFilter),
      ...rest,
      citations: citations === false ? citations : undefined,
      filterByCode: filterByCode || undefined,
    }),
  }),
  parseOutput: (turn) => {
    const { pages } = groundingOf(turn);
    const fetched = new Set(pages.map(({ retrievedUrl }) => retrievedUrl));
    return {
      invocations: pages.map(({ retrievedUrl: url, urlRetrievalStatus: status }) =>
        status === 'URL_RETRIEVAL_STATUS_SUCCESS'
          ? { status: 'completed', ...stringFields({ url }) }
          : { status: 'failed', ...stringFields({ url, errorCode: status }) },
      ),
      citations: citationsOf(turn, ({ web }) => {
        const { uri: url, title } = fieldsIn(web);
        return typeof url === 'string' && fetched.has(url)
          ? { type: 'url', url, ...stringFields({ title }) }
          : undefined;
      }),
    };
  },
};

/** The codec of `code_interpreter`. The provider accepts no options, merges stdout and stderr and reports no exit code. */
const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { network, ...rest } }) => ({
    // The package accepts earlier calls only under this name.
    tools: [providerTool({ type: 'google.code_execution', name: 'code_execution' })],
    // The code never has network access.
    unsupported: configuredPaths({ ...rest, network: network === 'disabled' ? undefined : network }),
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, 'code_execution').map(({ fields, input, isDone }) => {
      const { outcome, output } = fields;
      const failed = isDone && outcome !== 'OUTCOME_OK';
      return {
        status: failed ? 'failed' : isDone ? 'completed' : 'incomplete',
        ...(failed ? stringFields({ errorCode: outcome }) : {}),
        ...stringFields({ code: input['code'], stdout: output }),
        files: [],
      };
    }),
    citations: [],
  }),
};

/**
 * The codec of `file_search`. The provider's filter is a string: `filter: { metadataFilter: 'author = "Ada"' }`. All searches
 * of an answer are reported as one; a file is identified by its URI or, without one, by its title.
 */
const fileSearchCodec: HostedToolCodec<FileSearchConfig, FileSearchResult> = {
  kind: 'file_search',
  serialize: ({ config: { storeIds, maxResults, scoreThreshold, filter } }) => {
    const { metadataFilter, ...foreign } = filter ?? {};
    const isText = metadataFilter === undefined || typeof metadataFilter === 'string';
    return {
      tools: [
        providerTool(
          { type: 'google.file_search', name: 'file_search' },
          {
            fileSearchStoreNames: storeIds,
            topK: maxResults,
            metadataFilter: isText ? metadataFilter : undefined,
          },
        ),
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
  const { uri, title, text } = fieldsIn(retrievedContext);
  const fileId = uri ?? title;
  if (typeof fileId !== 'string') return [];
  return [{ fileId, filename: typeof title === 'string' ? title : fileId, ...stringFields({ text }) }];
}

/** The hosted tools of `@ai-sdk/google` for the Gemini API, by kind. */
export const googleCodecs: HostedToolCodecTable = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
};

/** The grounding metadata of an answer, one object for all of it. */
interface Grounding {
  readonly queries: WireFields;
  /** The sources; supports refer to them by index. */
  readonly chunks: readonly WireFields[];
  readonly supports: readonly WireFields[];
  /** The pages that were fetched. */
  readonly pages: readonly WireFields[];
}

function groundingOf({ items }: HostedTurn): Grounding {
  const finish = objectsIn(items).find(({ type }) => type === 'finish');
  const { groundingMetadata, urlContextMetadata } = providerMetadataOf(finish ?? {});
  const metadata = fieldsIn(groundingMetadata);
  return {
    queries: metadata,
    chunks: objectsIn(metadata['groundingChunks']),
    supports: objectsIn(metadata['groundingSupports']),
    pages: objectsIn(fieldsIn(urlContextMetadata)['urlMetadata']),
  };
}

/**
 * The sources of an answer's text.
 *
 * @param read returns the source of a chunk; undefined for a chunk of another kind.
 */
function citationsOf(turn: HostedTurn, read: (chunk: WireFields) => Cited | undefined): readonly Citation[] {
  const { chunks, supports } = groundingOf(turn);
  return supports.flatMap(({ segment, groundingChunkIndices }) => {
    const span = isRecord(segment) ? spanOf(segment, turn.text) : undefined;
    const places: readonly unknown[] = Array.isArray(groundingChunkIndices) ? groundingChunkIndices : [];
    return places.flatMap((place): readonly Citation[] => {
      const chunk = typeof place === 'number' ? chunks[place] : undefined;
      const source = chunk === undefined ? undefined : read(chunk);
      if (source === undefined) return [];
      return [span === undefined ? source : { ...source, span }];
    });
  });
}

/**
 * The position of a passage. The provider counts bytes of a part of its answer without naming the part; it also sends the
 * passage itself, so a position is used only if the passage is there.
 */
function spanOf({ startIndex, endIndex, text: passage }: WireFields, text: string): Citation['span'] {
  if (typeof passage !== 'string' || passage === '') return undefined;
  const start = unitOf(text, typeof startIndex === 'number' ? startIndex : 0);
  const end = start + passage.length;
  const isBytes = typeof endIndex === 'number' && unitOf(text, endIndex) === end;
  if (isBytes && text.startsWith(passage, start)) return [start, end];
  const only = text.indexOf(passage);
  return only !== -1 && only === text.lastIndexOf(passage) ? [only, only + passage.length] : undefined;
}

/** Converts an offset in the UTF-8 bytes of a string to an offset in UTF-16 code units. */
function unitOf(text: string, byte: number): number {
  let bytes = 0;
  let units = 0;
  for (const character of text) {
    if (bytes >= byte) break;
    const code = character.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    units += character.length;
  }
  return units;
}
