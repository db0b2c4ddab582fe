import { assertMembers, assertOptions, PromptValidationError } from '../error/index.ts';
import { compileGlob } from '../filesystem/index.ts';
import { showName } from '../internal/index.ts';
import {
  type CheckedCompletionContext,
  type CompletionChecker,
  type CompletionContext,
  CompletionVerdict,
  earlierResults,
  readVerdict,
} from './completion.ts';

/**
 * One checker for a list: the task is done when all of them say so. All are asked, in order, so that the model reads everything
 * that is missing at once.
 *
 * @throws {PromptValidationError} for an empty list, and for an element that is not a checker.
 * @internal
 */
export function allCompletions(checkers: readonly CompletionChecker[]): CompletionChecker {
  const [only] = checkers;
  if (only !== undefined && checkers.length === 1) return only;
  return {
    name: composedName('all-of', checkers),
    requires: checkers.flatMap(({ requires = [] }) => requires),
    check: async (context) => {
      const missing: string[] = [];
      for (const checker of checkers) {
        const verdict = readVerdict(checker, await checker.check(context));
        if (verdict.outcome === 'incomplete') missing.push(verdict.feedback);
      }
      return missing.length === 0
        ? CompletionVerdict.complete()
        : CompletionVerdict.incomplete(missing.join('\n\n'));
    },
  };
}

/**
 * The task is done when one of these checkers says so; a list in the place of a checker means all of them. They are asked in
 * order until one does; otherwise the model reads what each of them is missing.
 *
 * @throws {PromptValidationError} without a checker.
 */
export function anyCompletion(
  ...alternatives: readonly (CompletionChecker | readonly CompletionChecker[])[]
): CompletionChecker {
  const checkers = alternatives.map((given) => (isList(given) ? allCompletions(given) : given));
  return {
    name: composedName('any-of', checkers),
    requires: checkers.flatMap(({ requires = [] }) => requires),
    check: async (context) => {
      const missing: string[] = [];
      for (const checker of checkers) {
        const verdict = readVerdict(checker, await checker.check(context));
        if (verdict.outcome === 'complete') return verdict;
        missing.push(verdict.feedback);
      }
      return missing.length === 1
        ? CompletionVerdict.incomplete(missing.join(''))
        : CompletionVerdict.incomplete(listed(missing));
    },
  };
}

/** Options of {@link filesExistCompletion}. */
export interface FilesExistCompletionOptions {
  /** Paths or globs, at least one; a file must match each of them. */
  readonly paths: readonly string[];
}

/**
 * The task is done when a file matches each of these paths or globs. The prompt must bind a file system.
 *
 * @throws {PromptValidationError} without a path. {@link FilesystemError} code `pattern-invalid` for a glob that is not valid.
 */
export function filesExistCompletion(options: FilesExistCompletionOptions): CompletionChecker {
  assertOptions('filesExistCompletion()', options, { paths: 'array!' });
  const paths = [...options.paths];
  if (paths.length === 0) throw invalid('filesExistCompletion() needs at least one path or glob in paths.');
  for (const path of paths) compileGlob(path);
  return {
    name: 'files-exist',
    requires: [{ kind: 'filesystem' }],
    check: async ({ filesystem, signal }) => {
      if (filesystem === undefined) {
        throw new TypeError('filesExistCompletion() cannot look for files: the prompt binds no file system.');
      }
      const missing: string[] = [];
      for (const path of paths) {
        const { paths: found } = await filesystem.glob(path, { limit: 1, signal });
        if (found.length === 0) missing.push(path);
      }
      return missing.length === 0
        ? CompletionVerdict.complete()
        : CompletionVerdict.incomplete(
            `${missing.length === 1 ? 'A file is' : 'Files are'} still missing: ${missing.map(showName).join(', ')}. Write what is missing, then answer again.`,
          );
    },
  };
}

/** Options of {@link lastCallCompletion}. */
export interface LastCallCompletionOptions {
  /** The tool whose last call must have succeeded. */
  readonly toolName: string;
}

/**
 * The task is done when the tool was called in the evaluation, or else in its `history`, and its last call succeeded, such as the tool that runs
 * the tests. The prompt must have the tool.
 *
 * @throws {PromptValidationError} without the name of a tool.
 */
export function lastCallCompletion(options: LastCallCompletionOptions): CompletionChecker {
  assertOptions('lastCallCompletion()', options, { toolName: 'string!' });
  const { toolName } = options;
  return {
    name: `last-call-succeeded:${toolName}`,
    requires: [{ kind: 'tool', toolName }],
    check: (context): CompletionVerdict => {
      const hasFailed = lastFailed(context, toolName);
      if (hasFailed === undefined) {
        return CompletionVerdict.incomplete(
          `The tool "${toolName}" has not been called yet. Call it, and answer once it has succeeded.`,
        );
      }
      return hasFailed
        ? CompletionVerdict.incomplete(
            `The last call of "${toolName}" failed. Put right what it complained of, call it again, and answer once it has succeeded.`,
          )
        : CompletionVerdict.complete();
    },
  };
}

/** Whether the last call of a tool failed; undefined when there was none. */
function lastFailed(
  context: CompletionContext & Partial<CheckedCompletionContext>,
  toolName: string,
): boolean | undefined {
  const { calls } = context;
  for (let index = calls.length - 1; index >= 0; index -= 1) {
    const call = calls.at(index);
    if (call?.toolName === toolName) return !call.success;
  }
  return context[earlierResults]?.get(toolName)?.isError;
}

function isList(
  given: CompletionChecker | readonly CompletionChecker[],
): given is readonly CompletionChecker[] {
  return Array.isArray(given);
}

function composedName(kind: string, checkers: readonly CompletionChecker[]): string {
  if (checkers.length === 0) throw invalid(`A checker ${kind} needs at least one checker to ask.`);
  for (const checker of checkers) {
    assertMembers(`${kind}: a checker`, checker, { name: 'string!', check: 'function!' });
  }
  return `${kind}(${checkers.map(({ name }) => name).join(', ')})`;
}

function listed(missing: readonly string[]): string {
  return ['One of these is enough:', ...missing.map((text) => `- ${text.replaceAll('\n', '\n  ')}`)].join(
    '\n',
  );
}

function invalid(message: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option: 'completion' } });
}
