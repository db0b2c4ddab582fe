import type { ContentRead, FileChange, Filesystem } from '../filesystem/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { AnySlice, ReadonlySessionView, SessionView } from '../session/index.ts';
import type {
  AnyTool,
  BudgetTrackerPort,
  DeadlinePort,
  Logger,
  NestedAdapter,
  OuterToolCall,
  PromptPort,
  RenderedPromptPort,
  ToolSuccess,
} from '../tool/index.ts';
import type { PolicyDecision } from './policy-decision.ts';

/** The call that a policy judges. */
export interface PolicyCall {
  readonly tool: AnyTool;
  /**
   * What the tool's schema made of the arguments, read-only; undefined when the tool takes none. A date, a map or an instance of a class in it is the
   * policy's own: writing to it changes neither what runs nor what others get.
   */
  readonly params: unknown;
  readonly callId: string;
  /**
   * The calls that it runs inside of, outermost first, each with the evaluation that made the next one; empty for a call of the evaluation on
   * the root session. Tells apart calls of tools with one name in an outer and in an inner prompt.
   */
  readonly path: readonly OuterToolCall[];
}

/**
 * What a policy may use: what the handler of the call gets to read. Session, files and resources belong to the call's transaction: what is
 * done to them commits or vanishes with the call. Take members out by name: a copy by `{ ...context }`, an object made from it and a
 * proxy of it do not have them.
 */
export interface PolicyContext {
  /** The prompt whose model made the call: in a call inside another one an inner prompt, also for a policy of the outer prompt. */
  readonly prompt: PromptPort;
  /** The same prompt as the model has it: the instructions, and the tools that it could call when it made the call. Read-only. */
  readonly renderedPrompt: RenderedPromptPort;
  /**
   * Evaluates prompts on the model of the run, to have a model judge the call, while the policy is being asked. They see session and
   * files as the call does, and may read only: tools with other effects are refused, and what is written to STATE is dropped. Records
   * stay, and tokens count as those of the call. The policies over the call govern these evaluations, but for the one that evaluates.
   */
  readonly adapter: NestedAdapter;
  /** The session as the call sees it. May be written to even where the tool may only read. */
  readonly session: SessionView;
  /** The files as the call sees them; undefined when none are bound. Has a cost only when read. */
  readonly filesystem?: Filesystem | undefined;
  /** Those of the policy's own prompt. What takes part in transactions is what the call sees, or else the outer call. */
  readonly resources: ResourceResolver;
  /** Undefined when there is none. */
  readonly deadline?: DeadlinePort | undefined;
  /** The budget of the evaluation that made the call, or else that of the outer run; undefined when there is none. */
  readonly budgetTracker?: BudgetTrackerPort | undefined;
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

/** What a policy may use once the handler has returned. */
export interface PolicyChangesContext extends PolicyContext {
  /** The files whose content the call has read. */
  readonly readPaths: readonly string[];
  /** The same, with the parts of their texts that were read or found. Absent where that is not known. @internal */
  readonly '~contentReads'?: readonly ContentRead[] | undefined;
  /**
   * What calls inside this one changed, those about which the policy was asked, in the order in which they were committed. Empty
   * unless the handler evaluates prompts, and for a policy of scope `'own'`.
   */
  readonly innerChanges: readonly FileChange[];
}

/** What a policy may use to record a success. */
export interface PolicyResultContext extends PolicyChangesContext {
  /** The net changes the call made to files, sorted by path. */
  readonly changes: readonly FileChange[];
}

/**
 * A rule about tool calls, for a section with its children or for a whole prompt. All policies of a call must allow it.
 * State that a policy keeps should be keyed and written blindly, so that guarded calls can run in parallel.
 * @see docs/spec/policies.md §1
 */
export interface ToolPolicy {
  /** Unique in a prompt. Named in denials. */
  readonly name: string;
  /**
   * Which calls it is asked about: those of its own prompt, and those of evaluations inside these calls, at every depth (`'subtree'`), or
   * those of its own prompt only (`'own'`). Default: `'subtree'`.
   */
  readonly scope?: 'subtree' | 'own';
  /** Slices to install before the policy runs. Default: none. */
  readonly slices?: readonly AnySlice[];
  /**
   * Tools that the policy knows by name: tool → tools that must have succeeded before it. The policy must cover the former; the latter may be
   * anywhere in the prompt, and `onResult` is called for their successes too. A name that the prompt does not have is refused when the template is
   * made. Default: none.
   */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
  /**
   * What a model must still know of what the policy has seen, once earlier turns have left the conversation (`context.compact`): a text, empty for nothing. Pure; the
   * session can only be read. May throw: the model reads that there is no text, and the error is logged. Default: nothing.
   */
  digest?(session: ReadonlySessionView): string;
  /** Judges a call before its handler runs. May throw: the call is denied. */
  check?(call: PolicyCall, context: PolicyContext): PolicyDecision | Promise<PolicyDecision>;
  /** Judges a call's file changes before they are committed; called only when there are changes. May throw: the call is denied and rolled back. */
  checkChanges?(
    call: PolicyCall,
    changes: readonly FileChange[],
    context: PolicyChangesContext,
  ): PolicyDecision | Promise<PolicyDecision>;
  /** Records a success, inside the call's transaction. May throw: the call fails and is rolled back. */
  onResult?(
    call: PolicyCall,
    result: ToolSuccess<unknown>,
    context: PolicyResultContext,
  ): void | Promise<void>;
}
