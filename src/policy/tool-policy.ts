import type { FileChange, Filesystem } from '../filesystem/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { AnySlice, SessionView } from '../session/index.ts';
import type { AnyTool, ToolSuccess } from '../tool/index.ts';
import type { PolicyDecision } from './policy-decision.ts';

/** The call that a policy judges. */
export interface PolicyCall {
  readonly tool: AnyTool;
  /** What the tool's schema made of the arguments; undefined when the tool takes none. */
  readonly params: unknown;
  readonly callId: string;
}

/**
 * What a policy may use. Everything belongs to the call's transaction: it commits or vanishes with the call. Take members out by
 * name: a copy by `{ ...context }`, an object made from it and a proxy of it do not have them.
 */
export interface PolicyContext {
  /** The session as the call sees it. May be written to even where the tool may only read. */
  readonly session: SessionView;
  /** The files as the call sees them; undefined when none are bound. Costs something only for who looks at it. */
  readonly filesystem?: Filesystem | undefined;
  readonly resources: ResourceResolver;
  readonly signal: AbortSignal;
}

/** What a policy may use once the handler has returned. */
export interface PolicyChangesContext extends PolicyContext {
  /** The files whose content the call has read. */
  readonly readPaths: readonly string[];
}

/** What a policy may use to record a success. */
export interface PolicyResultContext extends PolicyChangesContext {
  /** The net changes the call made to files, sorted by path. */
  readonly changes: readonly FileChange[];
}

/**
 * A rule about tool calls, for a section with its children or for a whole prompt. All policies of a call must allow it.
 * State that a policy keeps should be keyed and written blindly, so that guarded calls can run in parallel.
 * @see spec TOOLS "Tool Policies"
 */
export interface ToolPolicy {
  /** Unique in a prompt. Named in denials. */
  readonly name: string;
  /** Slices to install before the policy runs. Default: none. */
  readonly slices?: readonly AnySlice[];
  /**
   * Tools that the policy knows by name: tool → tools that must have succeeded before it. The policy must cover the former; the latter may be
   * anywhere in the prompt, and `onResult` hears of their successes too. A name that the prompt does not have is refused when the template is
   * made. Default: none.
   */
  readonly dependencies?: Readonly<Record<string, readonly string[]>>;
  /** Judges a call before its handler runs. May throw: the call is denied. */
  check?(call: PolicyCall, context: PolicyContext): PolicyDecision | Promise<PolicyDecision>;
  /** Judges what a call did to files, before it is committed; only asked when it changed some. May throw: the call is denied and rolled back. */
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
