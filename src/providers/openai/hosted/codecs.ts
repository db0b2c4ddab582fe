import { present } from '../../../core/internal/index.ts';
import type { Citation, HostedToolOutput } from '../../../core/tool/index.ts';
import type {
  CodeInterpreterConfig,
  CodeInterpreterResult,
  FileSearchConfig,
  FileSearchResult,
  HostedMcpConfig,
  HostedMcpResult,
  ImageGenerationConfig,
  ImageGenerationResult,
  WebSearchConfig,
  WebSearchResult,
} from '../../../suite/hosted/index.ts';
import {
  type ApproximateLocation,
  annotatedCitations,
  type Cited,
  citedContainerFile,
  citedFile,
  citedUrl,
  configuredPaths,
  type DomainLists,
  describeRemoteFailure,
  fieldsIn,
  type HostedToolCodec,
  type HostedTurn,
  objectsIn,
  parseJsonText,
  readCodeOutputs,
  readFileHits,
  readWebAction,
  stringFields,
  stringsIn,
  toApproximateLocation,
  toDomainLists,
  type WireFields,
} from '../../kit/index.ts';

/** The items of one type, in their order. */
function itemsOf({ items }: HostedTurn, type: string): readonly WireFields[] {
  return objectsIn(items).filter((item) => item['type'] === type);
}

/** The common fields of every call of a hosted tool. */
function toOutput({ id, status, error }: WireFields): HostedToolOutput {
  return {
    status: toStatus(status, error),
    ...stringFields({ errorCode: codeOf(error), invocationId: id }),
  };
}

function toStatus(status: unknown, error: unknown): HostedToolOutput['status'] {
  if (error !== undefined && error !== null) return 'failed';
  switch (status) {
    case 'completed':
    case undefined:
    case null:
      return 'completed';
    case 'failed':
    case 'cancelled':
      return 'failed';
    default:
      // An intermediate status, such as `searching`: the call did not complete.
      return 'incomplete';
  }
}

function codeOf(error: unknown): unknown {
  const { code, type } = fieldsIn(error);
  return [code, type].find((word) => typeof word === 'string' && word !== '');
}

/**
 * Citations of all text parts of a turn's messages.
 *
 * @param read returns what an annotation cites; undefined for an annotation of another kind.
 */
function citationsOf(
  turn: HostedTurn,
  read: (annotation: WireFields) => Cited | undefined,
): readonly Citation[] {
  return itemsOf(turn, 'message')
    .flatMap(({ content }) => objectsIn(content))
    .flatMap((part) => annotatedCitations(turn, part, part['annotations'], read));
}

/** A web search in the provider's format. */
type OpenAIWebSearchWire = {
  type: 'web_search';
  filters?: DomainLists;
  user_location?: ApproximateLocation;
  external_web_access?: false;
  search_context_size?: 'low' | 'medium' | 'high';
};

/** The codec of `web_search`. It requests the sources; without that a response contains only the queries. */
const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config }) => ({
    tools: [toWebSearch(config)],
    include: ['web_search_call.action.sources'],
    unsupported: config.maxUses === undefined ? [] : ['maxUses'],
  }),
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'web_search_call').map((item) => ({
      ...toOutput(item),
      ...readWebAction(item['action']),
    })),
    citations: citationsOf(turn, citedUrl),
  }),
};

export function toWebSearch({
  domainFilter,
  geoHint,
  allowLiveAccess = true,
  contextSize,
}: WebSearchConfig): OpenAIWebSearchWire {
  const { allowed = [], blocked = [] } = domainFilter ?? {};
  const filters = toDomainLists({
    ...present({
      allowed: allowed.length === 0 ? undefined : allowed,
      blocked: blocked.length === 0 ? undefined : blocked,
    }),
  });
  return {
    type: 'web_search',
    ...present({
      filters: Object.keys(filters).length === 0 ? undefined : filters,
      user_location: geoHint && toApproximateLocation(geoHint),
      external_web_access: allowLiveAccess ? undefined : (false as const),
      search_context_size: contextSize,
    }),
  };
}

/** A filter over file attributes in the provider's format. */
type FileFilterWire =
  | {
      type: 'eq' | 'ne' | 'gt' | 'gte' | 'lt' | 'lte' | 'in' | 'nin';
      key: string;
      value: string | number | boolean | (string | number)[];
    }
  | { type: 'and' | 'or'; filters: FileFilterWire[] };

/** A file search in the provider's format. */
type FileSearchWire = {
  type: 'file_search';
  vector_store_ids: string[];
  max_num_results?: number;
  ranking_options?: { score_threshold: number };
  filters?: FileFilterWire;
};

/** The codec of `file_search`. It requests the results; without that a response contains only the queries. */
const fileSearchCodec: HostedToolCodec<FileSearchConfig, FileSearchResult> = {
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
      // The filter is in the provider's format and is validated by the provider.
      filters: filter as FileFilterWire | undefined,
    }),
  };
}

/** What code may reach, in the provider's format. */
type NetworkPolicy = { type: 'disabled' } | { type: 'allowlist'; allowed_domains: string[] };

/** A code interpreter in the provider's format. */
type CodeInterpreterWire = {
  type: 'code_interpreter';
  container:
    | string
    | {
        type: 'auto';
        file_ids?: string[];
        memory_limit?: '1g' | '4g' | '16g' | '64g';
        network_policy?: NetworkPolicy;
      };
};

