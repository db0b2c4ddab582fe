import { present } from '../../../core/internal/index.ts';
import type { HostedToolOutput } from '../../../core/tool/index.ts';
import type {
  CodeInterpreterConfig,
  FileSearchConfig,
  HostedMcpConfig,
  ImageGenerationConfig,
  WebSearchConfig,
} from '../../../suite/hosted/index.ts';
import {
  type ApproximateLocation,
  configuredPaths,
  type DomainLists,
  fieldsIn,
  type HostedTurn,
  namedDomains,
  type OpenAICodecs,
  type OpenAIHostedCall,
  objectsIn,
  openaiCodecsOf,
  openaiTypes,
  stringFields,
  toApproximateLocation,
  toDomainLists,
  type WireFields,
} from '../../kit/index.ts';

type Types = typeof openaiTypes;

/** The calls of one kind in an answer. A request for a server's list of tools is one only when it failed; it is named as in the protocol. */
function callsOf({ items }: HostedTurn, kind: keyof OpenAICodecs): readonly OpenAIHostedCall[] {
  return objectsIn(items).flatMap((item): readonly OpenAIHostedCall[] => {
    const { error, type } = item;
    const isList = kind === 'mcp' && type === 'mcp_list_tools' && error !== undefined && error !== null;
    if (type !== `${kind}_call` && !isList) return [];
    return [{ output: toOutput(item), fields: isList ? { ...item, name: 'tools/list' } : item }];
  });
}

/** The common fields of every call of a hosted tool. The vendor's types have an error of remote servers and of images only. */
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

/** A web search in the provider's format. */
type OpenAIWebSearchWire = {
  type: Types['web_search'][0]['type'];
  /** The vendor's types do not have `blocked_domains` yet. A server that does not know it may reject the request, or search these domains. */
  filters?: DomainLists;
  user_location?: ApproximateLocation;
  external_web_access?: false;
  search_context_size?: 'low' | 'medium' | 'high';
};

export function toWebSearch({
  domainFilter,
  geoHint,
  allowLiveAccess = true,
  contextSize,
}: WebSearchConfig): OpenAIWebSearchWire {
  const domains = namedDomains(domainFilter);
  return {
    type: openaiTypes.web_search[0].type,
    ...present({
      filters: domains && toDomainLists(domains),
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
  type: Types['file_search'][0]['type'];
  vector_store_ids: string[];
  max_num_results?: number;
  ranking_options?: { score_threshold: number };
  filters?: FileFilterWire;
};

export function toFileSearch({
  storeIds,
  maxResults,
  scoreThreshold,
  filter,
}: FileSearchConfig): FileSearchWire {
  return {
    type: openaiTypes.file_search[0].type,
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
  type: Types['code_interpreter'][0]['type'];
  container:
    | string
    | {
        type: 'auto';
        file_ids?: string[];
        memory_limit?: '1g' | '4g' | '16g' | '64g';
        network_policy?: NetworkPolicy;
      };
};

export function toCodeInterpreter({
  containerId,
  fileIds,
  memoryLimit,
  network,
}: CodeInterpreterConfig): CodeInterpreterWire {
  if (containerId !== undefined)
    return { type: openaiTypes.code_interpreter[0].type, container: containerId };
  const policy: NetworkPolicy | undefined =
    network === 'disabled'
      ? { type: network }
      : network && { type: 'allowlist', allowed_domains: [...network.allowedDomains] };
  return {
    type: openaiTypes.code_interpreter[0].type,
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
  type: Types['image_generation'][0]['type'];
  output_format?: 'png' | 'webp' | 'jpeg' | 'gif' | 'svg';
  size?: string;
  quality?: 'low' | 'medium' | 'high' | 'xhigh' | 'max';
  background?: 'transparent' | 'opaque';
  model?: string;
};

export function toImageGeneration({
  format: output_format,
  ...options
}: ImageGenerationConfig): ImageGenerationWire {
  return { type: openaiTypes.image_generation[0].type, ...present({ output_format, ...options }) };
}

/** A remote server in the provider's format. */
type HostedMcpWire = {
  type: Types['mcp'][0]['type'];
  server_label: string;
  server_url: string;
  authorization?: string;
  headers?: { [name: string]: string };
  allowed_tools?: string[];
  require_approval: 'always' | 'never';
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
    type: openaiTypes.mcp[0].type,
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

/** A hosted tool in the provider's format. */
export type OpenAIHostedWire =
  | OpenAIWebSearchWire
  | CodeInterpreterWire
  | FileSearchWire
  | ImageGenerationWire
  | HostedMcpWire;

// Spelled by kind, so that declarations name no type of this package that no entry exports.
/** The adapter's codecs for hosted tools by kind, for use in codecs of your own. */
export const openaiHostedToolCodecs: { readonly [Kind in keyof OpenAICodecs]: OpenAICodecs[Kind] } =
  openaiCodecsOf({
    // Without what is to be included, a response has the queries of searches only, and no outputs of code.
    serialize: {
      web_search: ({ config }) => ({
        tools: [toWebSearch(config)],
        include: ['web_search_call.action.sources'],
        unsupported: configuredPaths({
          maxUses: config.maxUses,
          filterByCode: config.filterByCode || undefined,
        }),
      }),
      code_interpreter: ({ config }) => {
        const { containerId, fileIds, memoryLimit, network } = config;
        return {
          tools: [toCodeInterpreter(config)],
          include: ['code_interpreter_call.outputs'],
          // An existing container has fixed files, memory and network.
          unsupported: containerId === undefined ? [] : configuredPaths({ fileIds, memoryLimit, network }),
        };
      },
      file_search: ({ config }) => ({ tools: [toFileSearch(config)], include: ['file_search_call.results'] }),
      image_generation: ({ config }) => ({ tools: [toImageGeneration(config)] }),
      mcp: ({ config }) => ({ tools: [toHostedMcp(config)] }),
    },
    imageFormat: (format) => format,
    calls: callsOf,
    annotated: ({ items }) =>
      objectsIn(items)
        .filter(({ type }) => type === 'message')
        .flatMap(({ content }) => objectsIn(content))
        .map((part) => ({ part, annotations: part['annotations'] })),
  });
