import type {
  ListResourcesResult,
  ReadResourceResult,
  ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { FilesystemError } from '../../../core/error/index.ts';
import type { Filesystem } from '../../../core/filesystem/index.ts';
import { isRecord, present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import { mediaFormatOf } from '../../../core/tool/index.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import type { ServedTools } from './served-tools.ts';

/** Resources of one answer to `resources/list`. */
const pageSize = 500;
/** Resources that are listed; others are read by their address. */
const maxListed = 10_000;
/** Bytes of one resource; of a larger one a tool reads parts. */
const maxBytes = 4_194_304;

/** Addresses begin with this; no path of the host is in them. */
const root = 'workspace:///';

/** What {@link ServedResources} works with. */
export interface ServedResourcesOptions {
  readonly sdk: McpServerSdk;
  readonly tools: ServedTools;
  readonly filesystem: Filesystem;
}

/** Answers of the tools that make the file system the one to ask: it was read, or it is not text or too long for a model. */
const readAnyway: ReadonlySet<string | undefined> = new Set(['failed-result', 'result-too-large']);

/**
 * The files of a session as resources. A read is a call of `read_file`, and a page of the list a call of `glob`, so that policies, transactions, journal and record are those of calls. What policies
 * allow is then read whole, as the file is.
 *
 * @see docs/spec/mcp.md §3
 */
export class ServedResources {
  readonly #options: ServedResourcesOptions;

  constructor(options: ServedResourcesOptions) {
    this.#options = options;
  }

  templates(): ResourceTemplateType[] {
    return [{ name: 'file', uriTemplate: `${root}{+path}`, description: 'A file of the workspace.' }];
  }

  /** @throws an error of the protocol when a policy denies the search, or for a cursor that it did not send. */
  async list(cursor: string | undefined, signal: AbortSignal): Promise<ListResourcesResult> {
    const { filesystem, tools } = this.#options;
    const after = cursor === undefined ? '' : this.#pathIn(cursor);
    if (!tools.isFileTool('glob')) return { resources: [] };
    await this.#call('glob', { pattern: '**' }, signal);
    const { paths } = await filesystem.glob('**', { limit: maxListed, respectGitignore: true, signal });
    const rest = paths.filter((path) => path > after);
    const page = rest.slice(0, pageSize);
    const last = page.at(-1);
    return {
      resources: page.map((path) => ({ uri: uriOf(path), name: path })),
      ...present({ nextCursor: rest.length > pageSize && last !== undefined ? encoded(last) : undefined }),
    };
  }

  /** @throws an error of the protocol with the reason: another address, a policy, or what the file system says. */
  async read(uri: string, signal: AbortSignal): Promise<ReadResourceResult> {
    const path = pathOf(uri);
    if (path === undefined)
      throw this.#notFound(uri, `There is no resource "${uri}". Addresses begin with ${root}`);
    if (!this.#options.tools.isFileTool('read_file'))
      throw this.#notFound(uri, 'Files cannot be read: there is no tool "read_file".');
    const { text, params } = await this.#call('read_file', { file_path: path }, signal, uri);
    // A policy may have replaced the path.
    const read = isRecord(params) ? params['file_path'] : undefined;
    const content = await this.#contentOf(typeof read === 'string' ? read : path, uri, text);
    return { contents: [{ uri, ...content }] };
  }

  async #contentOf(path: string, uri: string, refusal: string) {
    const { filesystem } = this.#options;
    try {
      const found = await filesystem.stat(path);
      if (found === undefined || found.bytes > maxBytes) {
        const size = `It has more than ${maxBytes} bytes, which is too much for a resource: read parts of it with read_file.`;
        throw this.#notFound(uri, found === undefined ? refusal : size);
      }
      // The tool shows what it holds.
      if (found.kind === 'directory')
        throw this.#notFound(uri, `The address "${uri}" is that of a directory. Read one of its files.`);
      return contentOf(await filesystem.readBytes(path));
    } catch (error) {
      if (FilesystemError.isInstance(error)) throw this.#notFound(uri, refusal);
      throw error;
    }
  }

  /** Calls a tool as a client does. @throws an error of the protocol when the tool was not run. */
  async #call(name: string, params: JsonObject, signal: AbortSignal, uri?: string) {
    const { tools } = this.#options;
    const { invocation, isError, text } = await tools.call({
      callId: tools.nextCallId(),
      name,
      arguments: params,
      signal,
      onProgress: () => undefined,
      trace: undefined,
    });
    const { outcome, params: used, reason } = invocation;
    const wasRun = !isError || (outcome === 'rolled-back' && readAnyway.has(reason));
    if (!wasRun) throw this.#notFound(uri, text);
    return { text, params: used };
  }

  #pathIn(cursor: string): string {
    const path = Buffer.from(cursor, 'base64url').toString('utf8');
    if (path === '' || encoded(path) !== cursor)
      throw this.#notFound(undefined, 'The cursor is not from this server.');
    return path;
  }

  #notFound(uri: string | undefined, message: string): Error {
    const { ProtocolError, ProtocolErrorCode } = this.#options.sdk;
    return new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      message,
      uri === undefined ? undefined : { uri },
    );
  }
}

const encoded = (path: string): string => Buffer.from(path, 'utf8').toString('base64url');

/** Half a surrogate pair has no place in an address; a path with one is not found by it. */
function uriOf(path: string): string {
  return (
    root +
    path
      .replaceAll(/\p{Surrogate}/gu, '\uFFFD')
      .split('/')
      .map(encodeURIComponent)
      .join('/')
  );
}

function pathOf(uri: string): string | undefined {
  if (!uri.startsWith(root)) return undefined;
  try {
    const path = decodeURIComponent(uri.slice(root.length));
    return path === '' ? undefined : path;
  } catch {
    return undefined;
  }
}

/** Text where the bytes are UTF-8 without zeros; anything else as it is. */
function contentOf(
  bytes: Uint8Array,
):
  | { readonly mimeType: string; readonly text: string }
  | { readonly mimeType: string; readonly blob: string } {
  const text = bytes.includes(0) ? undefined : textIn(bytes);
  if (text !== undefined) return { mimeType: 'text/plain', text };
  const mimeType = mediaFormatOf(bytes)?.mediaType ?? 'application/octet-stream';
  return { mimeType, blob: Buffer.from(bytes).toString('base64') };
}

function textIn(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
