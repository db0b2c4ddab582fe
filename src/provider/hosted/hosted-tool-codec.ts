import type { JsonObject } from '../../schema/index.ts';
import type { Citation, HostedTool, HostedToolOutput } from '../../tool/index.ts';

/** How a hosted tool is told to a provider. Everything is in the provider's own words. */
export interface HostedToolWire {
  /** What stands in the request's list of tools for it. */
  readonly tools: readonly JsonObject[];
  /** What the response shall hold beyond the usual. Default: nothing. */
  readonly include?: readonly string[];
  /** Headers of the request; values of one header that several tools set are joined by commas. Default: none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** What else the request holds, by its keys. Lists that several tools give are put together; settings of the caller go over it. Default: nothing. */
  readonly request?: JsonObject;
  /** Places in the config that the provider cannot be told, such as `domains.blocked`. Default: it can be told everything. */
  readonly unsupported?: readonly string[];
}

/** One answer of the provider, as a codec gets it. */
export interface HostedTurn {
  /** Everything the provider sent, in order, as it sent it. */
  readonly items: readonly unknown[];
  /** The text of the turn, as `citations` refer to it. */
  readonly text: string;
  /**
   * Where in `text` the text of this part of an item begins; undefined for one whose text is no part of it. The part is told by its identity.
   */
  startOf(part: unknown): number | undefined;
}

/** What a codec found in one answer. */
export interface HostedToolFindings<out Output extends HostedToolOutput = HostedToolOutput> {
  readonly invocations: readonly Output[];
  readonly citations: readonly Citation[];
}

/**
 * Speaks for one kind of hosted tool with one provider: it says the config in the provider's words, and reads what
 * the provider's answers say about the tool. An adapter takes further ones in its option `hostedToolCodecs`.
 */
export interface HostedToolCodec<
  Config extends JsonObject = JsonObject,
  Output extends HostedToolOutput = HostedToolOutput,
> {
  /** The kind of hosted tool that it speaks for, such as `web_search`. */
  readonly kind: string;
  /**
   * Whether the answers tell two tools of the kind apart, so that a prompt may have several. Default: false, several are refused.
   */
  readonly allowsSeveral?: boolean;
  /**
   * With `allowsSeveral`: what the answers know a tool by, in words such as `label "wiki"`; a prompt that has it twice is refused. May throw:
   * the evaluation then ends in phase `render`. Default: the name of the tool, which is its own.
   */
  identify?(tool: HostedTool<Config, Output>): string;
  /**
   * May throw: the evaluation then ends in phase `render`, before any request. Called once per tool and adapter.
   *
   * @param model the name of the model, for codecs whose words depend on it.
   */
  serialize(tool: HostedTool<Config, Output>, model: string): HostedToolWire;
  /**
   * What one answer says about the tool; undefined, or empty lists, when it was not used. Shapes that it does not know are skipped, not refused. May throw:
   * the evaluation then ends in phase `response`, and so it does when what is returned is neither findings nor nothing.
   */
  parseOutput(turn: HostedTurn, tool: HostedTool<Config, Output>): HostedToolFindings<Output> | undefined;
}

/** Codecs by the kind that they speak for. */
export type HostedToolCodecs = Readonly<Record<string, HostedToolCodec>>;
