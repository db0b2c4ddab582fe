import { present } from '../../../core/internal/index.ts';
import type { ImageGenerationConfig } from '../../../suite/hosted/index.ts';
import {
  aiSdkOpenaiTypes,
  configuredPaths,
  type HostedTurn,
  type OpenAICodecs,
  type OpenAIHostedCall,
  objectsIn,
  openaiCodecsOf,
  toApproximateLocation,
} from '../../kit/index.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import { type HostedInvocation, invocationsOf, toOutput } from './invocations.ts';
import { domainLists, providerTool } from './provider-tool.ts';

/** The hosted tools of `@ai-sdk/openai` for the Responses API, by kind. */
export const openaiCodecs: OpenAICodecs = openaiCodecsOf({
  serialize: {
    // The package itself requests the sources of a search.
    web_search: ({
      config: { domainFilter, geoHint, allowLiveAccess = true, contextSize, maxUses, filterByCode },
    }) => ({
      tools: [
        providerTool(aiSdkOpenaiTypes.web_search[0], {
          filters: domainLists(domainFilter),
          externalWebAccess: allowLiveAccess ? undefined : false,
          searchContextSize: contextSize,
          userLocation: geoHint && toApproximateLocation(geoHint),
        }),
      ],
      unsupported: configuredPaths({ maxUses, filterByCode: filterByCode || undefined }),
    }),
    code_interpreter: ({ config: { containerId, fileIds, memoryLimit, network } }) => {
      const networkPolicy =
        network === 'disabled'
          ? { type: network }
          : network && { type: 'allowlist', allowedDomains: network.allowedDomains };
      return {
        tools: [
          providerTool(aiSdkOpenaiTypes.code_interpreter[0], {
            container: containerId ?? { ...present({ fileIds, memoryLimit, networkPolicy }) },
          }),
        ],
        // An existing container has fixed files, memory and network.
        unsupported: containerId === undefined ? [] : configuredPaths({ fileIds, memoryLimit, network }),
      };
    },
    // The package requests the found passages only when its option `include` says so.
    file_search: ({ config: { storeIds, maxResults, scoreThreshold, filter } }) => ({
      tools: [
        providerTool(aiSdkOpenaiTypes.file_search[0], {
          vectorStoreIds: storeIds,
          maxNumResults: maxResults,
          ranking: scoreThreshold === undefined ? undefined : { scoreThreshold },
          filters: filter,
        }),
      ],
      request: { providerOptions: { openai: { include: ['file_search_call.results'] } } },
    }),
    image_generation: ({ config: { format, ...options } }) => ({
      tools: [
        providerTool(aiSdkOpenaiTypes.image_generation[0], { outputFormat: sentFormat(format), ...options }),
      ],
      unsupported: configuredPaths({ format: sentFormat(format) === format ? undefined : format }),
    }),
    // The package requests no approval by default.
    mcp: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => ({
      tools: [
        providerTool(
          { ...aiSdkOpenaiTypes.mcp[0], name: `mcp:${label}` },
          {
            serverLabel: label,
            serverUrl: url,
            authorization,
            headers,
            allowedTools,
            requireApproval: approval,
          },
        ),
      ],
    }),
  },
  imageFormat: sentFormat,
  calls: callsOf,
  // The package passes the provider's annotations through, in both versions of the interface.
  annotated: ({ items }) =>
    objectsIn(items)
      .filter(({ type }) => type === 'text')
      .map((part) => ({ part, annotations: providerMetadataOf(part)['annotations'] })),
});

/** The package refuses formats that OpenAI has added since. */
function sentFormat(format: ImageGenerationConfig['format']): ImageGenerationConfig['format'] {
  return format === 'gif' || format === 'svg' ? undefined : format;
}

/** The same for the package of AI SDK 6, which does not send the limits of containers to the provider and does not report that. */
export const openaiCodecsV3: OpenAICodecs = {
  ...openaiCodecs,
  code_interpreter: {
    ...openaiCodecs.code_interpreter,
    serialize: (tool, model) => {
      const { memoryLimit, network } = tool.config;
      const { unsupported = [], ...wire } = openaiCodecs.code_interpreter.serialize(tool, model);
      return {
        ...wire,
        unsupported: [...new Set([...unsupported, ...configuredPaths({ memoryLimit, network })])],
      };
    },
  },
};

const mcpPrefix = 'mcp.';

/** The calls of one kind in an answer. The package names those of a server `mcp.TOOL`. */
function callsOf(turn: HostedTurn, kind: keyof OpenAICodecs): readonly OpenAIHostedCall[] {
  return invocationsOf(turn, kind === 'mcp' ? (name) => name.startsWith(mcpPrefix) : kind).map((run) => {
    const { fields, input, toolName } = run;
    const name = typeof fields['name'] === 'string' ? fields['name'] : toolName.slice(mcpPrefix.length);
    const { code, containerId } = input;
    // The package gives the code with the call and not with its result, and the name of a remote tool only sometimes.
    const given = kind === 'code_interpreter' ? { code, containerId } : kind === 'mcp' ? { name } : {};
    return {
      output: { ...toOutput(run), ...present({ status: statusOf(run, kind) }) },
      fields: { ...fields, ...given },
    };
  });
}

/** What became of a call where the package does not say it as for the others. */
function statusOf(
  { fields, isDone, isError }: HostedInvocation,
  kind: keyof OpenAICodecs,
): 'incomplete' | 'failed' | undefined {
  const { result, status } = fields;
  // A search that did not finish is reported as an error, with its last stage.
  if (kind === 'web_search' && isError && status !== 'failed') return 'incomplete';
  if (kind === 'image_generation' && isDone && (typeof result !== 'string' || result === '')) return 'failed';
  return undefined;
}
