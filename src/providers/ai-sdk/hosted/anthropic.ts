import { present } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
import type {
  CodeInterpreterConfig,
  CodeInterpreterResult,
  HostedMcpConfig,
  HostedMcpResult,
  WebFetchConfig,
  WebFetchResult,
  WebSearchConfig,
  WebSearchResult,
} from '../../../suite/hosted/index.ts';
import {
  aiSdk7AnthropicTypes,
  configuredPaths,
  fieldsIn,
  type HostedToolCodec,
  type HostedToolCodecTable,
  type HostedTurn,
  numberFields,
  objectsIn,
  readWebSources,
  stringFields,
  stringsIn,
  textOfBlocks,
  toApproximateLocation,
  toOneDomainList,
  type WireFields,
} from '../../kit/index.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import { invocationsOf, toOutput } from './invocations.ts';
import { providerTool } from './provider-tool.ts';

/** The codec of `web_search`, in its basic version: later versions may run code on their own. */
const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config: { domainFilter, geoHint, allowLiveAccess = true, contextSize, maxUses } }) => {
    const { list, unsupported } = toOneDomainList(domainFilter);
    return {
      tools: [
        providerTool(aiSdk7AnthropicTypes.web_search[0], {
          maxUses,
          allowedDomains: list.allowed,
          blockedDomains: list.blocked,
          userLocation: geoHint && toApproximateLocation(geoHint),
        }),
      ],
      unsupported: [
        ...unsupported,
        ...configuredPaths({ allowLiveAccess: allowLiveAccess ? undefined : false, contextSize }),
      ],
    };
  },
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, 'web_search').map((run) => ({
      ...toOutput(run),
      action: 'search',
      queries: stringsIn([run.input['query']]),
      sources: readWebSources(run.result),
    })),
    citations: citationsOf(turn, ({ sourceType, url }) =>
      sourceType === 'url' && typeof url === 'string' ? url : undefined,
    ),
  }),
};

/** The codec of `web_fetch`, in its basic version: later versions may run code on their own. */
const webFetchCodec: HostedToolCodec<WebFetchConfig, WebFetchResult> = {
  kind: 'web_fetch',
  serialize: ({ config: { domainFilter, maxUses, maxContentTokens, citations } }) => {
    const { list, unsupported } = toOneDomainList(domainFilter);
    return {
      tools: [
        providerTool(aiSdk7AnthropicTypes.web_fetch[0], {
          maxUses,
          allowedDomains: list.allowed,
          blockedDomains: list.blocked,
          citations: citations === undefined ? undefined : { enabled: citations },
          maxContentTokens,
        }),
      ],
      unsupported,
    };
  },
  parseOutput: (turn) => {
    const invocations = invocationsOf(turn, 'web_fetch').map((run) => {
      const { url, retrievedAt, content } = run.fields;
      const { title, source } = fieldsIn(content);
      const { data, mediaType } = fieldsIn(source);
      return {
        ...toOutput(run),
        ...stringFields({ url: url ?? run.input['url'], title, content: data, mediaType, retrievedAt }),
      };
    });
    return { invocations, citations: citedPages(turn, invocations) };
  },
};

/**
 * A citation identifies its document by title, or by URL for an untitled page. When only one page was fetched, a citation
 * with another title or none refers to that page.
 */
function citedPages(turn: HostedTurn, pages: readonly WebFetchResult[]): readonly Citation[] {
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

/**
 * The codec of `code_interpreter`: shell commands, and files that the model views or writes, in a container without a network.
 */
const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { containerId: id, fileIds, memoryLimit, network } }) => ({
    tools: [providerTool(aiSdk7AnthropicTypes.code_interpreter[0])],
    ...present({
      request: id === undefined ? undefined : { providerOptions: { anthropic: { container: { id } } } },
    }),
    unsupported: configuredPaths({
      fileIds,
      memoryLimit,
      // The provider never allows network access.
      network: network === 'disabled' ? undefined : network,
    }),
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, 'code_execution').map((run) => {
      const { stdout, stderr, return_code: exitCode, content } = run.fields;
      // The content of a file that the model viewed is text.
      const shown = typeof content === 'string' ? content : undefined;
      return {
        ...toOutput(run),
        ...stringFields({ code: codeOf(run.input), stdout: stdout ?? shown, stderr }),
        ...numberFields({ exitCode }),
        files: objectsIn(content).flatMap(({ file_id: fileId }) =>
          typeof fileId === 'string' ? [{ fileId }] : [],
        ),
      };
    }),
    citations: [],
  }),
};

