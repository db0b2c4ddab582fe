import { present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
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
  type ApproximateLocation,
  anthropicTypes,
  type Cited,
  configuredPaths,
  type DomainLists,
  fieldsIn,
  type HostedToolCodec,
  numberFields,
  objectsIn,
  readWebSources,
  stringFields,
  stringsIn,
  textOfBlocks,
  toApproximateLocation,
  toDomainLists,
  toOneDomainList,
  type WireFields,
} from '../../kit/index.ts';
import { callsOf, citationsOf, outcomeOf, type ServerCall, serverCallsOf } from './server-calls.ts';

type Types = typeof anthropicTypes;

/** The code execution tool in the provider's format. */
type CodeExecutionWire = {
  type: Types['code_interpreter'][0]['type'];
  name: Types['code_interpreter'][0]['name'];
};

function toCodeExecution(): CodeExecutionWire {
  const { type, name } = anthropicTypes.code_interpreter[0];
  return { type, name };
}

/**
 * Who calls a tool of the web: the model alone, or code of the provider alone. By default it is both, which not every model supports and no config
 * requests. Results that code has read are not part of the answer.
 */
type CalledBy =
  | { allowed_callers: ['direct'] }
  | { allowed_callers: [CodeExecutionWire['type']]; response_inclusion: 'excluded' };

/** How a tool of the web is called, and what a request needs beside it. */
function toCallers(filterByCode = false): {
  readonly callers: CalledBy;
  readonly requires: readonly CodeExecutionWire[];
} {
  if (!filterByCode) return { callers: { allowed_callers: ['direct'] }, requires: [] };
  const code = toCodeExecution();
  return {
    callers: { allowed_callers: [code.type], response_inclusion: 'excluded' },
    requires: [code],
  };
}

/** A web search in the provider's format. */
type AnthropicWebSearchWire = DomainLists &
  CalledBy & {
    type: Types['web_search'][0]['type'];
    name: Types['web_search'][0]['name'];
    max_uses?: number;
    user_location?: ApproximateLocation;
  };

/** The codec of `web_search`. The provider decides how much of the found pages the model reads. */
const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => {
    const { geoHint, maxUses, allowLiveAccess = true, contextSize, filterByCode } = config;
    const { list, unsupported } = toOneDomainList(config.domainFilter);
    const { callers, requires } = toCallers(filterByCode);
    return {
      tools: [
        {
          type: anthropicTypes.web_search[0].type,
          name: anthropicTypes.web_search[0].name,
          ...callers,
          ...toDomainLists(list),
          ...present({
            max_uses: maxUses,
            user_location: geoHint && toApproximateLocation(geoHint),
          }),
        } satisfies AnthropicWebSearchWire,
      ],
      requires,
      unsupported: [
        ...unsupported,
        ...configuredPaths({ allowLiveAccess: allowLiveAccess ? undefined : false, contextSize }),
      ],
    };
  },
  parseOutput: (turn) => ({
    invocations: callsOf(turn, 'web_search').map((call) => ({
      ...outcomeOf(call),
      action: 'search',
      queries: stringsIn([call.input['query']]),
      sources: readWebSources(call.result?.['content']),
    })),
    citations: citationsOf(turn, ({ type, url, title }) =>
      type === 'web_search_result_location' && typeof url === 'string'
        ? { type: 'url', url, ...stringFields({ title }) }
        : undefined,
    ),
  }),
};

/** Text that counts as a whole, or not at all. */
type WholeSource = { type: 'all' | 'none' };

/** The web fetch tool in the provider's format. */
type WebFetchWire = DomainLists &
  CalledBy & {
    type: Types['web_fetch'][0]['type'];
    name: Types['web_fetch'][0]['name'];
    /** The text from which an address is accepted. */
    url_sources: {
      user_input: WholeSource;
      client_tool_results: WholeSource;
      server_tool_results: WholeSource;
    };
    use_cache?: false;
    max_uses?: number;
    max_content_tokens?: number;
    citations?: { enabled: boolean };
  };

