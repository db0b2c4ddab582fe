import type { Filesystem } from '../filesystem/index.ts';
import { wellFormedText } from '../internal/index.ts';
import type { AnySlice, ReadonlySessionView } from '../session/index.ts';
import type { ConversationItem, ToolResultItem } from './conversation.ts';
import type { BudgetTrackerPort, DeadlinePort, PromptPort, RenderedPromptPort } from './ports.ts';
import type { FinishReason, PromptResponse } from './prompt-response.ts';
import type { CallHistory } from './tool-invoked.ts';

/**
 * Whether a task is done, and if not, the feedback for the model. Made by the functions of the same name:
 * `CompletionVerdict.incomplete('…')`.
 */
export type CompletionVerdict =
  | { readonly outcome: 'complete' }
  | { readonly outcome: 'incomplete'; readonly feedback: string };

/** What a checker gets: the state of the run when the model has answered. Session and files are sealed when it returns. */
export interface CompletionContext {
  readonly prompt: PromptPort;
  /** The same prompt as the model had it when it answered. Read-only. */
  readonly renderedPrompt: RenderedPromptPort;
  /** What the model said last. */
  readonly text: string;
  /** The answer as the prompt's output schema reads it; undefined for a prompt without one. */
  readonly output: unknown;
  /** What the hosted tools have given until now, by name, such as the sources of the answer; `hostedOutputsOf` gives that of one tool with its types. */
  readonly hostedOutputs: PromptResponse['hostedOutputs'];
  readonly finishReason: FinishReason;
  /** What was said, the answer included, as the model has it: turns and results that were left out to keep it short are not in it. */
  readonly conversation: readonly ConversationItem[];
  /** The calls of this evaluation, in a long one the last 1,000 at least and the last one of every other tool. */
  readonly calls: CallHistory;
  /** Number of this check in the evaluation, from 1. */
  readonly check: number;
  /** For reading; a write throws. */
  readonly session: ReadonlySessionView;
  /** For reading; a write rejects. Undefined when the prompt binds no file system. */
  readonly filesystem: Filesystem | undefined;
  readonly deadline: DeadlinePort | undefined;
  /** The budget of the evaluation, or else that of the outer run. */
  readonly budgetTracker: BudgetTrackerPort | undefined;
  /** Aborted when the run ends; the run does not wait for the checker then. */
  readonly signal: AbortSignal;
}

/** The key of what only checkers of the library read. */
export const earlierResults: unique symbol = Symbol('earlier results');

/** A context as the runtime makes it. @internal */
export interface CheckedCompletionContext extends CompletionContext {
  /** The last result of each tool in the `history` that the evaluation began with, by the name of the tool. */
  readonly [earlierResults]: ReadonlyMap<string, ToolResultItem>;
}

/** Decides whether the task is done when the model ends its turn without calling a tool. */
export interface CompletionChecker {
  /** For events and errors. Not empty. */
  readonly name: string;
  /** What the prompt must have. An evaluation without it rejects with a `PromptValidationError` before it begins. Default: nothing. */
  readonly requires?: readonly (
    | {
        readonly kind: 'slice';
        readonly slice: AnySlice;
        /** What brings it, for the error: `planningToolsSection()`. */
        readonly broughtBy: string;
      }
    /** A tool of the prompt, in whatever section, or one that `history` has a result of. */
    | { readonly kind: 'tool'; readonly toolName: string }
    /** A binding of `Filesystem`, or the files of the call around the evaluation. */
    | { readonly kind: 'filesystem' }
  )[];
  /**
   * May throw or reject: the evaluation ends with a `PromptEvaluationError` of code `evaluation-completion-failed`. A
   * checker that cannot decide must not count as one that agreed.
   */
  check(context: CompletionContext): CompletionVerdict | Promise<CompletionVerdict>;
}

/** Something that a checker needs, without which the task could never be done. */
export type CompletionRequirement = NonNullable<CompletionChecker['requires']>[number];

const done: CompletionVerdict = /* @__PURE__ */ Object.freeze({ outcome: 'complete' });

/** Makes what completion checkers return. */
export const CompletionVerdict: {
  /** The task is done: the evaluation ends with the answer. */
  readonly complete: () => CompletionVerdict;
  /**
   * The task is not done: the model reads why and continues.
   *
   * @param feedback what is missing; the model reads it as a message of the user.
   * @throws {TypeError} when it is empty.
   */
  readonly incomplete: (feedback: string) => CompletionVerdict;
} = {
  complete: () => done,
  incomplete: (feedback) => {
    if (typeof feedback !== 'string' || feedback.trim() === '') {
      throw new TypeError(
        'CompletionVerdict.incomplete() needs feedback: a string that says what is missing and is not empty.',
      );
    }
    return Object.freeze({ outcome: 'incomplete', feedback });
  },
};

/**
 * What a checker returned. Checkers are user code: anything but a verdict must not count as agreement.
 *
 * @throws {TypeError} when it is not a verdict.
 * @internal
 */
export function readVerdict({ name }: CompletionChecker, returned: unknown): CompletionVerdict {
  if (typeof returned === 'object' && returned !== null) {
    const { outcome, feedback } = returned as Readonly<Record<string, unknown>>;
    if (outcome === 'complete') return done;
    if (outcome === 'incomplete' && typeof feedback === 'string' && feedback.trim() !== '') {
      return Object.freeze({ outcome, feedback: wellFormedText(feedback) });
    }
  }
  throw new TypeError(
    `What the completion checker "${name}" returned is not a verdict: return CompletionVerdict.complete() or CompletionVerdict.incomplete(feedback).`,
  );
}