/** The codec of `code_interpreter`. The provider merges stdout and stderr and reports no exit code. */
const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config }) => {
    const { containerId, fileIds, memoryLimit, network } = config;
    return {
      tools: [toCodeInterpreter(config)],
      include: ['code_interpreter_call.outputs'],
      // An existing container has fixed files, memory and network.
      unsupported: containerId === undefined ? [] : configuredPaths({ fileIds, memoryLimit, network }),
    };
  },
  parseOutput: (turn) => ({
    invocations: itemsOf(turn, 'code_interpreter_call').map((item) => {
      const { code, container_id: containerId, outputs } = item;
      return { ...toOutput(item), ...stringFields({ code, containerId }), ...readCodeOutputs(outputs) };
    }),
    citations: citationsOf(turn, citedContainerFile),
  }),
};

export function toCodeInterpreter({
  containerId,
  fileIds,
  memoryLimit,
  network,
}: CodeInterpreterConfig): CodeInterpreterWire {
  if (containerId !== undefined) return { type: 'code_interpreter', container: containerId };
  const policy: NetworkPolicy | undefined =
    network === 'disabled'
      ? { type: network }
      : network && { type: 'allowlist', allowed_domains: [...network.allowedDomains] };
  return {
    type: 'code_interpreter',
    container: {
      type: 'auto',
      ...present({
        file_ids: fileIds && [...fileIds],
        memory_limit: memoryLimit,
        network_policy: policy,
      }),
    },
  };
}

/** An image generator in the provider's format. */
type ImageGenerationWire = {
  type: 'image_generation';
  output_format?: 'png' | 'webp' | 'jpeg';
  size?: string;
  quality?: 'low' | 'medium' | 'high';
  background?: 'transparent' | 'opaque';
  model?: string;
};

/** The codec of `image_generation`. */
const imageGenerationCodec: HostedToolCodec<ImageGenerationConfig, ImageGenerationResult> = {
  kind: 'image_generation',
  serialize: ({ config }) => ({ tools: [toImageGeneration(config)] }),
  parseOutput: (turn, { config: { format: asked = 'png' } }) => ({
    invocations: itemsOf(turn, 'image_generation_call').map((item) => {
      const { output_format: made, result: base64, revised_prompt: revisedPrompt } = item;
      const format = typeof made === 'string' ? made : asked;
      return {
        ...toOutput(item),
        mediaType: format === 'svg' ? 'image/svg+xml' : `image/${format}`,
        ...stringFields({ base64, revisedPrompt }),
      };
    }),
    citations: [],
  }),
};

export function toImageGeneration({
  format: output_format,
  ...options
}: ImageGenerationConfig): ImageGenerationWire {
  return { type: 'image_generation', ...present({ output_format, ...options }) };
}

/** A remote server in the provider's format. */
type HostedMcpWire = {
  type: 'mcp';
  server_label: string;
  server_url: string;
  authorization?: string;
  headers?: { [name: string]: string };
  allowed_tools?: string[];
  require_approval: 'always' | 'never';
};

/** The codec of `mcp`. Servers are distinguished by their labels. */
const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config }) => ({ tools: [toHostedMcp(config)] }),
  parseOutput: (turn, { config: { label: server } }) => ({
    invocations: objectsIn(turn.items)
      .filter((item) => item['server_label'] === server && isInvocation(item))
      .map((item) => {
        const { type, name, arguments: text, output, error } = item;
        return {
          ...toOutput(item),
          server,
          // The request for the server's tools is named as in the protocol.
          name: type === 'mcp_list_tools' ? 'tools/list' : String(name),
          arguments: parseJsonText(text),
          ...stringFields({ output, error: describeRemoteFailure(error) }),
        };
      }),
    citations: [],
  }),
};

export function toHostedMcp({
  label,
  url,
  authorization,
  headers,
  allowedTools,
  approval = 'always',
}: HostedMcpConfig): HostedMcpWire {
  return {
    type: 'mcp',
    server_label: label,
    server_url: url,
    ...present({
      authorization,
      headers: headers && { ...headers },
      allowed_tools: allowedTools && [...allowedTools],
    }),
    require_approval: approval,
  };
}

/** A request for the server's list of tools is reported only when it failed. */
function isInvocation({ type, error }: WireFields): boolean {
  return type === 'mcp_call' || (type === 'mcp_list_tools' && error !== undefined && error !== null);
}

/** A hosted tool in the provider's format. */
export type OpenAIHostedWire =
  | OpenAIWebSearchWire
  | CodeInterpreterWire
  | FileSearchWire
  | ImageGenerationWire
  | HostedMcpWire;

/** The adapter's codecs for hosted tools by kind, for use in codecs of your own. */
export const openaiHostedToolCodecs: {
  readonly web_search: typeof webSearchCodec;
  readonly code_interpreter: typeof codeInterpreterCodec;
  readonly file_search: typeof fileSearchCodec;
  readonly image_generation: typeof imageGenerationCodec;
  readonly mcp: typeof hostedMcpCodec;
} = {
  web_search: webSearchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
  image_generation: imageGenerationCodec,
  mcp: hostedMcpCodec,
};