/** The codec of `web_fetch`. */
const webFetchCodec: HostedToolCodec<WebFetchConfig, WebFetchResult> = {
  kind: 'web_fetch',
  serialize: ({ config }) => {
    const { allowLiveAccess, citations, maxContentTokens, maxUses, filterByCode } = config;
    const { urlSources = ['user', 'search'] } = config;
    const { list, unsupported } = toOneDomainList(config.domainFilter);
    const { callers, requires } = toCallers(filterByCode);
    const whole = (source: NonNullable<WebFetchConfig['urlSources']>[number]): WholeSource => ({
      type: urlSources.includes(source) ? 'all' : 'none',
    });
    return {
      tools: [
        {
          type: anthropicTypes.web_fetch[0].type,
          name: anthropicTypes.web_fetch[0].name,
          ...callers,
          url_sources: {
            user_input: whole('user'),
            client_tool_results: whole('tools'),
            server_tool_results: whole('search'),
          },
          ...toDomainLists(list),
          ...present({
            max_uses: maxUses,
            max_content_tokens: maxContentTokens,
            citations: citations === undefined ? undefined : { enabled: citations },
            use_cache: allowLiveAccess === true ? (false as const) : undefined,
          }),
        } satisfies WebFetchWire,
      ],
      requires,
      // The provider fetches what it has not stored.
      unsupported: [
        ...unsupported,
        ...configuredPaths({ allowLiveAccess: allowLiveAccess === false ? false : undefined }),
      ],
    };
  },
  parseOutput: (turn) => {
    const invocations = callsOf(turn, 'web_fetch').map((call) => {
      const fetched = fieldsIn(call.result?.['content']);
      const { url, retrieved_at: retrievedAt } = fetched;
      const { title, source } = fieldsIn(fetched['content']);
      const { data: content, media_type: mediaType } = fieldsIn(source);
      return {
        ...outcomeOf(call),
        ...stringFields({ url: url ?? call.input['url'], title, content, mediaType, retrievedAt }),
      };
    });
    return { invocations, citations: citationsOf(turn, (citation) => sourceOf(citation, invocations)) };
  },
};

/** A passage of a page names the page by its title only; when only one page was fetched, it is that page. */
function sourceOf(citation: WireFields, pages: readonly WebFetchResult[]): Cited | undefined {
  const { type, document_title: title, file_id: fileId } = citation;
  if (type !== 'char_location' && type !== 'page_location' && type !== 'content_block_location') {
    return undefined;
  }
  if (typeof fileId === 'string') {
    return { type: 'file', fileId, ...stringFields({ filename: title }) };
  }
  const fetched = pages.filter(({ url }) => url !== undefined);
  const page = fetched.find((one) => one.title === title) ?? (fetched.length === 1 ? fetched[0] : undefined);
  return page?.url === undefined ? undefined : { type: 'url', url: page.url, ...stringFields({ title }) };
}

/** The requested tool and the tools that the model gets for it. */
const codeTools = ['code_execution', 'bash_code_execution', 'text_editor_code_execution'] as const;

/** The kind `code_interpreter`. The provider's container has no network access, and one size. */
const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { containerId, fileIds, memoryLimit, network } }) => ({
    tools: [toCodeExecution()],
    ...present({ request: containerId === undefined ? undefined : { container: containerId } }),
    unsupported: configuredPaths({
      fileIds,
      memoryLimit,
      // The provider never allows network access.
      network: network === 'disabled' ? undefined : network,
    }),
  }),
  parseOutput: (turn) => {
    const end = objectsIn(turn.items).find(({ type }) => type === 'message_end');
    const { id: containerId } = fieldsIn(end?.['container']);
    return {
      invocations: callsOf(turn, ...codeTools).map((call) => {
        const result = fieldsIn(call.result?.['content']);
        const { stdout, stderr, return_code: exitCode } = result;
        return {
          ...outcomeOf(call),
          ...stringFields({ code: codeOf(call), stdout: stdout ?? shownOf(result), stderr, containerId }),
          ...numberFields({ exitCode }),
          files: objectsIn(result['content']).flatMap(({ file_id: fileId }) =>
            typeof fileId === 'string' ? [{ fileId }] : [],
          ),
        };
      }),
      citations: [],
    };
  },
};