/** A shell command, a program, or an operation on a file. */
function codeOf({ type, code, command, path }: WireFields): unknown {
  return type === 'text_editor_code_execution' ? `${String(command)} ${String(path)}` : (code ?? command);
}

/**
 * The codec of `mcp`. Servers are options of the request rather than tools, and are distinguished by their labels. The provider
 * never requests approval, so `approval` must be `'never'`.
 */
const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => {
    const toolConfiguration = allowedTools && { enabled: true, allowedTools };
    const server = {
      type: 'url',
      name: label,
      url,
      ...present({ authorizationToken: authorization, toolConfiguration }),
    };
    return {
      tools: [],
      request: { providerOptions: { anthropic: { mcpServers: [server] } } },
      unsupported: configuredPaths({ approval: approval === 'never' ? undefined : approval, headers }),
    };
  },
  parseOutput: (turn, { config: { label: server } }) => ({
    invocations: invocationsOf(turn, () => true)
      .filter(({ parts }) => parts.some((part) => providerMetadataOf(part)['serverName'] === server))
      .map((run) => {
        const text = typeof run.result === 'string' ? run.result : textOfBlocks(run.result);
        return {
          ...toOutput(run),
          server,
          name: run.toolName,
          // The package parsed it from JSON.
          arguments: run.input as HostedMcpResult['arguments'],
          ...(run.isDone ? present(run.isError ? { error: text } : { output: text }) : {}),
        };
      }),
    citations: [],
  }),
};

/** The hosted tools of `@ai-sdk/anthropic`, by kind. */
export const anthropicCodecs: HostedToolCodecTable = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  mcp: hostedMcpCodec,
};

/**
 * The citations of an answer. The provider splits its text so that a citation applies to a whole part. Earlier packages do
 * not attach citations to text: they report them as sources of the answer, without a position.
 *
 * @param read returns the URL of a source; undefined for a source of another kind.
 */
function citationsOf(
  turn: HostedTurn,
  read: (source: WireFields) => string | undefined,
): readonly Citation[] {
  const texts = objectsIn(turn.items).filter(({ type }) => type === 'text');
  if (texts.every(({ citations }) => citations === undefined)) return citedSourcesOf(turn, read);
  return texts.flatMap((part) => {
    const base = turn.startOf(part);
    const end = base === undefined ? undefined : base + String(part['text']).length;
    return objectsIn(part['citations']).flatMap(({ source: cited, citedText }): readonly Citation[] => {
      const source = fieldsIn(cited);
      const url = read(source);
      if (url === undefined) return [];
      const span =
        base === undefined || end === undefined || base === end ? {} : { span: [base, end] as const };
      return [{ type: 'url', url, ...stringFields({ title: titleOf(source), citedText }), ...span }];
    });
  });
}

/** Sources with a cited passage; the others are search results. */
function citedSourcesOf(
  turn: HostedTurn,
  read: (source: WireFields) => string | undefined,
): readonly Citation[] {
  return objectsIn(turn.items)
    .filter(({ type }) => type === 'source')
    .flatMap((source): readonly Citation[] => {
      const { citedText } = providerMetadataOf(source);
      const url = typeof citedText === 'string' ? read(source) : undefined;
      return url === undefined
        ? []
        : [{ type: 'url', url, ...stringFields({ title: source['title'], citedText }) }];
    });
}

/** The title from the provider; the package invents one for an untitled document. */
function titleOf(source: WireFields): unknown {
  const cited = providerMetadataOf(source);
  return 'document_title' in cited ? cited['document_title'] : source['title'];
}
