import { present } from '../../../core/internal/index.ts';
import type { Citation } from '../../../core/tool/index.ts';
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
  annotatedCitations,
  type Cited,
  citedContainerFile,
  citedFile,
  citedUrl,
  configuredPaths,
  describeRemoteFailure,
  type HostedToolCodec,
  type HostedToolCodecTable,
  type HostedTurn,
  objectsIn,
  parseJsonText,
  readCodeOutputs,
  readFileHits,
  readWebAction,
  stringFields,
  stringsIn,
  toApproximateLocation,
  type WireFields,
} from '../../kit/index.ts';
import { providerMetadataOf } from '../wire/provider-metadata.ts';
import { invocationsOf, toOutput } from './invocations.ts';
import { domainLists, providerTool } from './provider-tool.ts';

/** The codec of `web_search`. The package itself requests the sources of a search. */
const webSearchCodec: HostedToolCodec<WebSearchConfig, WebSearchResult> = {
  kind: 'web_search',
  serialize: ({ config: { domainFilter, geoHint, allowLiveAccess = true, contextSize, maxUses } }) => ({
    tools: [
      providerTool('openai.web_search', 'web_search', {
        filters: domainLists(domainFilter),
        externalWebAccess: allowLiveAccess ? undefined : false,
        searchContextSize: contextSize,
        userLocation: geoHint && toApproximateLocation(geoHint),
      }),
    ],
    unsupported: configuredPaths({ maxUses }),
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, 'web_search').map((run) => {
      const { action, sources, status } = run.fields;
      // A search that did not finish is reported as an error, with its last stage.
      const isCut = run.isError && status !== 'failed';
      return {
        ...toOutput(run),
        ...present({ status: isCut ? ('incomplete' as const) : undefined }),
        ...readWebAction(action, sources),
      };
    }),
    citations: annotationsOf(turn, citedUrl),
  }),
};

/**
 * The codec of `file_search`. The package does not request the found passages unless its option `include` holds
 * `file_search_call.results`, so the codec sets it.
 */
const fileSearchCodec: HostedToolCodec<FileSearchConfig, FileSearchResult> = {
  kind: 'file_search',
  serialize: ({ config: { storeIds, maxResults, scoreThreshold, filter } }) => ({
    tools: [
      providerTool('openai.file_search', 'file_search', {
        vectorStoreIds: storeIds,
        maxNumResults: maxResults,
        ranking: scoreThreshold === undefined ? undefined : { scoreThreshold },
        filters: filter,
      }),
    ],
    request: { providerOptions: { openai: { include: ['file_search_call.results'] } } },
  }),
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, 'file_search').map((run) => ({
      ...toOutput(run),
      queries: stringsIn(run.fields['queries']),
      results: readFileHits(run.fields['results']),
    })),
    citations: annotationsOf(turn, citedFile),
  }),
};

/** The codec of `code_interpreter`. The provider merges stdout and stderr and reports no exit code. */
const codeInterpreterCodec: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  kind: 'code_interpreter',
  serialize: ({ config: { containerId, fileIds, memoryLimit, network } }) => {
    const networkPolicy =
      network === 'disabled'
        ? { type: network }
        : network && { type: 'allowlist', allowedDomains: network.allowedDomains };
    return {
      tools: [
        providerTool('openai.code_interpreter', 'code_interpreter', {
          container: containerId ?? { ...present({ fileIds, memoryLimit, networkPolicy }) },
        }),
      ],
      // An existing container has fixed files, memory and network.
      unsupported: containerId === undefined ? [] : configuredPaths({ fileIds, memoryLimit, network }),
    };
  },
  parseOutput: (turn) => ({
    invocations: invocationsOf(turn, 'code_interpreter').map((run) => {
      const { code, containerId } = run.input;
      return {
        ...toOutput(run),
        ...stringFields({ code, containerId }),
        ...readCodeOutputs(run.fields['outputs']),
      };
    }),
    citations: annotationsOf(turn, citedContainerFile),
  }),
};

