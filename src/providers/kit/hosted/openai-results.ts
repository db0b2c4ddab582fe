import { isRecord, present } from '../../../core/internal/index.ts';
import { objectsIn, stringFields, stringsIn, type WireFields } from '../wire/fields.ts';
import type { Cited } from './annotations.ts';

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
export function readWebAction(action: unknown, found?: unknown): WebAction {
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
 *
 * @internal
 */
export function readWebSources(sources: unknown): WebAction['sources'] {
  return objectsIn(sources).flatMap(({ url, title }) =>
    typeof url === 'string' ? [{ url, ...stringFields({ title }) }] : [],
  );
}

/**
 * Parses the output of OpenAI's code interpreter. The provider merges stdout and stderr and reports no exit code.
 *
 * @internal
 */
export function readCodeOutputs(list: unknown): {
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
 *
 * @internal
 */
export function readFileHits(results: unknown): readonly FileHit[] {
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
 *
 * @internal
 */
export function citedUrl({ type, url, title }: WireFields): Cited | undefined {
  return type === 'url_citation' && typeof url === 'string'
    ? { type: 'url', url, ...stringFields({ title }) }
    : undefined;
}

/**
 * The searched file that an annotation of OpenAI cites. The index is not used: over time it has been an offset in the text
 * or an index into the files.
 *
 * @internal
 */
export function citedFile({ type, file_id: fileId, filename }: WireFields): Cited | undefined {
  return type === 'file_citation' ? citedAs(fileId, filename) : undefined;
}

/**
 * The file made by code that an annotation of OpenAI cites.
 *
 * @internal
 */
export function citedContainerFile({ type, file_id: fileId, filename }: WireFields): Cited | undefined {
  return type === 'container_file_citation' || type === 'file_path' ? citedAs(fileId, filename) : undefined;
}

function citedAs(fileId: unknown, filename: unknown): Cited | undefined {
  return typeof fileId === 'string' ? { type: 'file', fileId, ...stringFields({ filename }) } : undefined;
}

/**
 * The error of a call to a remote server, in the form of OpenAI's Responses API: a string, an error with a message, or the
 * error content of an MCP tool.
 *
 * @internal
 */
export function describeRemoteFailure(error: unknown): string | undefined {
  if (!isRecord(error)) return typeof error === 'string' ? error : undefined;
  const { message, content, type } = error;
  if (typeof message === 'string') return message;
  if (typeof content === 'string') return content;
  const texts = objectsIn(content).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  if (texts.length > 0) return texts.join('\n');
  return typeof type === 'string' ? type : undefined;
}
