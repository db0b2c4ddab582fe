import type { Filesystem } from '../../filesystem/index.ts';
import type { ReadonlySessionView } from '../../session/index.ts';
import type {
  BudgetTrackerPort,
  CallHistory,
  DeadlinePort,
  PromptPort,
  RenderedPromptPort,
} from '../../tool/index.ts';

/** How much a feedback matters, least first. */
export type FeedbackSeverity = 'info' | 'caution' | 'warning';

/** The guidance of a provider for the model. */
export interface Feedback {
  /** Not empty. Text that would end the surrounding block is escaped. */
  readonly message: string;
  /** What the model may do about it, one line each. Default: none. */
  readonly suggestions?: readonly string[];
  /** Default: `'info'`. */
  readonly severity?: FeedbackSeverity;
}

/**
 * When a provider is due; checked after each tool call, and one trigger that holds is enough. At least one is required. Calls of every outcome
 * count, a re-run call once; counts continue from one evaluation of the prompt to the next in the same session.
 */
export interface FeedbackTriggers {
  /** Once so many calls have ended since the provider last ran: 1 or more. */
  readonly everyCalls?: number;
  /** Once so many milliseconds have passed since it last ran, or since the first call began: above 0, by the clock of the run. */
  readonly everyMs?: number;
  /**
   * Once for each file that matches this path or glob, when a committed call has created it; once for those of one call
   * together. Files there before do not count.
   */
  readonly fileCreated?: string;
}

/** What a provider gets: the state of the run after a call has ended. Session and files are sealed when the provider returns. */
export interface FeedbackContext {
  readonly prompt: PromptPort;
  /** The same prompt as the model had it when it made the call. Read-only. */
  readonly renderedPrompt: RenderedPromptPort;
  /**
   * The calls of this evaluation, in a long one the last 1,000 at least and the last one of every other tool; the last is the one that has just
   * ended, its text yet without feedback.
   */
  readonly calls: CallHistory;
  /** Milliseconds since this evaluation began. */
  readonly elapsedMs: number;
  /** For reading; a write throws. */
  readonly session: ReadonlySessionView;
  /** For reading; a write rejects. Undefined when the prompt binds no file system. */
  readonly filesystem: Filesystem | undefined;
  readonly deadline: DeadlinePort | undefined;
  /** The budget of the evaluation, or else that of the outer run. */
  readonly budgetTracker: BudgetTrackerPort | undefined;
  /** Aborted when the run ends; the run does not wait for the provider then. */
  readonly signal: AbortSignal;
}

/**
 * Observes a run and occasionally adds guidance for the model: its text is appended to the result of the call
 * after which the provider was due.
 *
 * Both functions may throw or reject: it is logged and recorded, the provider counts as run, and nothing else changes.
 * The next call is not committed before they are done.
 */
export interface FeedbackProvider {
  /** 1 to 64 of a-z, 0-9, ".", "_", "-", starting with a letter or digit; unique among the providers of an evaluation. */
  readonly name: string;
  readonly triggers: FeedbackTriggers;
  /** Asked when a trigger holds; on `false` the provider stays due. Default: it runs. */
  shouldRun?(context: FeedbackContext): boolean | Promise<boolean>;
  /** The feedback, or undefined when there is nothing to say. */
  provide(context: FeedbackContext): Feedback | undefined | Promise<Feedback | undefined>;
}
