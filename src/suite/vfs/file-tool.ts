import { FilesystemError, type FilesystemErrorCode } from '../../core/error/index.ts';
import type { Filesystem } from '../../core/filesystem/index.ts';
import { counted, present, readName } from '../../core/internal/index.ts';
import {
  described,
  type Field,
  type InferOutput,
  type OptionalField,
  optional,
  type Schema,
  text,
} from '../../core/schema/index.ts';
import { type AnyTool, type ToolFiles, type ToolOptions, ToolResult, tool } from '../../core/tool/index.ts';
import { quote } from './text.ts';

/** A path that a tool needs. */
export function pathField(description: string): Field<string> {
  return described(text, { minLength: 1, description });
}

/** A directory that a tool looks in, the root by default. @param purpose such as `Directory to list`. */
export function directoryField(purpose: string): OptionalField<string> {
  return optional(text, {
    default: '.',
    description: `${purpose}, from the workspace root. "." is the root.`,
  });
}

/** A file tool: as any tool, with effects on the workspace alone. */
interface FileToolOptions<PS extends Schema, RS extends Schema> extends Omit<ToolOptions<PS, RS>, 'pure'> {
  readonly inputSchema: PS;
  readonly execute: NonNullable<ToolOptions<PS, RS>['execute']>;
  readonly effects: 'read' | 'state';
  /** The path that a refused operation is about. */
  readonly pathOf: (params: InferOutput<PS>) => string;
  /** The arguments that name files. */
  readonly names: NonNullable<ToolFiles['arguments']>;
  readonly replaces?: NonNullable<ToolFiles['replaces']>;
}

/**
 * Makes a file tool: one that reads is idempotent, the message of one that changes files holds everything, and an operation that the
 * file system refuses is a failed result that says what to do next. Any other error passes through: the runtime answers it.
 */
export function fileTool<PS extends Schema, RS extends Schema>({
  pathOf,
  names,
  replaces,
  execute,
  ...options
}: FileToolOptions<PS, RS>): AnyTool {
  return tool<PS, RS>({
    pure: true,
    ...(options.effects === 'read' ? { idempotent: true } : { render: () => '' }),
    ...options,
    '~files': { arguments: names, ...present({ replaces }) },
    execute: async (params, context) => {
      try {
        return await execute(params, context);
      } catch (error) {
        if (!FilesystemError.isInstance(error)) throw error;
        return ToolResult.error(await explain(context.filesystem, pathOf(params), error));
      }
    },
  });
}

/** What is known when a file operation failed. */
interface FailureFacts {
  /** The path in quotes, as the model wrote it or as the file system names it. */
  readonly path: string;
  /** The file system's own sentence about the failure. */
  readonly message: string;
  /** Size of the file, where there is one. */
  readonly bytes: number | undefined;
}

/** The message to the model for each code of {@link FilesystemError}, only here: what is wrong, then what to do next. */
const explanations: Readonly<Record<FilesystemErrorCode, (facts: FailureFacts) => string>> = {
  'path-not-found': ({ path }) => `There is no ${path}. Use ls or glob to see which files there are.`,
  'path-taken': ({ path }) => `${path} exists already. Choose another path, or remove it first.`,
  'path-is-directory': ({ path }) =>
    `${path} is a directory, a file is needed here. Use ls to see what it holds and name one of its files.`,
  'path-not-directory': ({ path }) =>
    `${path} cannot be used as a directory: it, or a part of its path, is a file. Use read_file for a file, or choose a path through directories only.`,
  'directory-not-empty': ({ path }) =>
    `${path} is a directory that is not empty. Remove what it holds first.`,
  'path-invalid': ({ message }) =>
    `${message} Use a path from the workspace root with "/" between its parts, for example "src/main.ts".`,
  'path-outside-root': ({ path }) =>
    `${path} leaves the workspace. Every path starts at the workspace root; use one that does not climb out of it with "..".`,
  'filesystem-read-only': ({ path }) => `${path} was not changed: the files can only be read here.`,
  'filesystem-quota-exceeded': ({ message }) =>
    `${message} Nothing was changed. Write less, or remove files that are no longer needed.`,
  'file-not-text': ({ path, bytes }) =>
    `${path} is a binary file${bytes === undefined ? '' : ` of ${counted(bytes, 'byte')}`}, not UTF-8 text; it cannot be shown or edited as text. Continue without its content.`,
  'file-too-large': ({ message }) =>
    `${message} Nothing was changed. Split the content over several smaller files.`,
  'pattern-invalid': ({ message }) => message,
  'edit-not-found': ({ path }) =>
    `old_string does not occur in ${path}. Read the file again and copy the text exactly. Nothing was changed.`,
  'edit-ambiguous': ({ path }) =>
    `old_string occurs more than once in ${path}. Add lines around it until it is unique, or set replace_all. Nothing was changed.`,
  'argument-invalid': ({ message }) => message,
  'path-forbidden': ({ path }) =>
    `${path} cannot be opened: the operating system refuses access. Continue without it.`,
  'path-excluded': ({ message }) => message,
  'file-changed-on-disk': ({ path }) =>
    `${path} was changed by another process in the meantime. Nothing was changed here. Read it again.`,
  'root-replaced': ({ message }) => message,
  'filesystem-locked': ({ message }) => message,
  'filesystem-busy': ({ message }) => message,
  'filesystem-storage-failed': ({ message }) => message,
};

const quotesAdvice = 'Pass the path itself, without the quotes and escapes in which results show it.';

async function explain(filesystem: Filesystem, path: string, error: FilesystemError): Promise<string> {
  const named = error.details?.['path'];
  // What a link leads to, and which permissions a file has, is said by the file system alone.
  if (typeof error.details['link'] === 'string' || typeof error.details['mode'] === 'string')
    return error.message;
  const bytes = error.code === 'file-not-text' ? await sizeOf(filesystem, path) : undefined;
  const explanation = explanations[error.code]({
    path: quote(typeof named === 'string' && named !== '' ? named : path),
    message: error.message,
    bytes,
  });
  return isQuoted(path, error.code) ? `${explanation} ${quotesAdvice}` : explanation;
}

/** Whether a path was not found, or is not a path, for the quotes that a result shows it in. */
function isQuoted(path: string, code: FilesystemErrorCode): boolean {
  return (code === 'path-not-found' || code === 'path-invalid') && readName(path) !== path;
}

async function sizeOf(filesystem: Filesystem, path: string): Promise<number | undefined> {
  const found = await filesystem.stat(path);
  return found?.bytes;
}
