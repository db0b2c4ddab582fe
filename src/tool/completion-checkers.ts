import { assertOptions, PromptValidationError } from '../error/index.ts';
import { compileGlob } from '../filesystem/index.ts';
import { showName } from '../internal/index.ts';
import {
  type CompletionChecker,
  type CompletionVerdict,
  complete,
  incomplete,
  readVerdict,
} from './completion.ts';

/**
 * The task is done when all of these say so. All are asked, in order, so that the model hears at once what is missing.
 *
 * @throws {PromptValidationError} without a checker.
 */
export function allOf(...checkers: readonly CompletionChecker[]): CompletionChecker {
  return {
    name: composedName('all-of', checkers),
    requires: checkers.flatMap(({ requires = [] }) => requires),
    check: async (context) => {
      const missing: string[] = [];
      for (const checker of checkers) {
        const verdict = readVerdict(checker, await checker.check(context));
        if (verdict.outcome === 'incomplete') missing.push(verdict.feedback);
      }
      return missing.length === 0 ? complete() : incomplete(missing.join('\n\n'));
    },
  };
}

/**
 * The task is done when one of these says so. They are asked in order until one does; otherwise the model hears what each
 * of them is missing.
 *
 * @throws {PromptValidationError} without a checker.
 */
export function anyOf(...checkers: readonly CompletionChecker[]): CompletionChecker {
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
      return missing.length === 1 ? incomplete(missing.join('')) : incomplete(alternatives(missing));
    },
  };
}

/**
 * The task is done when a file matches each of these paths or globs. The prompt must bind a file system.
 *
 * @throws {PromptValidationError} without a path. {@link FilesystemError} code `pattern-invalid` for a glob that is none.
 */
export function filesExist(...paths: readonly string[]): CompletionChecker {
  if (paths.length === 0) throw invalid('filesExist() takes at least one path or glob.');
  for (const path of paths) compileGlob(path);
  return {
    name: 'files-exist',
    requires: [{ kind: 'filesystem' }],
    check: async ({ filesystem, signal }) => {
      if (filesystem === undefined) {
        throw new TypeError('filesExist() has nothing to look at: the prompt binds no file system.');
      }
      const missing: string[] = [];
      for (const path of paths) {
        const { paths: found } = await filesystem.glob(path, { limit: 1, signal });
        if (found.length === 0) missing.push(path);
      }
      return missing.length === 0
        ? complete()
        : incomplete(
            `${missing.length === 1 ? 'A file is' : 'Files are'} still missing: ${missing.map(showName).join(', ')}. Write what is missing, then answer again.`,
          );
    },
  };
}

/**
 * The task is done when the tool was called in the conversation and its last call succeeded, such as the one that runs the tests.
 * The prompt must have the tool.
 */
export function lastCallSucceeded(toolName: string): CompletionChecker {
  return {
    name: `last-call-succeeded:${toolName}`,
    requires: [{ kind: 'tool', toolName }],
    check: ({ conversation }): CompletionVerdict => {
      const last = conversation.findLast((item) => item.type === 'tool-result' && item.toolName === toolName);
      if (last?.type !== 'tool-result') {
        return incomplete(
          `The tool "${toolName}" has not been called yet. Call it, and answer once it has succeeded.`,
        );
      }
      return last.isError
        ? incomplete(
            `The last call of "${toolName}" failed. Put right what it complained of, call it again, and answer once it has succeeded.`,
          )
        : complete();
    },
  };
}

function composedName(kind: string, checkers: readonly CompletionChecker[]): string {
  if (checkers.length === 0) throw invalid(`A checker ${kind} needs at least one checker to ask.`);
  for (const checker of checkers) {
    assertOptions(`${kind}: a checker`, checker, { name: 'string!', check: 'function!' });
  }
  return `${kind}(${checkers.map(({ name }) => name).join(', ')})`;
}

function alternatives(missing: readonly string[]): string {
  return ['One of these is enough:', ...missing.map((text) => `- ${text.replaceAll('\n', '\n  ')}`)].join(
    '\n',
  );
}

function invalid(message: string): PromptValidationError {
  return new PromptValidationError(message, { details: { option: 'completion' } });
}
