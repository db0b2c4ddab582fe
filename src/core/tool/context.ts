import type { Filesystem } from '../filesystem/index.ts';
import type { ResourceResolver } from '../resource/index.ts';
import type { JsonValue } from '../schema/index.ts';
import type { SessionView } from '../session/index.ts';
import type { NestedAdapter } from './nested-evaluation.ts';
import type { BudgetTrackerPort, DeadlinePort, PromptPort, RenderedPromptPort } from './ports.ts';

/**
 * What a handler can reach. Frozen, made for one attempt at one call; its members can be taken out of it by name. A copy by
 * `{ ...context }`, an object made from it and a proxy of it do not have them. Once the call has ended, every access to
 * session, files or resources throws a `TransactionClosedError`.
 *
 * @see docs/spec/tools.md §6
 */
export interface ToolContext {
  readonly prompt: PromptPort;
  readonly renderedPrompt: RenderedPromptPort;
  /** Evaluates other prompts as a part of this call. */
  readonly adapter: NestedAdapter;
  /** The call's private view: it reads through, and what it writes lands only when the call succeeds. */
  readonly session: SessionView;
  readonly resources: ResourceResolver;
  /**
   * The call's private view of the files.
   * @throws {ResourceError} `resource-unbound` when the prompt binds no file system.
   */
  readonly filesystem: Filesystem;
  /**
   * The real path on the host of the folder whose files the call works on; undefined when the prompt binds no file system, or one that is not a
   * folder on disk. The folder does not show what the call has written. Never put it into a result.
   */
  readonly workspace?: string | undefined;
  /** Undefined when there is none. */
  readonly deadline?: DeadlinePort | undefined;
  /** The budget of the evaluation, or else that of the outer run; undefined when there is none. */
  readonly budgetTracker?: BudgetTrackerPort | undefined;
  /** The model's id of this call, the same for every attempt. */
  readonly callId: string;
  /** Number of the attempt, from 1; more than 1 after a conflict with another change. */
  readonly attempt: number;
  /**
   * Identifies the call to services that refuse to do a thing twice: run, turn and id, percent-encoded. The same for every attempt and, in a run with a
   * journal, after a crash; different for every other call.
   */
  readonly idempotencyKey: string;
  /** What `once` of the tool says of the call: the same for all calls that would do the same thing, in all runs. Undefined for a tool without it. */
  readonly onceKey?: string | undefined;
  /** Aborted by the deadline, the tool's own time limit or the caller. A handler should stop then. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /**
   * Asks the user, with a form of the fields, and waits. Who that is, the option `askUser` of the run decides; a server of tools asks the client that made the call. Calls inside
   * ask through the outer one. Meanwhile the idle timeout does not count; `timeoutMs` of the tool and the deadline do. A call that runs again after a conflict gets the
   * answer to an equal question once more, and no person is asked twice; after a crash it asks again.
   *
   * Resolves with `answered` and the value of each field, those that are optional and were left out excepted; `declined`: the user said no; `dismissed`: the user
   * closed the form; `unavailable`: there is no answer, for a reason that is text for the handler: no user can be asked, or what came back does not fit the fields. It never makes up
   * an answer.
   *
   * @param question `message` has 1 to 4,000 characters. There are at most 20 `fields`; none asks for a yes alone. A name has up to 64 characters of `A-Za-z0-9_-` and begins with a
   *   letter; a title has up to 200 characters, a description up to 2,000; `enum`, for texts only, has 1 to 100 different texts of up to 200 characters. Texts of an answer have at most
   *   10,000.
   * @throws {PromptValidationError} for any other question.
   * @throws {TransactionClosedError} when the call has ended.
   * @throws the reason of `signal` when that is aborted.
   */
  askUser(question: {
    readonly message: string;
    readonly fields: Readonly<
      Record<
        string,
        {
          readonly type: 'string' | 'number' | 'integer' | 'boolean';
          readonly title?: string;
          readonly description?: string;
          readonly enum?: readonly string[];
          /** True: the user may leave it out. */
          readonly isOptional?: boolean;
        }
      >
    >;
  }): Promise<
    | { readonly kind: 'answered'; readonly values: Readonly<Record<string, string | number | boolean>> }
    | { readonly kind: 'declined' }
    | { readonly kind: 'dismissed' }
    | { readonly kind: 'unavailable'; readonly reason: string }
  >;
  /** Tells the watchdog that a long call is alive. Never throws. */
  beat(): void;
  /** Tells observers of the run how far the call is. Not part of the transaction. */
  progress(update: JsonValue): void;
}

/** Where the library and handlers write what is of use to an operator. Must not throw. */
export interface Logger {
  /** What helps to follow a run step by step. */
  debug(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What is worth knowing and no reason to act. */
  info(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What continued, but not as it should. */
  warn(message: string, fields?: Readonly<Record<string, unknown>>): void;
  /** What was lost or refused. */
  error(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

const ignore = (): void => undefined;

/** A logger that drops everything, the default. */
export const silentLogger: Logger = Object.freeze({
  debug: ignore,
  info: ignore,
  warn: ignore,
  error: ignore,
});
