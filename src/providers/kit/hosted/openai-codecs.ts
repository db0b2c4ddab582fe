import { isRecord, present, readUnrounded } from '../../../core/internal/index.ts';
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
import { objectsIn, parseJsonText, stringFields, stringsIn, type WireFields } from '../wire/fields.ts';
import { annotatedCitations, type Cited } from './annotations.ts';
import type { HostedToolCodec, HostedTurn } from './hosted-tool-codec.ts';

/** The hosted tools of OpenAI, by kind. */
export type OpenAICodecs = {
  readonly web_search: HostedToolCodec<WebSearchConfig, WebSearchResult>;
  readonly code_interpreter: HostedToolCodec<CodeInterpreterConfig, CodeInterpreterResult>;
  readonly file_search: HostedToolCodec<FileSearchConfig, FileSearchResult>;
  readonly image_generation: HostedToolCodec<ImageGenerationConfig, ImageGenerationResult>;
  readonly mcp: HostedToolCodec<HostedMcpConfig, HostedMcpResult>;
};

/** One call of a hosted tool, as the provider reports it. */
export interface OpenAIHostedCall {
  readonly output: HostedToolOutput;
  /** With the provider's field names or those of the AI SDK. */
  readonly fields: WireFields;
}

/** How an interface to OpenAI writes hosted tools, and reports what came of them. */
export interface OpenAIHostedInterface {
  readonly serialize: { readonly [Kind in keyof OpenAICodecs]: OpenAICodecs[Kind]['serialize'] };
  /** The format of images that a request asks for; undefined for the provider's own. */
  imageFormat(format: ImageGenerationConfig['format']): ImageGenerationConfig['format'];
  /** The calls of one kind, in their order. */
  calls(turn: HostedTurn, kind: keyof OpenAICodecs): readonly OpenAIHostedCall[];
  /** The pieces of text of an answer, each with the list of its annotations. */
  annotated(turn: HostedTurn): readonly { readonly part: WireFields; readonly annotations: unknown }[];
}

/**
 * The codecs of OpenAI's hosted tools for one interface to them.
 *
 * @internal
 */
export function openaiCodecsOf({
  annotated,
  calls,
  imageFormat,
  serialize,
}: OpenAIHostedInterface): OpenAICodecs {
  /** @param read returns what an annotation cites; undefined for one of another kind. */
  const citationsOf = (
    turn: HostedTurn,
    read: (annotation: WireFields) => Cited | undefined,
  ): readonly Citation[] =>
    annotated(turn).flatMap(({ annotations, part }) => annotatedCitations(turn, part, annotations, read));
  return {
    web_search: {
      kind: 'web_search',
      serialize: serialize.web_search,
      parseOutput: (turn) => ({
        invocations: calls(turn, 'web_search').map(({ fields: { action, sources }, output }) => ({
          ...output,
          ...readWebAction(action, sources),
        })),
        citations: citationsOf(turn, citedUrl),
      }),
    },
    // The provider merges stdout and stderr and reports no exit code.
    code_interpreter: {
      kind: 'code_interpreter',
      serialize: serialize.code_interpreter,
      parseOutput: (turn) => ({
        invocations: calls(turn, 'code_interpreter').map(({ fields, output }) => {
          const { code, container_id: id, containerId = id, outputs } = fields;
          return { ...output, ...stringFields({ code, containerId }), ...readCodeOutputs(outputs) };
        }),
        citations: citationsOf(turn, citedContainerFile),
      }),
    },
    file_search: {
      kind: 'file_search',
      serialize: serialize.file_search,
      parseOutput: (turn) => ({
        invocations: calls(turn, 'file_search').map(({ fields: { queries, results }, output }) => ({
          ...output,
          queries: stringsIn(queries),
          results: readFileHits(results),
        })),
        citations: citationsOf(turn, citedFile),
      }),
    },
    image_generation: {
      kind: 'image_generation',
      serialize: serialize.image_generation,
      parseOutput: (turn, { config }) => ({
        invocations: calls(turn, 'image_generation').map(({ fields, output }) => {
          const { output_format: made, result: base64, revised_prompt: revisedPrompt } = fields;
          const format = typeof made === 'string' ? made : (imageFormat(config.format) ?? 'png');
          return {
            ...output,
            mediaType: format === 'svg' ? 'image/svg+xml' : `image/${format}`,
            ...stringFields({ base64: base64 === '' ? undefined : base64, revisedPrompt }),
          };
        }),
        citations: [],
      }),
    },
    // Servers are distinguished by their labels.
    mcp: {
      kind: 'mcp',
      allowsSeveral: true,
      identify: ({ config: { label } }) => `label "${label}"`,
      serialize: serialize.mcp,
      parseOutput: (turn, { config: { label: server } }) => ({
        invocations: calls(turn, 'mcp').flatMap(({ fields, output: call }): readonly HostedMcpResult[] => {
          const { arguments: text, error: failure, name, output, server_label: label } = fields;
          const { serverLabel = label } = fields;
          if (serverLabel !== server) return [];
          const error = describeRemoteFailure(failure);
          return [
            {
              ...call,
              ...present({ status: error === undefined ? undefined : ('failed' as const), error }),
              server,
              name: String(name),
              arguments: parseJsonText(text, readUnrounded),
              ...stringFields({ output }),
            },
          ];
        }),
        citations: [],
      }),
    },
  };
}

