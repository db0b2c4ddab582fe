import { PromptValidationError } from '../error/index.ts';
import type { OverridesSource } from '../prompt/index.ts';
import {
  type Approve,
  type ConversationItem,
  type Deadline,
  type InputPart,
  type RunEventListener,
  type ThrottleOptions,
  type ToolChoice,
  toThrottlePolicy,
} from '../runtime/index.ts';
import type { JsonValue } from '../schema/index.ts';
import type { Clock, IdSource, Session } from '../session/index.ts';
import type { Logger } from '../tool/index.ts';

/** How one evaluation runs. Everything is optional. */
export interface EvaluateOptions {
  /** What the user says: one text, or several parts. Default: nothing beside the instructions. */
  readonly input?: string | readonly InputPart[];
  /** An earlier conversation to go on with, such as `response.conversation`. It is copied once. Default: none. */
  readonly history?: readonly ConversationItem[];
  /**
   * Holds the state and the resources of the agent; one evaluation at a time. Default: a new one, disposed at the end.
   */
  readonly session?: Session;
  /** When the run must have ended. Default: never. */
  readonly deadline?: Deadline;
  /** Ends the run when aborted; calls that were not committed are rolled back. */
  readonly signal?: AbortSignal;
  /** Decides what policies ask. Default: whatever is asked is denied. */
  readonly approve?: Approve;
  /**
   * Whether policies are held to. `false` is a trial: policies are asked and record what they see, but nothing is denied
   * and nobody is asked; what would have been is in `ToolInvoked` (`shadow`) and in `policy-shadow` events. Default: true.
   */
  readonly enforce?: boolean;
  /** Calls of one turn that may run at the same time: 1 or more; with 1 they run strictly one after the other. Default: 8. */
  readonly concurrency?: number;
  /** How often the model may be asked: 1 or more. Default: 100. */
  readonly maxTurns?: number;
  /** Default: `'auto'`. */
  readonly toolChoice?: ToolChoice;
  /** Settings for the provider, passed on as they are. Default: none. */
  readonly settings?: Readonly<Record<string, JsonValue>>;
  /**
   * How a model that could not answer (rate limit, timeout, failure of the server) is asked again; `false`: it is not.
   * Default: up to 5 attempts for a turn, with waits that grow from half a second, 30 seconds in all.
   */
  readonly throttle?: ThrottleOptions | false;
  /**
   * Where other texts than those of the code come from. What does not fit is left out and logged as a warning; overrides
   * that cannot be loaded end the run before its first request. Nested evaluations take theirs from it too. Default: none.
   */
  readonly overrides?: OverridesSource;
  /** Hears what happens while it happens. Must not throw: what it throws is logged. */
  readonly onEvent?: RunEventListener;
  /** Default: silent. */
  readonly logger?: Logger;
  /** Time and timers. Default: the session's, which is the system's unless it was given another. */
  readonly clock?: Clock;
  /** Makes the id of a session that is created here. Default: random. */
  readonly ids?: IdSource;
}

/** @throws {PromptValidationError} when a number is out of its range. */
export function checkEvaluateOptions(options: EvaluateOptions): void {
  for (const name of ['concurrency', 'maxTurns'] as const) {
    const value = options[name];
    if (value !== undefined && (!Number.isSafeInteger(value) || value < 1)) {
      throw new PromptValidationError(
        `The option ${name} must be a whole number of at least 1, got ${value}.`,
        {
          details: { option: name, value },
        },
      );
    }
  }
  toThrottlePolicy(options.throttle);
}