/**
 * The same for the package of AI SDK 6, which does not send the limits of containers to the provider and does not report
 * that.
 */
const codeInterpreterCodecV3: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult> = {
  ...codeInterpreterCodec,
  serialize: (tool, model) => {
    const { memoryLimit, network } = tool.config;
    const { unsupported = [], ...wire } = codeInterpreterCodec.serialize(tool, model);
    return {
      ...wire,
      unsupported: [...new Set([...unsupported, ...configuredPaths({ memoryLimit, network })])],
    };
  },
};

/** The codec of `image_generation`. The package does not pass on the revised prompt. */
const imageGenerationCodec: HostedToolCodec<ImageGenerationConfig, ImageGenerationResult> = {
  kind: 'image_generation',
  serialize: ({ config: { format: outputFormat, size, quality, background, model } }) => ({
    tools: [
      providerTool('openai.image_generation', 'image_generation', {
        outputFormat,
        size,
        quality,
        background,
        model,
      }),
    ],
  }),
  parseOutput: (turn, { config: { format = 'png' } }) => ({
    invocations: invocationsOf(turn, 'image_generation').map((run) => {
      const { result: base64 } = run.fields;
      const output = { ...toOutput(run), mediaType: `image/${format}` };
      if (typeof base64 === 'string' && base64 !== '') return { ...output, base64 };
      return run.isDone ? { ...output, status: 'failed' as const } : output;
    }),
    citations: [],
  }),
};

/** The codec of `mcp`. Servers are distinguished by their labels. The package requests no approval by default. */
const hostedMcpCodec: HostedToolCodec<HostedMcpConfig, HostedMcpResult> = {
  kind: 'mcp',
  allowsSeveral: true,
  identify: ({ config: { label } }) => `label "${label}"`,
  serialize: ({ config: { label, url, authorization, headers, allowedTools, approval = 'always' } }) => ({
    tools: [
      providerTool('openai.mcp', `mcp:${label}`, {
        serverLabel: label,
        serverUrl: url,
        authorization,
        headers,
        allowedTools,
        requireApproval: approval,
      }),
    ],
  }),
  parseOutput: (turn, { config: { label: server } }) => ({
    invocations: invocationsOf(turn, (toolName) => toolName.startsWith('mcp.'))
      .filter(({ fields }) => fields['serverLabel'] === server)
      .map((run) => {
        const { name, arguments: text, output, error: failure } = run.fields;
        const error = describeRemoteFailure(failure);
        return {
          ...toOutput(run),
          ...present({ status: error === undefined ? undefined : ('failed' as const), error }),
          server,
          name: typeof name === 'string' ? name : run.toolName.replace(/^mcp\./, ''),
          arguments: parseJsonText(text),
          ...stringFields({ output }),
        };
      }),
    citations: [],
  }),
};

/** The hosted tools of `@ai-sdk/openai` for the Responses API, by kind. */
export const openaiCodecs: HostedToolCodecTable = {
  web_search: webSearchCodec,
  code_interpreter: codeInterpreterCodec,
  file_search: fileSearchCodec,
  image_generation: imageGenerationCodec,
  mcp: hostedMcpCodec,
};

/** The same for the package of AI SDK 6. */
export const openaiCodecsV3: HostedToolCodecTable = {
  ...openaiCodecs,
  code_interpreter: codeInterpreterCodecV3,
};

/**
 * The citations of an answer. The package passes the provider's annotations through, in both versions of the interface.
 *
 * @param read returns what an annotation cites; undefined for one of another kind.
 */
function annotationsOf(
  turn: HostedTurn,
  read: (annotation: WireFields) => Cited | undefined,
): readonly Citation[] {
  return objectsIn(turn.items)
    .filter(({ type }) => type === 'text')
    .flatMap((part) => annotatedCitations(turn, part, providerMetadataOf(part)['annotations'], read));
}
