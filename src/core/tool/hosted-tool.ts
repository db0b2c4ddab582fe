import {
  assertArgument,
  assertMembers,
  assertOptions,
  describeError,
  PromptValidationError,
} from '../error/index.ts';
import { isRecord, ownMember, wellFormed, wellFormedText } from '../internal/index.ts';
import { freezeJson, type JsonObject } from '../schema/index.ts';
import { assertDescription, assertToolName } from './names.ts';

/**
 * A tool that the provider runs itself: outside policies and transactions. How its config is sent and its output read is
 * up to the adapter's codec for its kind.
 */
export interface HostedTool<
  out Config extends JsonObject = JsonObject,
  out Output extends HostedToolOutput = HostedToolOutput,
> {
  readonly type: 'hosted-tool';
  /** The capability, for example `web_search`; the adapter's codec for it translates the tool. */
  readonly kind: string;
  readonly name: string;
  /** 1 to 200 characters. */
  readonly description: string;
  readonly config: Config;
  /** Never there: the type of the outputs, for `hostedOutputsOf`. */
  readonly '~output'?: Output;
}

/**
 * Declares a tool that the provider runs.
 *
 * @param options.kind the capability, by which an adapter finds its codec; the same rule as for tool names, and none of `tool`,
 * `hosted-tool` and `section`, which name something else.
 * @param options.config plain JSON for the codec; frozen.
 * @throws {PromptValidationError} for a kind, name, description or config that cannot be used.
 */
export function hostedTool<
  const Config extends JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
>(options: {
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  readonly config: Config;
}): HostedTool<Config, Output> {
  assertOptions('hostedTool()', options, { kind: 'any', name: 'any', description: 'any', config: 'unknown' });
  const { kind, name } = options;
  const config = wellFormed(options.config);
  assertToolName(name);
  assertKind(kind, name);
  const description = assertDescription(options.description, `hosted tool "${name}"`, { tool: name });
  if (!isRecord(config)) throw invalid(name, 'config', 'must be an object.');
  try {
    freezeJson(config, `the config of hosted tool "${name}"`);
  } catch (cause) {
    throw invalid(name, 'config', `cannot be used: ${describeError(cause)}`, cause);
  }
  return Object.freeze({ type: 'hosted-tool', kind, name, description: wellFormedText(description), config });
}

/** What a prompt is made of. A tool of such a kind is one whose `type` was given as its kind. */
const reservedKinds: readonly unknown[] = ['tool', 'hosted-tool', 'section'];

function assertKind(kind: unknown, name: string): void {
  if (reservedKinds.includes(kind)) {
    const advice = 'Give the capability that the adapter has a codec for, such as "web_search".';
    throw invalid(name, 'kind', `cannot be "${kind}". ${advice}`);
  }
  if (typeof kind === 'string' && /^[a-z0-9_-]{1,64}$/.test(kind)) return;
  throw invalid(name, 'kind', 'must be 1 to 64 lower-case letters, digits, "_" or "-".');
}

function invalid(tool: string, placeholder: string, problem: string, cause?: unknown): PromptValidationError {
  return new PromptValidationError(`The ${placeholder} of hosted tool "${tool}" ${problem}`, {
    cause,
    details: { tool, placeholder },
  });
}

/** The common part of every output of a hosted tool. The rest depends on the kind of the tool. */
export interface HostedToolOutput {
  /** `incomplete`: the provider stopped in the middle of it. */
  readonly status: 'completed' | 'failed' | 'incomplete';
  /** Why it failed, as the provider reports it; absent when the provider gives no reason, or when it did not fail. */
  readonly errorCode?: string;
  /** The provider's name for this invocation; absent when it has none. */
  readonly invocationId?: string;
}

/** Where a passage of the model's text comes from. */
export type Citation = {
  /**
   * The passage, from its first character to the one after its last, as offsets of a JavaScript string in the text of the turn.
   * Absent when the provider does not report the passage.
   */
  readonly span?: readonly [start: number, end: number];
  /** The quotation from the source that supports the passage. */
  readonly citedText?: string;
} & (
  | { readonly type: 'url'; readonly url: string; readonly title?: string }
  | { readonly type: 'file'; readonly fileId: string; readonly filename?: string }
);

/** What one turn of the model brought of one hosted tool. */
export interface HostedToolReading<out Output extends HostedToolOutput = HostedToolOutput> {
  /** Name of the hosted tool, as the prompt has it. */
  readonly toolName: string;
  /** One for each time the provider ran the tool, in order; several in one turn are usual. */
  readonly invocations: readonly Output[];
  readonly citations: readonly Citation[];
}

/** The outputs of a hosted tool in one evaluation. `turn` is the number of the model call, from 1. */
export interface HostedToolOutputs<out Output extends HostedToolOutput = HostedToolOutput> {
  readonly invocations: readonly (Output & { readonly turn: number })[];
  /**
   * The spans are offsets in the text of the turn, appended to that of the paused turns that it continues; those of the answer
   * are offsets in `response.text`.
   */
  readonly citations: readonly (Citation & { readonly turn: number })[];
}

const nothing: HostedToolOutputs<never> = Object.freeze({
  invocations: Object.freeze([]),
  citations: Object.freeze([]),
});

/**
 * The outputs of a hosted tool in an evaluation, with the types of that tool; empty lists when the model did not use it.
 *
 * @param response what `evaluate` resolved to.
 */
export function hostedOutputsOf<Output extends HostedToolOutput>(
  response: { readonly hostedOutputs: Readonly<Record<string, HostedToolOutputs>> },
  tool: HostedTool<JsonObject, Output>,
): { [Name in keyof HostedToolOutputs<Output>]: HostedToolOutputs<Output>[Name] } {
  assertMembers('hostedOutputsOf()', response, { hostedOutputs: 'object!' });
  assertArgument('hostedOutputsOf()', 'tool', tool, 'object');
  const { hostedOutputs } = response;
  // The codec of its kind makes the output type that the tool declares.
  return (ownMember(hostedOutputs, tool.name) ?? nothing) as HostedToolOutputs<Output>;
}