/** The command or the program; for the editor, its command and the path. */
function codeOf({ name, input }: ServerCall): unknown {
  const { code, command, path } = input;
  if (name !== 'text_editor_code_execution') return code ?? command;
  return stringsIn([command, path]).join(' ');
}

/** The content of a file from the editor. */
function shownOf({ type, content, lines }: WireFields): unknown {
  if (typeof type !== 'string' || !type.startsWith('text_editor_')) return undefined;
  return content ?? (Array.isArray(lines) ? stringsIn(lines).join('\n') : undefined);
}

/** The tools of a remote server in the provider's format. */
export type McpToolsetWire = {
  type: Types['mcp'][0]['type'];
  mcp_server_name: string;
  default_config?: { enabled: boolean };
  configs?: { [name: string]: { enabled: boolean } };
};

/** A remote server in the provider's format. */
export type McpServerWire = { type: 'url'; url: string; name: string; authorization_token?: string };

/** The codec of `mcp`. The provider never requests approval, so a server with approvals is an error. */
const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => ({
    tools: [
      {
        type: anthropicTypes.mcp[0].type,
        mcp_server_name: label,
        ...toConfigs(allowedTools),
      } satisfies McpToolsetWire,
    ],
    request: {
      mcp_servers: [
        {
          type: 'url',
          url,
          name: label,
          ...present({ authorization_token: authorization }),
        } satisfies McpServerWire,
      ],
    },
    headers: { 'anthropic-beta': anthropicTypes.mcp[0].beta },
    unsupported: configuredPaths({ approval: approval === 'never' ? undefined : approval, headers }),
  }),
  parseOutput: (turn, { config: { label: server } }) => ({
    invocations: serverCallsOf(turn, {
      use: 'mcp_tool_use',
      isAbout: ({ server_name: name }) => name === server,
      // A result alone does not identify its server.
      results: [],
    }).map((call) => {
      const outcome = outcomeOf(call);
      const text = textOf(call.result?.['content']);
      return {
        ...outcome,
        server,
        name: call.name ?? '',
        // It was parsed from JSON.
        arguments: call.input as JsonObject,
        ...present(outcome.status === 'failed' ? { error: text } : { output: text }),
      };
    }),
    citations: [],
  }),
};

function toConfigs(
  allowed: readonly string[] | undefined,
): Pick<McpToolsetWire, 'default_config' | 'configs'> {
  if (allowed === undefined) return {};
  return {
    default_config: { enabled: false },
    configs: Object.fromEntries(allowed.map((name) => [name, { enabled: true }])),
  };
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  return Array.isArray(content) ? textOfBlocks(content) : undefined;
}

/** A hosted tool in the provider's format, without beta features. */
export type AnthropicHostedWire = AnthropicWebSearchWire | WebFetchWire | CodeExecutionWire;

/**
 * The adapter's codecs for hosted tools by their kinds, for use in codecs of your own. The provider has no file search and no
 * image generation.
 */
export const anthropicHostedToolCodecs: {
  readonly web_search: typeof webSearchCodec;
  readonly web_fetch: typeof webFetchCodec;
  readonly code_interpreter: typeof codeInterpreterCodec;
  readonly mcp: typeof hostedMcpCodec;
} = {
  web_search: webSearchCodec,
  web_fetch: webFetchCodec,
  code_interpreter: codeInterpreterCodec,
  mcp: hostedMcpCodec,
};
