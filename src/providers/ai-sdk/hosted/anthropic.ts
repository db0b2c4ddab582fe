import { present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
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
  aiSdk6AnthropicTypes,
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
  type VendorToolType,
  type WireFields,
} from '../../kit/index.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import { invocationsOf, toOutput } from './invocations.ts';
import { providerTool } from './provider-tool.ts';

/** A tool as the package names it. */
type PackageTool = Pick<VendorToolType, 'type'> & { readonly name: string };

/** The tools of a version of the package. Without a second version of a tool of the web, its results cannot be filtered by code. */
interface PackageTools {
  readonly web_search: readonly [basic: PackageTool, filtered?: PackageTool];
  readonly web_fetch: readonly [basic: PackageTool, filtered?: PackageTool];
  readonly code_interpreter: readonly [PackageTool];
}

/**
 * The version of a tool of the web: the basic one, whose results the model reads itself, unless the config asks for code. The package cannot say who
 * may call a tool, and later versions run code of their own.
 */
function toWebTool(
  [basic, filtered]: readonly [basic: PackageTool, filtered?: PackageTool],
  [code]: PackageTools['code_interpreter'],
  filterByCode = false,
): {
  readonly version: PackageTool;
  readonly isFiltered: boolean;
  readonly requires: readonly JsonObject[];
  readonly unsupported: readonly string[];
} {
  if (!filterByCode) return { version: basic, isFiltered: false, requires: [], unsupported: [] };
  return filtered === undefined
    ? { version: basic, isFiltered: false, requires: [], unsupported: ['filterByCode'] }
    : { version: filtered, isFiltered: true, requires: [providerTool(code)], unsupported: [] };
}

/** The codec of `web_search`. */
const webSearchCodec = (tools: PackageTools): HostedToolCodec<WebSearchConfig, WebSearchResult> => ({
  kind: 'web_search',
  serialize: ({ config }) => {
    const { geoHint, allowLiveAccess = true, contextSize, maxUses, filterByCode } = config;
    const { list, unsupported } = toOneDomainList(config.domainFilter);
    const { version, isFiltered, ...web } = toWebTool(tools.web_search, tools.code_interpreter, filterByCode);
    return {
      tools: [
        providerTool(version, {
          maxUses,
          allowedDomains: list.allowed,
          blockedDomains: list.blocked,
          userLocation: geoHint && toApproximateLocation(geoHint),
          responseInclusion: isFiltered ? 'excluded' : undefined,
        }),
      ],
      requires: web.requires,
      unsupported: [
        ...unsupported,
        ...configuredPaths({ allowLiveAccess: allowLiveAccess ? undefined : false, contextSize }),
        ...web.unsupported,
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
});

/** The codec of `web_fetch`. The package cannot say where an address may come from, and the provider then takes it from everywhere. */
const webFetchCodec = (tools: PackageTools): HostedToolCodec<WebFetchConfig, WebFetchResult> => ({
  kind: 'web_fetch',
  serialize: ({ config }) => {
    const { allowLiveAccess, maxUses, maxContentTokens, citations, filterByCode, urlSources } = config;
    const { list, unsupported } = toOneDomainList(config.domainFilter);
    const { version, isFiltered, ...web } = toWebTool(tools.web_fetch, tools.code_interpreter, filterByCode);
    const isFresh = isFiltered && allowLiveAccess === true;
    return {
      tools: [
        providerTool(version, {
          maxUses,
          allowedDomains: list.allowed,
          blockedDomains: list.blocked,
          citations: citations === undefined ? undefined : { enabled: citations },
          maxContentTokens,
          useCache: isFresh ? false : undefined,
          responseInclusion: isFiltered ? 'excluded' : undefined,
        }),
      ],
      requires: web.requires,
      unsupported: [
        ...unsupported,
        ...configuredPaths({
          urlSources: urlSources?.length === 3 ? undefined : urlSources,
          allowLiveAccess: isFresh ? undefined : allowLiveAccess,
        }),
        ...web.unsupported,
      ],
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
});

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
const codeInterpreterCodec = ({
  code_interpreter: [code],
}: PackageTools): HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> => ({
  kind: 'code_interpreter',
  serialize: ({ config: { containerId: id, fileIds, memoryLimit, network } }) => ({
    tools: [providerTool(code)],
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
});

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

const codecsOf = (tools: PackageTools): HostedToolCodecTable => ({
  web_search: webSearchCodec(tools),
  web_fetch: webFetchCodec(tools),
  code_interpreter: codeInterpreterCodec(tools),
  mcp: hostedMcpCodec,
});

/** The hosted tools of `@ai-sdk/anthropic`, by kind. */
export const anthropicCodecs: HostedToolCodecTable = codecsOf(aiSdk7AnthropicTypes);

/** The same for the package of AI SDK 6, which does not have the versions whose results code filters. */
export const anthropicCodecsV3: HostedToolCodecTable = codecsOf(aiSdk6AnthropicTypes);

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
