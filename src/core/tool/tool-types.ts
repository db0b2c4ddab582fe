import type { CompiledSchema, Schema } from '../schema/index.ts';
import type { EventDefinition } from '../session/index.ts';
import type { ToolContext } from './context.ts';
import type { ToolFiles } from './tool-files.ts';
import type { ToolResult } from './tool-result.ts';

/**
 * What a handler changes, and so what the runtime may do with its calls.
 *
 * - `read`: changes nothing anywhere; a write is an error at the write. Runs in parallel.
 * - `state`: changes only what rolls back: session, files, transactional resources. Runs in parallel.
 * - `external`: changes the outside world. Runs alone, in call order.
 */
export type ToolEffects = 'read' | 'state' | 'external';

/**
 * Does the work of a tool. May throw: the call fails, everything it changed is rolled back, and the model reads the
 * error's message.
 */
export type ToolHandler<in P, out R> = (
  params: P,
  context: ToolContext,
) => ToolResult<R> | Promise<ToolResult<R>>;

/** What a {@link ToolReconciler} gets beside the params. */
export interface ReconcileContext {
  /** The model's id of the call. */
  readonly callId: string;
  /** What the handler had as `context.idempotencyKey`. */
  readonly idempotencyKey: string;
  /** What `once` of the tool says of the call; undefined for a tool without it. */
  readonly onceKey?: string | undefined;
  /** Aborted when the run ends. */
  readonly signal: AbortSignal;
}

/**
 * Finds out what became of a call that began before the run was interrupted: the result that the handler would have returned, a failure when it had no
 * effect, undefined when it cannot be known. Must change nothing. May throw: the call stays in doubt.
 */
export type ToolReconciler<in P, out R> = (
  params: P,
  context: ReconcileContext,
) => ToolResult<R> | undefined | Promise<ToolResult<R> | undefined>;

/**
 * A sample call for the model.
 *
 * @see docs/spec/tools.md §5
 */
export interface ToolExample<out I = unknown, out O = unknown> {
  /** 1 to 200 characters. */
  readonly description: string;
  /** Arguments as the model would send them; undefined for a tool without params. */
  readonly input: I;
  /** The value the call yields. */
  readonly output: O;
}

/** Payload of a tool's `succeeded` event. */
export interface ToolSucceededPayload<out I, out R> {
  readonly toolName: string;
  readonly callId: string;
  /** The arguments as the model sent them. */
  readonly params: I;
  readonly value: R;
}

/**
 * Something the model can call. `P` is what the handler gets, `R` the value of a success, `I` the arguments on the wire.
 * Made by `tool()`, frozen; its identity is what registries and policies compare.
 */
export interface Tool<in P, out R, out I = unknown> {
  readonly type: 'tool';
  readonly name: string;
  /** 1 to 200 characters, for the model; up to 4,096 of a tool that a server describes. */
  readonly description: string;
  readonly inputSchema?: Schema;
  readonly outputSchema?: Schema;
  /** Undefined: the tool is declared only, and calls to it fail. */
  readonly execute?: ToolHandler<P, R>;
  readonly examples: readonly ToolExample[];
  /** A success' value as text for the model. May throw: the value is then written as JSON. */
  render?(value: R): string;
  /** What a call is about, in a few words for people. May throw: its arguments are shown then. */
  subject?(params: I): string;
  readonly effects: ToolEffects;
  /** Running the call twice does no more than running it once: when the run is resumed after a crash, it runs again instead of being in doubt. */
  readonly idempotent: boolean;
  /** Whether the handler of a call that was interrupted runs again although it has effects outside, because the calls inside it know what they did. */
  readonly reenters: boolean;
  /** Names what a call does: of all calls with one name, in all runs of a journal, one does it. Undefined: each call does its own. */
  readonly once?: (params: P) => string;
  /** Finds out what became of a call that was interrupted. */
  readonly reconcile?: ToolReconciler<P, R>;
  /** Result and changes depend on arguments, session, files and evaluations inside alone; a replay runs the handler again. */
  readonly pure: boolean;
  /** Time limit for one attempt, in milliseconds. Undefined: none of its own. */
  readonly timeoutMs?: number;
  /** How many characters of a result the model may get. Undefined: as many as the run says. */
  readonly maxResultCharacters?: number;
  /** Overrides may change the description, the parameter descriptions and the examples. */
  readonly acceptsOverrides: boolean;
  /** Dispatched within the call when it succeeded, so that reducers can react in the same transaction. */
  readonly succeeded: EventDefinition<ToolSucceededPayload<unknown, unknown>, ToolSucceededPayload<I, R>>;
  readonly compiledInput?: CompiledSchema;
  /** What the runtime knows of the tool and files. @internal */
  readonly '~files'?: { readonly [Name in keyof ToolFiles]: ToolFiles[Name] };
  readonly compiledOutput?: CompiledSchema;
}

/** Any tool, for lists of different ones. */
export type AnyTool = Tool<never, unknown>;