/** The action of a web search, in the form of the kind `web_search`. */
interface WebAction {
  readonly action: 'search' | 'open-page' | 'find-in-page';
  readonly queries: readonly string[];
  readonly sources: readonly { readonly url: string; readonly title?: string }[];
  readonly url?: string;
  readonly pattern?: string;
}

/**
 * Parses the action of an OpenAI web search, with the provider's field names or those of the AI SDK.
 *
 * @param found the sources, where they are not part of the action.
 * @internal
 */
function readWebAction(action: unknown, found?: unknown): WebAction {
  const { type, url, pattern, query, queries, sources = found } = isRecord(action) ? action : {};
  switch (type) {
    case 'open_page':
    case 'openPage':
      return { action: 'open-page', queries: [], sources: [], ...stringFields({ url }) };
    case 'find_in_page':
    case 'findInPage':
      return { action: 'find-in-page', queries: [], sources: [], ...stringFields({ url, pattern }) };
    default: {
      const all = stringsIn(queries);
      return {
        action: 'search',
        queries: all.length === 0 ? stringsIn([query]) : all,
        sources: readWebSources(sources),
      };
    }
  }
}

/**
 * Parses the pages that a web search found, as OpenAI and Anthropic report them.
 */
export function readWebSources(sources: unknown): WebAction['sources'] {
  return objectsIn(sources).flatMap(({ url, title }) =>
    typeof url === 'string' ? [{ url, ...stringFields({ title }) }] : [],
  );
}

/**
 * Parses the output of OpenAI's code interpreter. The provider merges stdout and stderr and reports no exit code.
 */
function readCodeOutputs(list: unknown): {
  readonly stdout?: string;
  readonly files: readonly { readonly url: string }[];
} {
  const outputs = objectsIn(list);
  const logs = outputs.flatMap(({ logs: text }) => (typeof text === 'string' ? [text] : []));
  return {
    ...present({ stdout: logs.length === 0 ? undefined : logs.join('') }),
    files: outputs.flatMap(({ type, url }) => (type === 'image' && typeof url === 'string' ? [{ url }] : [])),
  };
}

/** A passage found by a file search. */
interface FileHit {
  readonly fileId: string;
  readonly filename: string;
  readonly score?: number;
  readonly text?: string;
}

/**
 * Parses the results of an OpenAI file search, with the provider's field names or those of the AI SDK.
 */
function readFileHits(results: unknown): readonly FileHit[] {
  return objectsIn(results).flatMap(({ file_id: id, fileId = id, filename, score, text }) =>
    typeof fileId === 'string'
      ? [
          {
            fileId,
            filename: typeof filename === 'string' ? filename : fileId,
            ...present({ score: typeof score === 'number' ? score : undefined }),
            ...stringFields({ text }),
          },
        ]
      : [],
  );
}

/**
 * The web page that an annotation of OpenAI cites; undefined for other annotations.
 */
function citedUrl({ type, url, title }: WireFields): Cited | undefined {
  return type === 'url_citation' && typeof url === 'string'
    ? { type: 'url', url, ...stringFields({ title }) }
    : undefined;
}

/**
 * The searched file that an annotation of OpenAI cites. The index is not used: over time it has been an offset in the text
 * or an index into the files.
 */
function citedFile({ type, file_id: fileId, filename }: WireFields): Cited | undefined {
  return type === 'file_citation' ? citedAs(fileId, filename) : undefined;
}

/**
 * The file made by code that an annotation of OpenAI cites.
 */
function citedContainerFile({ type, file_id: fileId, filename }: WireFields): Cited | undefined {
  return type === 'container_file_citation' || type === 'file_path' ? citedAs(fileId, filename) : undefined;
}

function citedAs(fileId: unknown, filename: unknown): Cited | undefined {
  return typeof fileId === 'string' ? { type: 'file', fileId, ...stringFields({ filename }) } : undefined;
}

/**
 * The error of a call to a remote server, in the form of OpenAI's Responses API: a string, an error with a message, or the
 * error content of an MCP tool.
 */
function describeRemoteFailure(error: unknown): string | undefined {
  if (!isRecord(error)) return typeof error === 'string' ? error : undefined;
  const { message, content, type } = error;
  if (typeof message === 'string') return message;
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length > 0) return texts.join('\n');
  return typeof type === 'string' ? type : undefined;
}
